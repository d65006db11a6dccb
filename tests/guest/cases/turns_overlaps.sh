# SPDX-License-Identifier: MIT
# Calls that overlap, NEXT below the top, and names made at run time, in every way of reading.
. "$(dirname "$0")/turns.inc"
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	# by read() a call takes many times as long
	calls=$((access ? 1000 : 200))
	measure "access $access, one event" -e instructions:u overlaps $calls
	measure "access $access, two events" -e '{instructions:u,cycles:u}' overlaps $calls
	measure "access $access, two groups" -e "$(groups 2 2)" overlaps $calls
	measure "access $access, beside page-faults" -e instructions:u,page-faults overlaps $calls
	measure "access $access, multiplexed" -e "$(groups 3 3)" overlaps $((access ? 4000 : 500))
done
