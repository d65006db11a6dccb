# SPDX-License-Identifier: MIT
# Messages for a user without privileges at each level of kernel.perf_event_paranoid.
. "$(dirname "$0")/measure.inc"
chmod 777 .
for level in -1 0 1 2 3 4; do
	echo "$level" >/proc/sys/kernel/perf_event_paranoid
	measure "$level" as_user regionstat -x , -o out.csv -e instructions:u known_instructions 3
done
