# SPDX-License-Identifier: MIT
# The markers' overhead, subtracted and included.
echo "=== taken out"
regionstat -x , -o out.csv -e instructions:u known_instructions 100
cat out.csv
echo "=== left in"
regionstat --raw -x , -o out.csv -e instructions:u known_instructions 100
cat out.csv
