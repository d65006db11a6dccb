# SPDX-License-Identifier: MIT
# The tracer in two sizes: what grows with the pixels is what the markers cost.
# About 70,000 instructions a pixel on arm64.
rays=10
hardware4=instructions,cycles,instructions:u,cycles:u
measure()
{
	echo "=== $1 $size"
	shift
	rm -f used
	"$@" >/dev/null && cat used
}
launched()
{
	title=$1
	markers=$2
	shift 2
	measure "$title" regionstat -o /dev/null "$@" -- usage -i -o used tracer -s $size -r $rays -m $markers
}
for size in 32x24 64x48; do
	measure off usage -i -o used tracer -s $size -r $rays
	measure unmarked usage -i -o used tracer-unmarked -s $size -r $rays
	measure read usage -i -o used tracer-by-hand $size $rays hardware4
	launched time pixel -e time
	launched hardware4 pixel -e $hardware4
	launched hardware4-next next -e $hardware4
	launched time-budget pixel -e time --budget 0.5%
	launched hardware4-budget pixel -e $hardware4 --budget 0.5%
done
