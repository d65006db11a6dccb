# SPDX-License-Identifier: MIT
# The same counts whether counters may be read in user space or not.
. "$(dirname "$0")/measure.inc"
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	measure "$access" regionstat -x , -o out.csv -e instructions:u known_instructions 50
done
