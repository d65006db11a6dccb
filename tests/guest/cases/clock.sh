# SPDX-License-Identifier: MIT
# A series of runs of a program, to be compared with one of a machine whose clock is another.
regionstat -r 6 -e instructions:u -o series.jsonl versions calls=10 >/dev/null 2>&1
echo "=== series"
cat series.jsonl
