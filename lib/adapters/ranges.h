/* SPDX-License-Identifier: MIT */
/*
 * These functions measure marks, and ranges that the program ends by an id, for NVTX and ROCTx. For
 * ranges that nest in a thread, see stacks.h. Any thread may use these functions. A signal handler
 * may use them if it ends each range that it begins.
 */
#ifndef RS_ADAPTERS_RANGES_H
#define RS_ADAPTERS_RANGES_H

#include "adapters/open_calls.h"
#include "adapters/stacks.h"

/* Record a call without duration. */
void rs_range_mark(struct regionstat_site_ *site);

/* Begin a range and return its id. given: the id that another tool assigned; NULL: choose one. */
uint64_t rs_range_start(struct regionstat_site_ *site, const uint64_t *given);
void rs_range_end(uint64_t id);

#endif
