#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/fuzz/run.sh [SECONDS [TARGET...]]: run libFuzzer on each target for SECONDS (default
# 600), starting with the corpus of this directory. Prints the coverage and the number of runs.
# Inputs that break a promise are stored in build-fuzz/found/. Needs clang with libFuzzer.
set -eu
cd "$(dirname "$0")/../.."
. tests/setup.sh

seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- config events formulas merge options segment records rings saved series slow
case $seconds in
'' | *[!0-9]*) setup_fail "usage: sh tests/fuzz/run.sh [SECONDS [TARGET...]]" ;;
esac

setup_has_clang_runtime || setup_fail "libFuzzer is not installed
  try: apt-get install clang libclang-rt-dev"
export CC=clang
setup_say "Building the targets in build-fuzz/"
for target in "$@"; do
	names="${names-} tests/fuzz/fuzz-$target"
done
[ -e build-fuzz/build.ninja ] || meson setup build-fuzz -Dbuildtype=debugoptimized >build-fuzz.log 2>&1 ||
	{ cat build-fuzz.log; exit 1; }
rm -f build-fuzz.log
# shellcheck disable=SC2086 # a list of words
ninja -C build-fuzz $names

status=0
mkdir -p build-fuzz/found
for target in "$@"; do
	setup_say "Fuzzing $target for $seconds s"
	corpus=build-fuzz/corpus/$target
	log=build-fuzz/$target.log
	mkdir -p "$corpus"
	outcome="nothing found"
	# Omit libFuzzer's messages about single inputs; the results are at the end.
	build-fuzz/tests/fuzz/fuzz-"$target" -max_total_time="$seconds" -max_len=1024 -timeout=60 \
		-print_final_stats=1 -artifact_prefix="build-fuzz/found/$target-" \
		"$corpus" tests/fuzz/corpus/"$target" >"$log" 2>&1 </dev/null || {
		outcome="FOUND: build-fuzz/tests/fuzz/fuzz-$target $(ls -t build-fuzz/found/"$target"-* | head -n 1)"
		status=1
		grep -v '^#' "$log" | tail -n 30
	}
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
	echo "$target: $edges edges, ${runs:-some} executions: $outcome"
done
exit "$status"
