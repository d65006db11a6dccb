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
