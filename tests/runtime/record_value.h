/* SPDX-License-Identifier: MIT */
/*
 * These functions record calls with the times and counts that a test gives. They record a call as
 * the marker that ends it would.
 */
#ifndef RS_TESTS_RUNTIME_RECORD_VALUE_H
#define RS_TESTS_RUNTIME_RECORD_VALUE_H

#include <stdint.h>

/* One more call of the region that is open on this thread, innermost: of these ticks, and of no
 * events, which the segment must not have. The region stays open. */
void record_value(uint64_t ticks);

/* The same off the fast path, of the region with so many open inside it. values[1 + n_events]:
 * ticks first. off_ticks: the call had a context switch, and was off the CPU so long; 0: it had
 * none. */
void record_values(uint32_t n_inside, const uint64_t *values, uint64_t off_ticks);

#endif
