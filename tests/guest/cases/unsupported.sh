# SPDX-License-Identifier: MIT
# An event that the machine cannot count, beside one that it can.
echo "=== kept going"
regionstat -x , -o out.csv -e branches,instructions:u known_instructions 3
echo "status $?"
echo "=== csv"
cat out.csv
echo "=== strict"
regionstat --strict -e branches,instructions:u sh -c 'echo must not run'
echo "status $?"
