# SPDX-License-Identifier: MIT
# Programs with the markers of other APIs, which no option names: regionstat finds and loads each
# adapter.
. "$(dirname "$0")/measure.inc"
for api in header likwid itt nvtx kokkos papi caliper uprof functions openmp three; do
	if ! command -v marked-$api >/dev/null; then
		echo "=== absent $api"
		continue
	fi
	echo "=== why $api"
	regionstat --dry-run marked-$api 1 1 1
	for threads in 1 4; do
		# uProf's Resume and Pause are the process's
		[ $api != uprof ] || [ $threads = 1 ] || continue
		measure "$api $threads" regionstat -x , -o out.csv -e instructions:u marked-$api 50 $threads 2500
	done
done
# The ITT that is in a library, as its makers built it.
if command -v marked-openmp >/dev/null; then
	measure "itt of libomp" regionstat -x , -o out.csv -e instructions:u --markers itt \
		marked-openmp 50 1 2500
fi
