# SPDX-License-Identifier: MIT
# The machine's counters have 32 bits. The kernel lets each wrap after 2^31 counts. This is enough
# work for two wraps.
. "$(dirname "$0")/measure.inc"
measure report regionstat -x , -o out.csv -e instructions:u known_instructions 16000
