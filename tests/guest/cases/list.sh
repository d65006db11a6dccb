# SPDX-License-Identifier: MIT
# What this machine offers.
echo "=== all"
regionstat list
echo "status $?"
echo "=== some"
regionstat list 'instr*'
echo "status $?"
