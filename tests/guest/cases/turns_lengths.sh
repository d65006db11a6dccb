# SPDX-License-Identifier: MIT
# Two to eight groups on six counters, with calls of 100 instructions to 50 ms, read in user space
# and by read().
. "$(dirname "$0")/turns.inc"
brief()
{
	shape=$1
	shift
	# shellcheck disable=SC2086 # two words
	measure "access $access, $shape, brief" -e "$(groups $shape)" taking_turns lengths "$@"
}
lasting()
{
	# shellcheck disable=SC2086 # two words
	measure "access $access, $1, lasting" -e "$(groups $1)" taking_turns lengths 0 0 200 "$2" 0
}
access=1
for shape in '2 4' '3 3' '4 2' '5 2' '6 2' '7 1' '8 1'; do
	brief "$shape" 200000 10000 0 0 1000
done
lasting '2 4' 0
lasting '3 3' 200 # 10 s of the longest calls
lasting '8 1' 0
access=0
echo 0 >/proc/sys/kernel/perf_user_access
for shape in '2 4' '3 3' '5 2' '8 1'; do
	brief "$shape" 8000 4000 0 0 3000
done
lasting '3 3' 50
lasting '8 1' 0
