# SPDX-License-Identifier: MIT
# Events of different kernel PMUs in every order: every pair, half of them with a third event, by one
# thread or by four in turn. (tests/cli/region_orders.py tries all triples outside the emulated machine: here they
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
		number=$((number + 1))
		# every second pair has a third event behind it, each of the four others in turn
		third=
		if [ $((number % 4)) -lt 2 ]; then
			# shellcheck disable=SC2086 # words
			set -- $(printf '%s\n' $events | grep -vxF -e "$first" -e "$second")
			shift $((number % 3))
			third=,$1
		fi
		measure "$first,$second$third" "$threads"
	done
done
