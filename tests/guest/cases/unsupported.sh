# SPDX-License-Identifier: MIT
# An event that the machine cannot count, beside one that it can.
. "$(dirname "$0")/measure.inc"
measure csv regionstat -x , -o out.csv -e branches,instructions:u known_instructions 3
echo "=== strict"
regionstat --strict -e branches,instructions:u sh -c 'echo must not run'
echo "status $?"
