# SPDX-License-Identifier: MIT
# Messages for a user without privileges at each level of kernel.perf_event_paranoid.
chmod 777 .
for level in -1 0 1 2 3 4; do
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	echo "=== level $level"
	rm -f out.csv
	as_user regionstat -x , -o out.csv -e instructions:u known_instructions 3
	echo "status $?"
	echo "=== csv $level"
	cat out.csv
done
