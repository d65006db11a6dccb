#!/bin/sh
# SPDX-License-Identifier: MIT
# Make what tests/abi keeps of a released marker header: marked.c of DIRECTORY, compiled with the
# header there for every architecture. Once: what is kept stays as it was made.
set -eu
cd "${1:?directory}"
for target in x86_64 aarch64 riscv64; do
	compiler=$target-linux-gnu-gcc
	command -v "$compiler" >/dev/null || compiler=gcc
	[ ! -e "$target.o" ] || continue
	"$compiler" -std=gnu11 -O2 -fPIC -g0 -fno-asynchronous-unwind-tables -I. -c marked.c -o "$target.o"
done
