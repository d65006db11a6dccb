# SPDX-License-Identifier: MIT
# Who gets the PMU: 6 counters and one for cycles.
eight=instructions,instructions,instructions,instructions
eight=$eight,$eight
measure()
{
	title=$1
	shift
	echo "=== $title messages"
	regionstat -x , -o out.csv "$@" known_instructions 100
	echo "$?"
	echo "=== $title"
	cat out.csv
}
measure one -e cycles,instructions
measure two -e '{cycles,instructions},{instructions,instructions}'
measure four -e '{instructions,instructions,instructions,instructions}'
measure eight -e "$eight"
measure pin --pin -e "$eight"
measure "no totals" --no-totals -e cycles,instructions
echo "=== verbose"
regionstat -v -e cycles,instructions known_instructions 10
echo "=== verbose four"
regionstat -v -e '{instructions,instructions,instructions,instructions}' known_instructions 10
