# SPDX-License-Identifier: MIT
# The same counts whether counters may be read in user space or not.
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	echo "=== messages $access"
	regionstat -x , -o "$access.csv" -e instructions:u known_instructions 50
	echo "$?"
	echo "=== csv $access"
	cat "$access.csv"
done
