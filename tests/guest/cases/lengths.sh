# SPDX-License-Identifier: MIT
# How many instructions markers and reads take, with and without labels.
for options in '-e time' '-e instructions:u' '-e instructions:u,cycles:u' '-e {instructions:u},{cycles:u}' \
	'-e time --sample 1001' '-e instructions:u --sample 1001'; do
	for labels in '' ' --labels'; do
		echo "=== $options$labels"
		regionstat --quiet -o out.csv -x , $options$labels lengths
	done
done
