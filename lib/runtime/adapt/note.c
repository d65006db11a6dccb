/* SPDX-License-Identifier: MIT */
/* Count what adapters have met, in the segment. */
#include "runtime/adapt/adapt.h"
#include "runtime/process/process.h"

/* Read both clocks once, as early as an adapter is called: the length of a tick follows from a
 * second reading. */
static void take_point(struct rs_runtime *runtime)
{
	uint64_t ns = rs_clock_monotonic(), none = 0;
	if (!atomic_compare_exchange_strong_explicit(
		    &runtime->point_ns, &none, ns, memory_order_relaxed, memory_order_relaxed))
		return;
	/* pairs with the acquire load in read.c */
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
