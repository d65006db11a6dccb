# SPDX-License-Identifier: MIT
# A real program with threads, measured with hardware counters.
. "$(dirname "$0")/measure.inc"
measure csv regionstat -x , -o out.csv -e cycles,instructions tracer -s 32x24 -t 2 -o measured.ppm
tracer -s 32x24 -t 2 -o plain.ppm
echo "=== picture"
cmp plain.ppm measured.ppm && echo "same"
echo "=== table"
regionstat -e cycles,instructions tracer -s 32x24 -t 2 -o /dev/null
