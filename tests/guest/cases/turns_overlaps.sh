# SPDX-License-Identifier: MIT
# Calls that overlap, NEXT below the top, and names made at run time, in every way of reading.
. "$(dirname "$0")/turns.inc"
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	measure "access $access, one event" -e instructions:u overlaps 1000
	measure "access $access, two events" -e '{instructions:u,cycles:u}' overlaps 1000
	measure "access $access, two groups" -e "$(groups 2 2)" overlaps 1000
	measure "access $access, beside page-faults" -e instructions:u,page-faults overlaps 1000
	measure "access $access, in turns" -e "$(groups 3 3)" overlaps 4000
done
