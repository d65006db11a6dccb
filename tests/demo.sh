#!/bin/sh
# SPDX-License-Identifier: MIT
# Install what is missing, build regionstat, and measure a real program with it: a ray tracer whose
# marked region is one pixel. For Debian and Ubuntu, as root or with sudo. The second time is quick.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh

setup_install "$build_needs"

setup_say "Building regionstat in build/"
setup_build build -Dtests=auto # README may have built it without tests before

setup_say "Measuring a ray tracer, a region per pixel, with 2 threads:"
set -- build/cmd/regionstat build/tests/apps/tracer -s 640x480 -t 2 -o /dev/null
echo "    $*"
echo
exec "$@"
