# SPDX-License-Identifier: MIT
# Regions of a known number of instructions: nested, in threads that preempt each other, in chains
# of NEXT, entered recursively, with and without a second group beside. Once with so few
# instructions that each number has its own bucket in a histogram, and once with many.
. "$(dirname "$0")/measure.inc"
measure_both()
{
	both=$1
	shift
	for pairs in 12 5000; do
		measure "$both $pairs" regionstat -x , -o out.csv "$@" $pairs
	done
}
for depth in 1 2 20; do
	for threads in 1 8; do
		for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
			calls=$((threads == 1 ? 200 : 400))
			measure_both "$depth $threads $events" -e "$events" exact_regions $depth $threads $calls
		done
	done
done
# The same where every other level is filtered, and links of the chain.
for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
	measure_both "only $events" -e "$events" --only 'depth 1[468]' --only 'depth 20' --only 'chain b' \
		exact_regions 8 8 400
done
# The same with calls that are skipped at random.
for depth in 1 8; do
	measure_both "sampled $depth" -e instructions:u --sample 3 exact_regions $depth 8 400
done
