#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/analyze.sh [FILE...] runs gcc -fanalyzer, clang-tidy and cppcheck on lib/ and cmd/, or on
# these files. It exits with 0 if all findings are exceptions of tests/analyze.py. It takes minutes.
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
