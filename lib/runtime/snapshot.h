/*
 * Clock and counters at one moment. A group is read either with one read() of its leader, or in
 * user space from the pages that the kernel keeps of its events (perf_event_open(2), struct
 * perf_event_mmap_page): all sequence locks, all counters, all sequence locks again, until nothing
 * changed in between. Page and counters change only where this thread itself enters the kernel, so
 * the compiler's order is all the order that is needed.
 *
 * A group's words in a snapshot, from shape.group_word:
 *	-1  time_offset of the leader's page	(user space, at BEGIN)
 *	 0  number of events			(read() alone)
 *	 1  time enabled, 2  time running	(read(); user space at BEGIN: as the page has them)
 *	 3  the events' values
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/runtime.h"

/* Groups by read(); their state bits. */
static inline uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *words)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t groups = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		struct rs_thread_group *group = &thread->groups[g];
		if (group->mode != RS_GROUP_READ)
			continue;
		uint64_t *at = words + shape->group_word[g];
		long bytes = RS_SYS(read, group->fd, at, group->bytes);
		if (RS_LIKELY(bytes == (long)group->bytes && at[0] == shape->group_events[g])) {
			groups |= RS_GROUPS_GOOD(g);
		} else {
			groups |= RS_GROUPS_OFF(g);
			group->got_bytes = bytes;
		}
	}
	return groups;
}

static inline uint64_t rs_snapshot_locks(const struct rs_thread *thread)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < thread->n_users; i++)
		sum += thread->users[i].page->lock;
	return sum;
}

/* The times of the user-space groups as their pages have them. */
static inline void rs_snapshot_times(const struct rs_thread *thread, uint64_t *words)
{
	for (uint32_t i = 0; i < thread->n_leaders; i++) {
		const struct rs_user_event *leader = &thread->leaders[i];
		uint64_t *values = words + leader->word;
		values[-4] = leader->page->time_offset;
		values[-2] = leader->page->time_enabled;
		values[-1] = leader->page->time_running;
	}
}

/* Groups in user space; their state bits. *sequence: the sum of all locks, the same in two
 * snapshots only if no event left the PMU or came to it in between. */
static inline uint32_t rs_snapshot_user(
	struct rs_thread *thread, uint64_t *words, bool times, uint64_t *sequence)
{
	for (;;) {
		uint32_t off = 0;
		uint64_t locks = rs_snapshot_locks(thread);
		atomic_signal_fence(memory_order_seq_cst);
		if (times)
			rs_snapshot_times(thread, words);
		for (uint32_t i = 0; i < thread->n_users; i++) {
			const struct rs_user_event *event = &thread->users[i];
			uint32_t index = event->page->index;
			uint64_t value = (uint64_t)event->page->offset;
			if (RS_LIKELY(index))
				value += (uint64_t)((int64_t)(rs_pmc(index - 1) << event->shift) >>
						    event->shift);
			else
				off |= RS_GROUPS_OFF(event->group);
			words[event->word] = value;
		}
		atomic_signal_fence(memory_order_seq_cst);
		*sequence = rs_snapshot_locks(thread);
		if (RS_LIKELY(*sequence - locks == thread->disturb))
			return thread->users_good | off;
		rs_charge_attempt(thread);
	}
}

/* Counters, then clock, of a BEGIN into its frame. */
static inline void rs_snapshot_begin(struct rs_thread *thread, struct rs_frame *frame)
{
	uint32_t groups = 0;
	if (RS_UNLIKELY(thread->n_reads))
		groups = rs_snapshot_read(thread, frame->snapshot);
	if (thread->n_users)
		groups |= rs_snapshot_user(thread, frame->snapshot, true, &frame->sequence);
	frame->groups = groups;
	frame->ticks = rs_ticks(thread->clock);
}

/* Clock, then counters, of an END into thread->now; times as well if a frame will begin here. */
static inline void rs_snapshot_end(struct rs_thread *thread, bool times)
{
	uint32_t groups = 0;
	thread->now_ticks = rs_ticks(thread->clock);
	if (thread->n_users)
		groups = rs_snapshot_user(thread, thread->now, times, &thread->now_sequence);
	if (RS_UNLIKELY(thread->n_reads))
		groups |= rs_snapshot_read(thread, thread->now);
	thread->now_groups = groups;
}

/* The latest END, for the BEGIN of a NEXT. */
static inline void rs_snapshot_share(const struct rs_thread *thread, struct rs_frame *frame)
{
	for (uint32_t i = 0; i < thread->shape->snapshot_words; i++)
		frame->snapshot[i] = thread->now[i];
	frame->groups = thread->now_groups;
	frame->sequence = thread->now_sequence;
	frame->ticks = thread->now_ticks;
}

#endif
