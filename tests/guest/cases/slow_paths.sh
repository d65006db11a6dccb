# SPDX-License-Identifier: MIT
# Calls whose markers take slow paths, whatever the reason; with one event, and with four.
. "$(dirname "$0")/measure.inc"
for events in instructions:u '{instructions:u,cycles:u,branches:u,branch-misses:u}'; do
	measure "$events" regionstat -x , -o out.csv -e "$events" slow_paths 5000
done
