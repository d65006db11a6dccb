#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the directory that stores the emulated machine's parts between builds.
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
case $cache in
/*) echo "$cache/regionstat/guest" ;;
*) echo "/var/tmp/regionstat-$(id -u)/guest" ;;
esac
