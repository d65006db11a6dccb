# SPDX-License-Identifier: MIT
# The events of this machine.
echo "=== all"
regionstat list
echo "status $?"
echo "=== some"
regionstat list 'instr*'
echo "status $?"
