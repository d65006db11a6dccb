/* SPDX-License-Identifier: MIT */
/*
 * Reading the clock and all counters at one moment. A group is read with one read() of its leader,
 * or in user space. For user space, the kernel maps a page for each event. The page says how to
 * read the event's counter (perf_event_open(2), struct perf_event_mmap_page).
 *
 * A page changes only while its own thread is in the kernel, and each change increases its lock. So
 * a thread stores which counters the pages name, and the sum of their locks. A marker reads these
 * counters, and then the locks. If the sum is the same, no page has changed. Otherwise a slow path
 * reads the pages again (snapshot.c).
 *
 * While no page changes, the difference of two counter values is the number of events. So a
 * snapshot contains the counters' values as they are. When the pages are read again, all earlier
 * snapshots are changed by the difference of the pages' offsets.
 *
 * The kernel starts a counter at a negative number of pmc_width bits. When the counter wraps to 0,
 * an interrupt changes the page. Values that were read before the interrupt lack 2^pmc_width. Then
 * the difference of two values may be negative, which no fast path records, and slow paths complete
 * the values (rs_snapshot_whole()).
 *
 * The kernel changes pages and counters only when this thread enters it. So barriers are not
 * needed: it is enough that the compiler keeps the order of volatile accesses.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/count/count.h"

/* Return a value as the counter would have it without wrapping. For the first 2^(pmc_width - 2)
 * events after it has wrapped, the counter's two highest bits are 0. */
RS_INLINE uint64_t rs_snapshot_whole(const struct rs_user_event *event, uint64_t value)
{
	value &= event->mask;
	return value + 2 * (~(value | value << 1) & event->sign) + event->beyond;
}

/* Return the value of an event whose page has the counter `index`, or of no counter if index is 0.
 * If the processor permits it, both cases execute the same instructions. So the overhead of
 * multiplexed groups does not depend on which group is on the PMU. */
RS_INLINE uint64_t rs_snapshot_value(const struct rs_user_event *event, uint32_t index)
{
	bool has_counter = RS_PMC_TAKES_NONE || RS_LIKELY(index);
	return rs_snapshot_whole(event, has_counter ? rs_pmc(RS_PMC_OF(index)) : 0);
}

/* Markers are compiled for each constant n_events from 0 to this number. */
#define RS_FIXED_EVENTS 4

/* Read all n_events events in user space into values[1 + event]. Subtract before[1 + event], unless
 * `before` is NULL. Fill *locks with the sum of the pages' locks. Return false if an event had no
 * counter when the pages were last read. A handler may fork between two instructions, so each
 * number of a counter is loaded only before it is used (rs_interrupted_fork()). */
RS_INLINE bool rs_snapshot_users(const struct rs_thread *thread, uint32_t n_events,
	const uint64_t *before, uint64_t *values, uint64_t *locks)
{
	const volatile struct perf_event_mmap_page *pages[RS_FIXED_EVENTS];
	/* A load-store processor can load adjacent words in pairs. */
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++)
		pages[e] = thread->user_pages[e];
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint32_t pmc = *(const volatile uint32_t *)&thread->user_pmcs[e];
		if ((!e || !RS_PMC_TAKES_NONE) && !RS_SURE(pmc != RS_PMC_NONE))
			return false;
		uint64_t value = rs_pmc(pmc);
		values[1 + e] = before ? value - before[1 + e] : value;
	}
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++)
		*locks = e ? rs_add_lock(*locks, &pages[e]->lock) : pages[e]->lock;
	return true;
}

/* Before counters are read, wait until the program's instructions so far have been counted. */
RS_INLINE void rs_snapshot_fence(const struct rs_thread *thread, uint32_t n_events)
{
	if (__builtin_constant_p(n_events) ? n_events : thread->counters.n_users)
		rs_fence_counters();
}

/* Return true if this thread's markers make system calls, whose time varies. Each such marker reads
 * the clock at its start and at its end, and charges the difference as overhead. */
RS_INLINE bool rs_measures_itself(const struct rs_thread *thread, uint32_t n_groups)
{
	return !__builtin_constant_p(n_groups) && thread->counters.n_reads;
}

/* Read all events, in user space or with read(). Fill *off with the RS_GROUP_* bits, and *locks
 * with the sum of the pages' locks. Fill times for groups with read(). If a page has changed, the
 * snapshot is invalid, so read() is skipped. */
static inline void rs_snapshot_any(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint32_t *off, uint64_t *locks)
{
	uint32_t sum = 0;
	*off = thread->counters.not_counted;
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t index = event->page->index;
		values[event->counter] = rs_snapshot_value(event, index);
		/* Set the bits of event->off only if index is 0. */
		*off |= event->off & (uint32_t)(((uint64_t)index - 1) >> 32);
		sum += event->page->lock;
	}
	*locks = sum;
	if (thread->counters.n_reads && *locks == thread->sequence)
		*off |= rs_snapshot_read(thread, values, times);
}

/* Read all events; the caller has called rs_snapshot_fence(). n_events is that of the thread. Fill
 * *locks with the sum of the pages' locks. If the sum differs from thread->sequence, a page has
 * changed and the values are invalid. Return false if they are invalid because an event has no
 * counter. */
RS_INLINE bool rs_snapshot_events(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint32_t *off, uint64_t *locks, uint32_t n_events)
{
	*off = 0;
	*locks = 0;
	if (!n_events)
		return true;
	if (__builtin_constant_p(n_events))
		return rs_snapshot_users(thread, n_events, NULL, values, locks);
	rs_snapshot_any(thread, values, times, off, locks);
	return true;
}

/* Read all events. If an event's page changes meanwhile, read this event again. Return the
 * RS_GROUP_* bits. */
RS_INLINE uint32_t rs_snapshot_slow(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
{
	uint32_t off = thread->counters.not_counted, lock;
	uint64_t wrapped = 0;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		const volatile struct perf_event_mmap_page *page = event->page;
		do {
			lock = page->lock;
			uint32_t index = page->index;
			uint64_t value = rs_snapshot_value(event, index);
			wrapped |= index ? (value - event->beyond) & ~event->mask : 0;
			value += (uint64_t)page->offset - event->beyond;
			values[event->counter] = value - event->offset;
			off |= index ? 0 : event->off;
		} while (RS_UNLIKELY(page->lock != lock));
	}
	if (RS_UNLIKELY(wrapped))
		rs_snapshot_settle(thread);
	if (RS_UNLIKELY(thread->counters.n_reads))
		off |= rs_snapshot_read(thread, values, times);
	return off;
}

#endif
