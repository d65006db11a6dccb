# SPDX-License-Identifier: MIT
# Regions of a known number of instructions: nested, in threads that preempt each other, in chains
# of NEXT, entered recursively, with and without a second group beside. Once with so few
# instructions that each number has its own bucket in a histogram, and once with many.
measure()
{
	title=$1
	shift
	for pairs in 12 5000; do
		echo "=== messages $title $pairs"
		regionstat -x , -o out.csv "$@" $pairs
		echo "$?"
		echo "=== csv $title $pairs"
		cat out.csv
	done
}
for depth in 1 2 20; do
	for threads in 1 8; do
		for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
			calls=$((threads == 1 ? 200 : 400))
			measure "$depth $threads $events" -e "$events" exact_regions $depth $threads $calls
		done
	done
done
# The same where every other level is filtered, and links of the chain.
for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
	measure "only $events" -e "$events" --only 'depth 1[468]' --only 'depth 20' --only 'chain b' \
		exact_regions 8 8 400
done
# The same with calls that are skipped at random.
for depth in 1 8; do
	measure "sampled $depth" -e instructions:u --sample 3 exact_regions $depth 8 400
done
