# SPDX-License-Identifier: MIT
# A program and the same with its functions in another order, and one with 1 % more work in a region.
series()
{
	title=$1
	shift
	regionstat compare -r 4 -e instructions:u -o "$title.jsonl" "$@" >/dev/null 2>&1
	echo "=== $title"
	regionstat diff -j "$title.jsonl"
}
series reordered -- versions calls=10 ::: versions-reordered calls=10
series work -- versions calls=10 ::: versions calls=10 parse=6060
