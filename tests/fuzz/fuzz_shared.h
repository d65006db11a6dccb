/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzing of segments and that of saved runs share: cells to begin with, and what every summary
 * promises.
 */
#ifndef RS_TEST_FUZZ_SHARED_H
#define RS_TEST_FUZZ_SHARED_H

#include "builder.h"
#include "stats/summary.h"

/* A cell with so many calls of three events, sampled, of which some were not counted whole. */
struct rs_cell *fuzz_fill_cell(
	struct builder *builder, uint32_t slot, uint32_t region, uint64_t n_calls);

/* Abort, with a message, where a promise is broken. */
void fuzz_check_summary(const struct rs_summary *summary);

#endif
