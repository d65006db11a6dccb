# SPDX-License-Identifier: MIT
# A real program with threads, measured with hardware counters.
echo "=== messages"
regionstat -x , -o out.csv -e cycles,instructions tracer -s 32x24 -t 2 -o measured.ppm
echo "$?"
tracer -s 32x24 -t 2 -o plain.ppm
cmp plain.ppm measured.ppm && echo "same picture"
echo "=== csv"
cat out.csv
echo "=== table"
regionstat -e cycles,instructions tracer -s 32x24 -t 2 -o /dev/null
