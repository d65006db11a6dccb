/* SPDX-License-Identifier: MIT */
/*
 * Calls that take as long as a test says: recorded as by the marker that ends them.
 */
#ifndef RS_TESTS_RUNTIME_RECORD_VALUE_H
#define RS_TESTS_RUNTIME_RECORD_VALUE_H

#include <stdint.h>

/* One more call of the region that is open on this thread, innermost: of these ticks, and of no
 * events, which the segment must not have. The region stays open. */
void record_value(uint64_t ticks);

#endif
