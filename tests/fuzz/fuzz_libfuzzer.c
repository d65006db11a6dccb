/* SPDX-License-Identifier: MIT */
/*
 * The same target for libFuzzer, which finds its changes by coverage:
 *
 *     CC=clang meson setup build-clang && ninja -C build-clang tests/fuzz/fuzz-libfuzzer
 *     build-clang/tests/fuzz/fuzz-libfuzzer -max_len=1024 -len_control=0
 */
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_run(data, bytes);
	return 0;
}
