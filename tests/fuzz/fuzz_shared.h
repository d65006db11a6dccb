/* SPDX-License-Identifier: MIT */
/*
 * Shared code of the fuzzing of segments and of saved runs: initial cells, and the promises of
 * every summary.
 */
#ifndef RS_TEST_FUZZ_SHARED_H
#define RS_TEST_FUZZ_SHARED_H

#include "builder.h"
#include "stats/summary.h"

/* An accumulator with n_calls calls of three events, sampled, of which some were not counted
 * whole. */
struct rs_cell *fuzz_fill_cell(
	struct builder *builder, uint32_t slot, uint32_t region, uint64_t n_calls);

/* Abort, with a message, where a promise is broken. */
void fuzz_check_summary(const struct rs_summary *summary);

#endif
