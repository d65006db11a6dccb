# SPDX-License-Identifier: MIT
# Events of different kernel PMUs in every order: every pair and every sixth triple, by one thread or by
# four in turn. (tests/cli/region_orders.py tries all triples outside the emulated machine: here they
# would take most of the time of all tests.)
events='task-clock cpu-clock page-faults minor-faults context-switches syscalls:sys_enter_getppid'
calls=2
measure()
{
	echo "=== csv $1 $2"
	regionstat -x , -o out.csv -e "$1" orders "$2" "$calls" >truth 2>messages
	status=$?
	grep -E '^[^,]*,(kind|region),' out.csv
	echo "=== truth $1 $2"
	cat truth
	echo "=== status $1 $2"
	echo "$status"
}
number=0
threads=1
for first in $events; do
	for second in $events; do
		[ "$first" != "$second" ] || continue
		threads=$((5 - threads))
		measure "$first,$second" "$threads"
		for third in $events; do
			[ "$third" != "$first" ] && [ "$third" != "$second" ] || continue
			number=$((number + 1))
			case $((number % 12)) in
			0) measure "$first,$second,$third" 1 ;;
			6) measure "$first,$second,$third" 4 ;;
			esac
		done
	done
done
