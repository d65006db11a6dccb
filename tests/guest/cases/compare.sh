# SPDX-License-Identifier: MIT
# A program and the same with its functions in another order, and one with 1 % more work in a region.
series()
{
	title=$1
	shift
	regionstat compare -r 3 -e instructions:u -o "$title.jsonl" "$@" >/dev/null 2>&1
	echo "=== $title"
	regionstat diff -j "$title.jsonl"
}
series reordered -- versions calls=2 ::: versions-reordered calls=2
series work -- versions calls=2 ::: versions calls=2 parse=6060
