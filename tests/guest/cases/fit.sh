# SPDX-License-Identifier: MIT
# Who gets the PMU: 6 counters and one for cycles.
. "$(dirname "$0")/measure.inc"
eight=instructions,instructions,instructions,instructions
eight=$eight,$eight
count()
{
	title=$1
	shift
	measure "$title" regionstat -x , -o out.csv "$@" known_instructions 100
}
count one -e cycles,instructions
count two -e '{cycles,instructions},{instructions,instructions}'
count four -e '{instructions,instructions,instructions,instructions}'
count eight -e "$eight"
count pin --pin -e "$eight"
count "no totals" --no-totals -e cycles,instructions
echo "=== verbose"
regionstat -v -e cycles,instructions known_instructions 10
echo "=== verbose four"
regionstat -v -e '{instructions,instructions,instructions,instructions}' known_instructions 10
