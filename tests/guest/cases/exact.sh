# SPDX-License-Identifier: MIT
# Regions with a known number of instructions, in user mode and in user and kernel mode.
. "$(dirname "$0")/measure.inc"
n_calls=100
measure user regionstat -x , -o out.csv -e cycles:u,instructions:u known_instructions $n_calls
measure all regionstat -x , -o out.csv -e cycles,instructions known_instructions $n_calls
echo "=== table"
regionstat -e cycles,instructions known_instructions $n_calls
