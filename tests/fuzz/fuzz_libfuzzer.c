/* SPDX-License-Identifier: MIT */
/*
 * The entry point for libFuzzer, which finds inputs by coverage. run.sh builds and runs all
 * targets.
 */
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_run(data, bytes);
	return 0;
}
