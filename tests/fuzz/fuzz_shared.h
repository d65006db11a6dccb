/* SPDX-License-Identifier: MIT */
/*
 * Code that the fuzzing of segments and of saved runs share: accumulators to start from, and the
 * promises of every summary.
 */
#ifndef RS_TEST_FUZZ_SHARED_H
#define RS_TEST_FUZZ_SHARED_H

#include "builder.h"
#include "stats/summary.h"

/* Make an accumulator with n_calls sampled calls of three events. Some calls are not counted
 * completely. */
struct rs_accumulator *fuzz_fill_accumulator(
	struct builder *builder, uint32_t slot, uint32_t region, uint64_t n_calls);

/* Check that the summary's values are consistent. Abort with a message if they are not. */
void fuzz_check_summary(const struct rs_summary *summary);

#endif
