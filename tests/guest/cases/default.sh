# SPDX-License-Identifier: MIT
# Without -e: hardware events where the machine counts them.
. "$(dirname "$0")/measure.inc"
measure csv regionstat -x , -o out.csv known_instructions 10
echo "=== table"
regionstat known_instructions 10
echo "status $?"
