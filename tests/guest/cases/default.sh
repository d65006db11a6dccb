# SPDX-License-Identifier: MIT
# Without -e: hardware events where the machine counts them.
echo "=== messages"
regionstat -x , -o out.csv known_instructions 10
echo "=== csv"
cat out.csv
echo "=== table"
regionstat known_instructions 10
echo "status $?"
