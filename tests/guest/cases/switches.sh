# SPDX-License-Identifier: MIT
# Calls that were interrupted, as this kernel tells them.
measure()
{
	title=$1
	shift
	rm -f out.csv
	echo "=== $title messages"
	"$@"
	echo "status $?"
	echo "=== $title"
	cat out.csv
}
for mode in sleeps nested signals
do
	measure $mode regionstat -x , -o out.csv -e time switches $mode
done
measure counted regionstat -x , -o out.csv -e instructions:u switches nested
