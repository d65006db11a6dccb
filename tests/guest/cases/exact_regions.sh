# SPDX-License-Identifier: MIT
# Regions of a known number of instructions: nested, in threads that preempt each other, in chains
# of NEXT, entered recursively, with and without a second group beside.
for depth in 1 2 8; do
	for threads in 1 8; do
		for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
			calls=$((threads == 1 ? 200 : 400))
			echo "=== messages $depth $threads $events"
			regionstat -x , -o out.csv -e "$events" exact_regions $depth $threads $calls 5000
			echo "$?"
			echo "=== csv $depth $threads $events"
			cat out.csv
		done
	done
done
# The same where every other level is left out, and links of the chain.
for events in instructions:u '{instructions:u,cycles:u},{instructions:u}'; do
	echo "=== messages only $events"
	regionstat -x , -o out.csv -e "$events" --only 'depth [2468]' --only 'chain b' \
		exact_regions 8 8 400 5000
	echo "$?"
	echo "=== csv only $events"
	cat out.csv
done
# The same with calls that are left out at random.
for depth in 1 8; do
	echo "=== messages sampled $depth"
	regionstat -x , -o out.csv -e instructions:u --sample 3 exact_regions $depth 8 400 5000
	echo "$?"
	echo "=== csv sampled $depth"
	cat out.csv
done
