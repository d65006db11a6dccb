# SPDX-License-Identifier: MIT
# A picture, measured per pixel as a listing in a book does it, and by regionstat.
. "$(dirname "$0")/measure.inc"
for access in 1 0; do
	echo "$access" >/proc/sys/kernel/perf_user_access
	echo "=== table $access"
	by-hand table
	measure "csv $access" regionstat -x , -o out.csv -e '{instructions:u,instructions}' by-hand markers
	echo "=== shown $access"
	regionstat -e instructions:u by-hand markers
done
