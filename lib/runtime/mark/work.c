/* SPDX-License-Identifier: MIT */
/*
 * WORK: bytes and operations that an open call has done. In come the numbers; they are added up in
 * the call's entry, whose END leaves the fast path from then on. So a program without WORK has no cost of it.
 * A call with nothing else to it ends here as on the fast path (path.h), only later.
 */
#include "runtime/mark/work.h"

#include "runtime/calls/work.h"
#include "runtime/mark/path.h"

/* ---- END ---- */

/* n_events: of the thread, or 0 as a constant where it has none. */
RS_INLINE bool end_told(struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events)
{
	uint64_t fixed[1], *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	bool samples = thread->runtime->samples, has_nested = entry->direct;
	struct rs_thread_region *region = entry->region;
	if (RS_UNLIKELY(thread->runtime->by_work))
		region = rs_work_region(thread, entry);
	rs_work_record(thread, region, entry);
	if (!rs_record(thread, region, entry, region->cell, thread->now, false, has_nested, deltas,
		    n_events, samples)) {
		/* it may be no call after all, where another thread pauses counting just now */
		rs_work_repair(thread, region);
		return false;
	}
	rs_entry_close(thread, entry, entry->region, entry->region->cell);
	entry->apart = 0;
	hand_over(thread, entry, entry->region, deltas, false, has_nested, n_events, samples);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_entry_charge(thread, entry->below, m, thread->cost->work[m]);
	rs_leave(thread);
	return true;
}

bool rs_work_end(struct rs_thread *thread, struct rs_entry *entry)
{
	uint32_t n_events = thread->n_events;
	if (thread->n_reads || rs_record_differs(thread, entry, thread->now_off, thread->n_groups))
		return false;
	return n_events ? end_told(thread, entry, n_events) : end_told(thread, entry, 0);
}

/* ---- the markers ---- */

/* Of the asynchronous calls of a region that the thread started, and that nobody has stopped, the
 * latest. */
static struct rs_entry *find_async(struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_entry *ring = thread->async;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = ring->below; entry != ring && n--; entry = entry->below)
		if (entry->region == region &&
			atomic_load_explicit(&entry->unstopped, memory_order_relaxed))
			return entry;
	return NULL;
}

/* Not of a region that is known to be open. What is looked up here, and memory that is touched for
 * the first time, is charged to nobody. */
static void add_slowly(struct rs_thread *thread, struct regionstat_site_ *site, const char *name,
	uint64_t bytes, uint64_t flops)
{
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site, name);
	struct rs_entry *entry = region ? region->innermost : NULL;
	if (region && !entry)
		entry = find_async(thread, region);
	if (entry)
		rs_entry_work_add(thread, entry, bytes, flops);
	else if (region && !(rs_control(thread) & RS_CONTROL_PAUSED))
		rs_work_count_unmatched(thread, region);
	rs_slow_end(thread, region ? region->cell : NULL, thread->cost->inside, NULL);
}

void rs_work_site(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops)
{
	uintptr_t stack = RS_STACK;
	if (rs_site_is_left_out(site))
		return;
	struct rs_thread *thread = rs_enter(rs_self, stack);
	if (RS_UNLIKELY(!thread) &&
		(rs_site_find_left_out(site) || !(thread = rs_enter_slowly(stack))))
		return;
	struct rs_entry *entry = rs_site_region(thread, site)->innermost;
	if (RS_LIKELY(entry))
		rs_entry_work_add(thread, entry, bytes, flops);
	else
		add_slowly(thread, site, NULL, bytes, flops);
	rs_leave(thread);
}

void rs_work_name(const char *name, uint64_t bytes, uint64_t flops)
{
	struct rs_thread *thread;
	if (rs_name_is_left_out(name) || !(thread = rs_enter_slowly(RS_STACK)))
		return;
	add_slowly(thread, NULL, name, bytes, flops);
	rs_leave(thread);
}
