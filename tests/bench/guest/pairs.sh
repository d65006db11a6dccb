# SPDX-License-Identifier: MIT
# Pairs of markers and of others, counted in instructions. One at a time, so that each has the
# counters to itself.
measure()
{
	echo "=== $1"
	shift
	"$@" || echo "bench: failed with status $?"
}
marked()
{
	measure "$1" regionstat -o /dev/null -e "$2" -- \
		pairs -m instructions -r 20 -n 200 empty marker next
}
peer()
{
	measure "$2" pairs -m instructions -r 20 -n 200 -s "$1" empty "$2"
}
software3=task-clock,page-faults,context-switches
export PAPI_OUTPUT_DIRECTORY=$PWD

measure off pairs -m instructions -r 20 -n 200 empty marker
marked time time
marked hardware2 instructions,cycles
marked hardware4 instructions,cycles,instructions:u,cycles:u
marked software3 $software3
measure skipped regionstat -o /dev/null -e instructions,cycles --sample 100000 -- \
	pairs -m instructions -r 20 -n 200 empty marker
measure only regionstat -o /dev/null -e instructions,cycles --only 'no such region' -- \
	pairs -m instructions -r 20 -n 200 empty marker next
measure wanted regionstat -o /dev/null -e instructions,cycles --only pair -- \
	pairs -m instructions -r 20 -n 200 empty marker
peer hardware2 read
peer hardware2 papi_read
peer hardware2 papi_hl
measure software-read pairs -m instructions -r 20 -n 200 -s software3 empty read
measure first regionstat -o /dev/null -e instructions,cycles -- \
	first_marker -m instructions -s hardware2 -n 16
measure first-software regionstat -o /dev/null -e $software3 -- \
	first_marker -m instructions -s software3 -n 16
