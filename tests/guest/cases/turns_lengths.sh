# SPDX-License-Identifier: MIT
# Three groups, and eight, on six counters, with calls of 100 instructions to 50 ms, read in user space
# and by read().
. "$(dirname "$0")/turns.inc"
access=1
lengths '3 3' 80000 6000 0 0 600
lengths '8 1' 80000 6000 0 0 600
lasting '3 3' 40 # 2 s of the longest calls
access=0
echo 0 >/proc/sys/kernel/perf_user_access
lengths '3 3' 8000 4000 0 0 3000
lasting '3 3' 25
