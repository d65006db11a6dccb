#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/analyze.sh [FILE...]: what gcc -fanalyzer, clang-tidy and cppcheck say of lib/ and cmd/, or
# of these files. Exits 0 where they say nothing but what tests/analyze.py has as exceptions. Minutes.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

analyze_needs='
gcc                   command -v gcc
clang-tidy            command -v clang-tidy
cppcheck              command -v cppcheck
python3               command -v python3
'
setup_install "$build_needs$analyze_needs"
exec python3 tests/analyze.py "$@"
