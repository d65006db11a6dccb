# Regions with a known number of instructions, in user mode and in user and kernel mode.
n_calls=100

regionstat -x , -o user.csv -e cycles:u,instructions:u known_instructions $n_calls
echo "=== user status $?"
echo "=== user"
cat user.csv
regionstat -x , -o all.csv -e cycles,instructions known_instructions $n_calls
echo "=== all"
cat all.csv
echo "=== table"
regionstat -e cycles,instructions known_instructions $n_calls
