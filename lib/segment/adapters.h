/* SPDX-License-Identifier: MIT */
/*
 * Counts that adapters of other marker APIs keep in the segment: what happened in each of them. The
 * rules of segment/layout.h apply: any process adds, the launcher reads.
 */
#ifndef RS_SEGMENT_ADAPTERS_H
#define RS_SEGMENT_ADAPTERS_H

#include "segment/layout.h"

/* The name of an adapter for users, of enum rs_adapter; static storage. NULL: there is none. The
 * launcher's. */
const char *rs_adapter_word(uint32_t adapter);

#define RS_ADAPTERS_OFFSET UINT64_C(0xf000)

/* One a marker API; a number that is never given to another. */
enum rs_adapter {
	RS_ADAPTER_LIKWID,
	RS_ADAPTER_ITT,
	RS_ADAPTER_NVTX,
	RS_ADAPTER_KOKKOS,
	RS_ADAPTER_OMPT,
	RS_ADAPTER_PAPI,
	RS_ADAPTER_CALIPER,
	RS_ADAPTER_UPROF,
	RS_ADAPTER_FUNCTIONS,
	RS_ADAPTER_ROCTX,
	RS_ADAPTER_N,
	RS_MAX_ADAPTERS = 16,
};

enum rs_adapter_count {
	RS_ADAPTER_COUNT_LOADED, /* processes that called it */
	RS_ADAPTER_COUNT_REGIONS, /* names that it has met, in each process */
	RS_ADAPTER_COUNT_IGNORED, /* calls that have no meaning for regions */
	RS_ADAPTER_COUNT_UNMATCHED, /* ends without a begin, dropped */
	RS_ADAPTER_COUNT_REFUSED, /* times that it could not work: a version, a contract */
	RS_ADAPTER_COUNT_MEMORY, /* names and open ranges for which there was no room */
	RS_ADAPTER_COUNT_CHAINED, /* tools that were registered before, and are called as well */
	RS_ADAPTER_COUNT_N = 8,
};

/* At RS_ADAPTERS_OFFSET, one for each number; added to with relaxed atomics. */
struct rs_segment_adapter {
	_Atomic uint64_t counts[RS_ADAPTER_COUNT_N];
};
static_assert(sizeof(struct rs_segment_adapter) == 64, "ABI");
static_assert(RS_ADAPTERS_OFFSET + RS_MAX_ADAPTERS * sizeof(struct rs_segment_adapter) <=
		      RS_BUCKETS_OFFSET,
	"adapters fit");

#endif
