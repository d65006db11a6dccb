# SPDX-License-Identifier: MIT
# The first and the second call of regions that nest twenty deep, by sites and by names, read in user space
# and by read().
. "$(dirname "$0")/measure.inc"
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	for names in '' names; do
		# shellcheck disable=SC2086 # a word, or none
		measure "csv $access $names" regionstat -x , -o out.csv -e instructions:u exact_regions 20 1 2 5000 $names
	done
done
