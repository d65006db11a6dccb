#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/soak.sh [MINUTES [SEED]] measures randomized stress programs for MINUTES (default: 10).
# The first program is that of SEED, or of a random seed, which it prints. With MINUTES 0 it measures
# only the program of SEED.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

setup_install "$build_needs"'
python3               command -v python3
'
setup_say "Building regionstat in build/"
setup_build build >/dev/null
REGIONSTAT_BUILD=$PWD/build REGIONSTAT_MINUTES=${1:-10} REGIONSTAT_SEED=${2-} \
	exec python3 tests/run.py tests/soak/soak.py
