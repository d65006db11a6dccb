/* SPDX-License-Identifier: MIT */
/*
 * Marks, and ranges that end by an id, as NVTX and ROCTx have them; those that nest in their thread
 * are on its stack (stacks.h). Any thread, also in signal handlers that end what they begin.
 */
#ifndef RS_ADAPTERS_RANGES_H
#define RS_ADAPTERS_RANGES_H

#include "adapters/open_calls.h"
#include "adapters/stacks.h"

/* A call without length. */
void rs_range_mark(struct regionstat_site_ *site);

/* Begin a range by id. given: the id that another tool has for it; NULL: there is none, and it gets
 * one of ours. Returns the id. */
uint64_t rs_range_start(struct regionstat_site_ *site, const uint64_t *given);
void rs_range_end(uint64_t id);

#endif
