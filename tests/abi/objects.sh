#!/bin/sh
# SPDX-License-Identifier: MIT
# Make what tests/abi keeps of a marker header when it is released: marked.c, compiled with the
# header for every architecture, in DIRECTORY. Once: what is kept stays as it was made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?directory}"
for target in x86_64 aarch64 riscv64; do
	compiler=$target-linux-gnu-gcc
	[ "$target" != "$(uname -m)" ] || compiler=gcc
	[ ! -e "$target.o" ] || continue
	"$compiler" -std=gnu11 -O2 -fPIC -g0 -fno-asynchronous-unwind-tables -I"$here/../../lib" \
		-c "$here/marked.c" -o "$target.o"
done
