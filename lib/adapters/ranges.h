/* SPDX-License-Identifier: MIT */
/*
 * Marks, ranges of a thread that nest, and ranges that end by an id, as NVTX and ROCTx have them. Any
 * thread, also in signal handlers that end what they begin.
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

/* Begin and end a range of this thread, by the key of a domain; return its level, from 0. Pop: -1
 * where none is open, which is counted as unmatched. */
int rs_range_push(uint64_t key, struct regionstat_site_ *site);
int rs_range_pop(uint64_t key);

#endif
