/* SPDX-License-Identifier: MIT */
/* Counting in the segment how often each adapter was used and what it had to ignore. */
#include "runtime/adapt/adapt.h"
#include "runtime/process/process.h"

/* Read both clocks at an adapter's first call. A later second reading then gives the length of a
 * tick. */
static void take_point(struct rs_runtime *runtime)
{
	uint64_t ns = rs_clock_monotonic(), none = 0;
	if (!atomic_compare_exchange_strong_explicit(
		    &runtime->point_ns, &none, ns, memory_order_relaxed, memory_order_relaxed))
		return;
	/* Release pairs with the acquire load in read.c: a reader that sees point_ticks also sees
	 * point_ns. */
	atomic_store_explicit(
		&runtime->point_ticks, rs_ticks_after(runtime->clock), memory_order_release);
}

void rs_adapter_note(uint32_t adapter, uint32_t count, uint64_t n)
{
	if (!rs_state || adapter >= RS_MAX_ADAPTERS || count >= RS_ADAPTER_COUNT_N)
		return;
	if (count == RS_ADAPTER_COUNT_LOADED)
		take_point(rs_state);
	struct rs_segment_adapter *adapters = rs_at(rs_state, RS_ADAPTERS_OFFSET);
	atomic_fetch_add_explicit(&adapters[adapter].counts[count], n, memory_order_relaxed);
}
