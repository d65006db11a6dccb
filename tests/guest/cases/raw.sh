# SPDX-License-Identifier: MIT
# The markers' own cost, taken out and left in.
echo "=== taken out"
regionstat -x , -o out.csv -e instructions:u known_instructions 100
cat out.csv
echo "=== left in"
regionstat --raw -x , -o out.csv -e instructions:u known_instructions 100
cat out.csv
