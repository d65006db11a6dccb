# SPDX-License-Identifier: MIT
# Nested calls of few instructions, with the kernel's own counted, by read().
. "$(dirname "$0")/measure.inc"
echo 0 >/proc/sys/kernel/perf_user_access
for events in instructions:k '{instructions:u,instructions:k}'; do
	measure "$events" regionstat -x , -o out.csv -e "$events" exact_regions 8 1 400 12
done
