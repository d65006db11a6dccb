/* SPDX-License-Identifier: MIT */
/*
 * Clock and counters at one moment. A group is read either with one
 * read() of its leader, or in user space from the pages that the kernel keeps of its events
 * (perf_event_open(2), struct perf_event_mmap_page).
 *
 * A page changes only while its thread is in the kernel, and every change moves its lock. So a
 * thread keeps what the pages' offsets were at its latest look, and with them the sum of
 * the locks; a marker reads the counters that the pages name now, and the locks after them: the
 * same sum says that nothing has changed in between, and nothing since that look. Otherwise a slow
 * path looks again (snapshot.c). Page and counters change only where this thread itself
 * enters the kernel, so the compiler's order of volatile accesses is all the order that is needed.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/count/count.h"

/* A counter's value as the count that its page's offset is to be added to. */
RS_INLINE uint64_t rs_snapshot_counter(uint32_t index, uint32_t shift)
{
	return (uint64_t)((int64_t)(rs_pmc(index) << shift) >> shift);
}

/* The same for an index that may be 0, and then the page's offset alone is the count. Where groups
 * take turns, what is counted of this must not depend on whose turn it is: where the processor
 * allows it, it takes the same instructions. */
RS_INLINE uint64_t rs_snapshot_counter_or_none(uint32_t index, uint32_t shift)
{
#ifdef RS_PMC_TAKES_NONE
	return rs_snapshot_counter(index, shift);
#else
	return RS_LIKELY(index) ? rs_snapshot_counter(index, shift) : 0;
#endif
}

/* The largest constant number of events. */
#define RS_FIXED_EVENTS 4

/* What has become of a snapshot. */
enum rs_snapshot {
	RS_SNAPSHOT_DONE,
	RS_SNAPSHOT_CHANGED, /* worth nothing: a page has changed */
	RS_SNAPSHOT_OFF /* the same: an event has no counter, and events are constant */
};

/* n_events that are read in user space, all that there are, and all on the PMU; values[1 +
 * event]. */
RS_INLINE enum rs_snapshot rs_snapshot_users(
	const struct rs_thread *thread, uint32_t n_events, uint64_t *values)
{
	const volatile struct perf_event_mmap_page *pages[RS_FIXED_EVENTS];
	uint64_t offsets[RS_FIXED_EVENTS];
	uint32_t shifts[RS_FIXED_EVENTS], locks = 0;
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) { /* neighbours at once */
		pages[e] = thread->user_pages[e];
		shifts[e] = thread->user_shifts[e];
		offsets[e] = thread->offsets[1 + e];
	}
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint32_t index = pages[e]->index;
		if (RS_UNLIKELY(!index))
			return RS_SNAPSHOT_OFF;
		values[1 + e] = offsets[e] + rs_snapshot_counter(index, shifts[e]);
		locks += pages[e]->lock;
	}
	return RS_LIKELY(locks == thread->sequence) ? RS_SNAPSHOT_DONE : RS_SNAPSHOT_CHANGED;
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
	return !__builtin_constant_p(n_groups) && thread->n_reads;
}

/* All events of any thread, off the PMU or on it: their state into *off. times: of groups by
 * read(). False: a page has changed. */
static inline bool rs_snapshot_any(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times, uint32_t *off)
{
	uint32_t locks = 0;
	*off = thread->lacking;
	for (uint32_t i = 0; i < thread->n_users; i++) {
		const struct rs_user_event *event = &thread->users[i];
		uint32_t index = thread->user_pages[i]->index, is_off = !index;
		uint64_t value = rs_snapshot_counter_or_none(index, thread->user_shifts[i]);
		__asm__("" : "+r"(is_off)); /* no branch */
		*off |= event->off & -is_off;
		values[event->quantity] = value + thread->offsets[event->quantity];
		locks += thread->user_pages[i]->lock;
	}
	if (RS_UNLIKELY(locks != thread->sequence))
		return false;
	if (thread->n_reads)
		*off |= rs_snapshot_read(thread, values, times);
	return true;
}

/* All events, after rs_snapshot_fence(). n_events: of the thread, as a constant where it is
 * known. */
RS_INLINE enum rs_snapshot rs_snapshot_events(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint32_t *off, uint32_t n_events)
{
	*off = 0;
	if (!n_events)
		return RS_SNAPSHOT_DONE;
	if (__builtin_constant_p(n_events))
		return rs_snapshot_users(thread, n_events, values);
	return rs_snapshot_any(thread, values, times, off) ? RS_SNAPSHOT_DONE : RS_SNAPSHOT_CHANGED;
}

/* The same whatever the pages were before, each event by itself. The state of the groups. */
RS_INLINE uint32_t rs_snapshot_slow(
	struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
{
	uint32_t off = thread->lacking, lock;
	rs_fence_counters();
	for (uint32_t i = 0; i < thread->n_users; i++) {
		const volatile struct perf_event_mmap_page *page = thread->user_pages[i];
		const struct rs_user_event *event = &thread->users[i];
		do {
			lock = page->lock;
			uint32_t index = page->index;
			uint64_t value = rs_snapshot_counter_or_none(index, thread->user_shifts[i]);
			/* with the offset of now instead of that of the latest look */
			values[event->quantity] = value + (uint64_t)page->offset;
			off |= index ? 0 : event->off;
		} while (RS_UNLIKELY(page->lock != lock));
	}
	if (RS_UNLIKELY(thread->n_reads))
		off |= rs_snapshot_read(thread, values, times);
	return off;
}

#endif
