/* SPDX-License-Identifier: MIT */
/*
 * Counts that adapters keep in the segment. An adapter translates another marker API. Any process
 * may add to the counts, and the launcher reads them (see segment/layout.h).
 */
#ifndef RS_SEGMENT_ADAPTERS_H
#define RS_SEGMENT_ADAPTERS_H

#include "segment/layout.h"

/* Return the name of an adapter (enum rs_adapter) as users write it, a constant string. Return NULL
 * if the adapter is unknown. Only the launcher calls this. */
const char *rs_adapter_word(uint32_t adapter);

#define RS_ADAPTERS_OFFSET UINT64_C(0xf000)

/* Ids of the marker APIs. An id is never used again for another API. */
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
	RS_ADAPTER_COUNT_LOADED, /* processes that called the API */
	RS_ADAPTER_COUNT_REGIONS, /* distinct names, counted in each process */
	RS_ADAPTER_COUNT_IGNORED, /* calls of API functions that do not mark regions */
	RS_ADAPTER_COUNT_UNMATCHED, /* ends without a begin; they are ignored */
	/* failures to attach to the API, for example because its version is unknown */
	RS_ADAPTER_COUNT_REFUSED,
	RS_ADAPTER_COUNT_MEMORY, /* names and open ranges for which there was no memory */
	RS_ADAPTER_COUNT_CHAINED, /* tools that registered earlier; the adapter calls them too */
	RS_ADAPTER_COUNT_N = 8,
};

/* The counts of one adapter, in an array at RS_ADAPTERS_OFFSET. Processes use relaxed atomics. */
struct rs_segment_adapter {
	_Atomic uint64_t counts[RS_ADAPTER_COUNT_N];
};
static_assert(sizeof(struct rs_segment_adapter) == 64, "ABI");
static_assert(RS_ADAPTERS_OFFSET + RS_MAX_ADAPTERS * sizeof(struct rs_segment_adapter) <=
		      RS_BUCKETS_OFFSET,
	"adapters fit");

#endif
