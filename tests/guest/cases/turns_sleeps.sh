# SPDX-License-Identifier: MIT
# Threads that sleep within calls, and many on one CPU, left alone or preempted, with multiplexed
# events and without.
. "$(dirname "$0")/turns.inc"
sleeps()
{
	# shellcheck disable=SC2086 # two words
	measure "sleeps, access $access, $1" -e "$(groups $1)" taking_turns sleeps "$2"
}
threads()
{
	# shellcheck disable=SC2086 # two words
	measure "threads, access $access, $1" -e "$(groups $1)" taking_turns threads 16 "$2"
}
preempted()
{
	# shellcheck disable=SC2086 # two words
	measure "preempted, access $access, $1" -e "$(groups $1)" taking_turns preempted 16 "$2"
}
setup()
{
	# shellcheck disable=SC2086 # two words
	measure "setup, access $access, $1" -e "$(groups $1)" taking_turns sleeps 1
}
access=1
setup '1 3'
setup '3 3'
sleeps '1 3' 150
sleeps '2 4' 160
sleeps '3 3' 220
sleeps '8 1' 160
threads '2 4' 30
threads '3 3' 120
threads '8 1' 60
preempted '8 1' 160
access=0
echo 0 >/proc/sys/kernel/perf_user_access
setup '3 3'
sleeps '3 3' 300
threads '3 3' 160
