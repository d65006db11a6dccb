# SPDX-License-Identifier: MIT
# Regions with a known number of instructions, in user mode and in user and kernel mode.
n_calls=100

echo "=== user status"
regionstat -x , -o user.csv -e cycles:u,instructions:u known_instructions $n_calls
echo "$?"
echo "=== user"
cat user.csv
echo "=== all status"
regionstat -x , -o all.csv -e cycles,instructions known_instructions $n_calls
echo "$?"
echo "=== all"
cat all.csv
echo "=== table"
regionstat -e cycles,instructions known_instructions $n_calls
