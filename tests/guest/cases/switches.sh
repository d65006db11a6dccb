# SPDX-License-Identifier: MIT
# Calls that had a context switch, as this kernel reports them.
. "$(dirname "$0")/measure.inc"
for mode in sleeps nested signals
do
	measure $mode regionstat -x , -o out.csv -e time switches $mode
done
measure counted regionstat -x , -o out.csv -e instructions:u switches nested
