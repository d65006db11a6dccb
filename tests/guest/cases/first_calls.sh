# SPDX-License-Identifier: MIT
# The first and the second call of regions that nest twenty deep, by sites and by names, read in user space
# and by read().
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	for names in '' names; do
		echo "=== messages $access $names"
		regionstat -x , -o out.csv -e instructions:u first_calls 5000 $names
		echo "$?"
		echo "=== csv $access $names"
		cat out.csv
	done
done
