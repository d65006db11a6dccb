# SPDX-License-Identifier: MIT
# Eight events on six counters are multiplexed. A turn is some 4 ms; the long calls make 4 s.
i=instructions:u
eight=$i,$i,$i,$i,$i,$i,$i,$i
echo "=== status"
regionstat -x , -o out.csv -e "$eight" turns 10000 200 100 5000 2>messages
echo "$?"
echo "=== csv"
cat out.csv
echo "=== messages"
cat messages
