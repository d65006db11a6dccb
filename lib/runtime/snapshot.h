/*
 * Clock and counters at one moment, less what markers have cost. A group is read either with one
 * read() of its leader, or in user space from the pages that the kernel keeps of its events
 * (perf_event_open(2), struct perf_event_mmap_page).
 *
 * A page changes only while its thread is in the kernel, and every change moves its lock. So a
 * thread keeps what the pages' offsets were at its latest look, in adjust[], and with it the sum of
 * the locks; a marker reads the counters that the pages name now, and the locks after them: the
 * same sum says that nothing has changed in between, and nothing since that look. Otherwise it
 * looks again (snapshot.c) and starts over. Page and counters change only where this thread itself
 * enters the kernel, so the compiler's order of volatile accesses is all the order that is needed.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/runtime.h"

/* A counter's value as the count that its page's offset is to be added to. */
RS_INLINE uint64_t rs_snapshot_counter(uint32_t index, uint32_t shift)
{
	return (uint64_t)((int64_t)(rs_pmc(index) << shift) >> shift);
}

/* The events that are read in user space, values[1 + event]; what is off the PMU into *off. False:
 * a page has changed. n_users: how many, as a constant where events and users are the same. */
RS_INLINE bool rs_snapshot_users(const struct rs_thread *thread, uint32_t n_users, bool in_order,
	uint64_t *values, uint32_t *off)
{
	uint64_t locks = 0;
#pragma GCC unroll 4
	for (uint32_t i = 0; i < n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		const volatile struct perf_event_mmap_page *page = event->page;
		uint32_t quantity = in_order ? 1 + i : event->quantity, index = page->index;
		uint64_t value = thread->adjust[quantity];
		if (RS_LIKELY(index))
			value += rs_snapshot_counter(index, event->shift);
		else
			*off |= event->off;
		values[quantity] = value;
		locks += page->lock;
	}
	return locks == thread->sequence;
}

/* All events. times: of groups by read(). n_events, n_groups: of the thread, as constants where
 * they are known. False: start over after rs_snapshot_renew(). */
RS_INLINE bool rs_snapshot_events(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint32_t *off, uint32_t n_events, uint32_t n_groups)
{
	*off = 0;
	if (!n_groups)
		return true;
	rs_fence_counters();
	if (__builtin_constant_p(n_events)) {
		bool same = rs_snapshot_users(thread, n_events, true, values, off);
		if (RS_UNLIKELY(*off) && thread->n_reads)
			*off = RS_GROUPS_BY_READ | rs_snapshot_read(thread, values, times);
		return same;
	}
	*off = thread->lacking;
	if (!rs_snapshot_users(thread, thread->n_users, false, values, off))
		return false;
	if (thread->n_reads)
		*off |= rs_snapshot_read(thread, values, times);
	return true;
}

#endif
