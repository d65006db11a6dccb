# SPDX-License-Identifier: MIT
# Two to eight groups on six counters, as turns_lengths has it for some of them.
. "$(dirname "$0")/turns.inc"
access=1
for shape in '2 4' '4 2' '5 2' '6 2' '7 1'; do
	lengths "$shape" 200000 10000 0 0 1000
done
lasting '2 4' 0
lasting '8 1' 0
access=0
echo 0 >/proc/sys/kernel/perf_user_access
for shape in '2 4' '5 2' '8 1'; do
	lengths "$shape" 32000 16000 0 0 12000
done
lasting '8 1' 0
