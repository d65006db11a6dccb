/* SPDX-License-Identifier: MIT */
/*
 * A target for libFuzzer, which finds its inputs by coverage. run.sh builds and runs all of them.
 */
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	fuzz_run(data, bytes);
	return 0;
}
