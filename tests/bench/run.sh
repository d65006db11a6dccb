#!/bin/sh
# SPDX-License-Identifier: MIT
# Install what is missing, build regionstat, and measure what it costs, side by side with other
# tools. Print a table, and write build/bench.csv. For Debian and Ubuntu, as root or with sudo. This
# takes some minutes, in which the machine should run nothing else. Arguments are passed to bench.py,
# such as a section to run.
set -eu
cd "$(dirname "$0")/../.."
. tests/setup.sh

setup_install "$build_needs$bench_needs" "$bench_optional_needs$guest_needs"

setup_say "Fetching the parts of the emulated arm64 machine (once)"
sh tests/guest/fetch.sh "$(sh tests/guest/cache.sh)" </dev/null ||
	echo "(what is measured in it will be skipped and say why)"

setup_say "Building regionstat in build/"
# Configure again, so that meson finds what was just installed.
setup_build build -Dbuildtype=release -Ddebug=true

setup_say "Measuring"
exec python3 tests/bench/bench.py --build build --cache "$(sh tests/guest/cache.sh)" "$@"
