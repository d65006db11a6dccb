/* SPDX-License-Identifier: MIT */
/* This file counts in the segment what each adapter did and what it had to ignore. */
#include "runtime/adapt/adapt.h"
#include "runtime/process/process.h"

void rs_adapter_note(uint32_t adapter, uint32_t count, uint64_t n)
{
	if (!rs_state || adapter >= RS_MAX_ADAPTERS || count >= RS_ADAPTER_COUNT_N)
		return;
	struct rs_segment_adapter *adapters = rs_at(rs_state, RS_ADAPTERS_OFFSET);
	atomic_fetch_add_explicit(&adapters[adapter].counts[count], n, memory_order_relaxed);
}
