# SPDX-License-Identifier: MIT
# Regions that nest as in a ray tracer, in which every call is measured, and sampled.
. "$(dirname "$0")/turns.inc"
for options in '' '--sample 10' '--sample 100' '--budget 5%'; do
	# shellcheck disable=SC2086 # words
	measure "nest $options" $options -e instructions:u nest 128
	# shellcheck disable=SC2086 # words
	measure "tracer $options" $options -e instructions:u tracer -s 96x72 -t 2 -o /dev/null
done
