/* SPDX-License-Identifier: MIT */
/*
 * Clock and counters at one moment. A group is read either with one
 * read() of its leader, or in user space from the pages that the kernel keeps of its events
 * (perf_event_open(2), struct perf_event_mmap_page).
 *
 * A page changes only while its thread is in the kernel, and every change moves its lock. So a
 * thread keeps the pages' offsets of its latest look, and the sum of their locks. A marker reads
 * the counters that the pages name now, and the locks after them. The same sum shows that nothing
 * has changed in between or since that look. Otherwise a slow path looks again (snapshot.c). Page
 * and counters change only where this thread itself enters the kernel, so the compiler's order of
 * volatile accesses is all the order that is needed.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/count/count.h"

/* A number of so many bits with a sign: to turn that bit over and subtract it extends it. It is subtracted
 * from the offset already. */
RS_INLINE uint64_t rs_snapshot_count_of(const struct rs_user_event *event, uint64_t counter)
{
#ifdef RS_PMC_BEYOND_WIDTH
	counter &= event->mask;
#endif
	return (counter ^ event->sign) + event->offset;
}

/* The count of an event whose page names this counter. */
RS_INLINE uint64_t rs_snapshot_count(const struct rs_user_event *event, uint32_t index)
{
	return rs_snapshot_count_of(event, rs_pmc(index));
}

/* The same of an index that may be 0, and then the page's offset alone is the count. With
 * multiplexed groups, the count of this must not depend on which group is on the PMU: it takes the
 * same instructions where the processor allows it. */
RS_INLINE uint64_t rs_snapshot_count_or_none(const struct rs_user_event *event, uint32_t index)
{
#ifdef RS_PMC_TAKES_NONE
	return rs_snapshot_count(event, index);
#else
	return rs_snapshot_count_of(event, RS_LIKELY(index) ? rs_pmc(index) : 0);
#endif
}

/* The largest constant number of events. */
#define RS_FIXED_EVENTS 4

/* n_events that are read in user space, all that there are; values[1 + event]. False: one has no counter. */
RS_INLINE bool rs_snapshot_users(
	const struct rs_thread *thread, uint32_t n_events, uint64_t *values, uint64_t *locks)
{
	uint32_t sum = 0;
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
#ifdef RS_ADDS_TO_MEMORY
		const struct rs_user_event *event = &thread->users[e];
#else /* its operands have to be loaded: neighbours at once */
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

/* Before counters are read in user space: wait until what the program did so far has been counted.
 * The clock of an END is read after that, too. */
RS_INLINE void rs_snapshot_fence(const struct rs_thread *thread, uint32_t n_events)
{
	if (__builtin_constant_p(n_events) ? n_events : thread->n_users)
		rs_fence_counters();
}

/* Whether markers make system calls, which vary: then each reads the clock at its beginning and
 * end, and what it took is charged. */
RS_INLINE bool rs_measures_itself(const struct rs_thread *thread, uint32_t n_groups)
{
	return !__builtin_constant_p(n_groups) && thread->counters.n_reads;
}

/* All events of any thread, off the PMU or on it: their state into *off. times: of groups by
 * read(), unless a page has changed. */
static inline void rs_snapshot_any(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint32_t *off, uint64_t *locks)
{
	uint32_t sum = 0;
	*off = thread->counters.lacking;
	for (uint32_t i = 0; i < thread->n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t index = event->page->index, is_off = !index;
		uint64_t value = rs_snapshot_count_or_none(event, index);
		__asm__("" : "+r"(is_off)); /* no branch */
		*off |= event->off & -is_off;
		values[event->quantity] = value;
		sum += event->page->lock;
	}
	*locks = sum;
	if (thread->counters.n_reads && *locks == thread->sequence)
		*off |= rs_snapshot_read(thread, values, times);
}

/* All events, after rs_snapshot_fence(). n_events: of the thread, as a constant where it is known.
 * *locks: the sum of the pages' locks; unless it is thread->sequence, a page has changed, and the
 * values are invalid. False: the same, since events are constant and one has no counter. */
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

/* The same whatever the pages were before, each event by itself. The state of the groups. */
RS_INLINE uint32_t rs_snapshot_slow(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
{
	uint32_t off = thread->counters.lacking, lock;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->n_users; i++) {
		struct rs_user_event event = thread->users[i];
		const volatile struct perf_event_mmap_page *page = event.page;
		do {
			lock = page->lock;
			uint32_t index = page->index;
			/* with the offset of now instead of that of the latest look */
			event.offset = (uint64_t)page->offset - event.sign;
			values[event.quantity] = rs_snapshot_count_or_none(&event, index);
			off |= index ? 0 : event.off;
		} while (RS_UNLIKELY(page->lock != lock));
	}
	if (RS_UNLIKELY(thread->counters.n_reads))
		off |= rs_snapshot_read(thread, values, times);
	return off;
}

#endif
