/* SPDX-License-Identifier: MIT */
/*
 * Reading the clock and all counters at one moment. A group is read with one read() of its leader,
 * or in user space. For user space, the kernel maps a page for each event. The page says how to
 * read the event's counter (perf_event_open(2), struct perf_event_mmap_page).
 *
 * A page changes only while its own thread is in the kernel, and each change increases its lock. So
 * a thread stores the pages' offsets and the sum of their locks. A marker reads the counters that
 * the pages name, and then the locks. If the sum is the same, no page has changed. Otherwise a slow
 * path reads the pages again (snapshot.c).
 *
 * The kernel changes pages and counters only when this thread enters it. So barriers are not
 * needed: it is enough that the compiler keeps the order of volatile accesses.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/count/count.h"

/* Return the event's count for a counter value, which is a signed number of pmc_width bits. To
 * extend the sign, flip the sign bit, then subtract it. event->offset includes this subtraction. */
RS_INLINE uint64_t rs_snapshot_count_of(const struct rs_user_event *event, uint64_t counter)
{
#ifdef RS_PMC_BEYOND_WIDTH
	counter &= event->mask;
#endif
	return (counter ^ event->sign) + event->offset;
}

/* Return the count of an event whose page has the counter `index`, which is not 0. */
RS_INLINE uint64_t rs_snapshot_count(const struct rs_user_event *event, uint32_t index)
{
	return rs_snapshot_count_of(event, rs_pmc(index));
}

/* Return the count of an event whose page has the counter `index`. If index is 0, return only the
 * page's offset. If the processor permits it, both cases execute the same instructions. So the
 * overhead of multiplexed groups does not depend on which group is on the PMU. */
RS_INLINE uint64_t rs_snapshot_count_or_none(const struct rs_user_event *event, uint32_t index)
{
#ifdef RS_PMC_TAKES_NONE
	return rs_snapshot_count(event, index);
#else
	return rs_snapshot_count_of(event, RS_LIKELY(index) ? rs_pmc(index) : 0);
#endif
}

/* Markers are compiled for each constant n_events from 0 to this number. */
#define RS_FIXED_EVENTS 4

/* Read all n_events events in user space into values[1 + event]. Fill *locks with the sum of the
 * pages' locks. Return false if an event has no counter now. */
RS_INLINE bool rs_snapshot_users(
	const struct rs_thread *thread, uint32_t n_events, uint64_t *values, uint64_t *locks)
{
	uint32_t sum = 0;
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
#ifdef RS_ADDS_TO_MEMORY
		const struct rs_user_event *event = &thread->users[e];
/* A load-store processor can load the copied fields in pairs. */
#else
		const struct rs_user_event known = thread->users[e], *event = &known;
#endif
		const volatile struct perf_event_mmap_page *page = event->page;
		uint32_t index = page->index;
		if (!RS_SURE(index))
			return false;
		values[1 + e] = rs_snapshot_count(event, index);
		rs_add_to(&sum, &page->lock);
	}
	*locks = sum;
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
		values[event->counter] = rs_snapshot_count_or_none(event, index);
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
		return rs_snapshot_users(thread, n_events, values, locks);
	rs_snapshot_any(thread, values, times, off, locks);
	return true;
}

/* Read all events. If an event's page changes meanwhile, read this event again. Return the
 * RS_GROUP_* bits. */
RS_INLINE uint32_t rs_snapshot_slow(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
{
	uint32_t off = thread->counters.not_counted, lock;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		struct rs_user_event event = thread->users[i];
		const volatile struct perf_event_mmap_page *page = event.page;
		do {
			lock = page->lock;
			uint32_t index = page->index;
			/* Use the page's offset, because the thread's copy may be old. */
			event.offset = (uint64_t)page->offset - event.sign;
			values[event.counter] = rs_snapshot_count_or_none(&event, index);
			off |= index ? 0 : event.off;
		} while (RS_UNLIKELY(page->lock != lock));
	}
	if (RS_UNLIKELY(thread->counters.n_reads))
		off |= rs_snapshot_read(thread, values, times);
	return off;
}

#endif
