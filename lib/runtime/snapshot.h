/*
 * Clock and counters at one moment, less the thread's bias. A group is read either with one read()
 * of its leader, or in user space from the pages that the kernel keeps of its events
 * (perf_event_open(2), struct perf_event_mmap_page): all sequence locks, all counters, all
 * sequence locks again, until nothing changed in between. Page and counters change only where this
 * thread itself enters the kernel, so the compiler's order is all the order that is needed.
 */
#ifndef RS_RUNTIME_SNAPSHOT_H
#define RS_RUNTIME_SNAPSHOT_H

#include "runtime/runtime.h"

/* Groups by read(), values[1 + event]; their state bits. times: of every group; NULL leaves them in
 * thread->now_times. */
uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times);

RS_INLINE uint64_t rs_snapshot_locks(const struct rs_thread *thread, uint32_t n_users)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n_users; i++)
		sum += thread->users[i].page->lock;
	return sum;
}

/* The times of the user-space groups as their pages have them. */
RS_INLINE void rs_snapshot_times(const struct rs_thread *thread, struct rs_group_time *times)
{
	for (uint32_t i = 0; i < thread->n_leaders; i++) {
		const struct rs_user_event *leader = &thread->leaders[i];
		times[leader->group].offset_ns = leader->page->time_offset;
		times[leader->group].enabled_ns = leader->page->time_enabled;
		times[leader->group].running_ns = leader->page->time_running;
	}
}

/* Groups in user space, values[1 + event]; their state bits. n_users: of thread, as a constant
 * where it is known. where: what a failed attempt costs. *sequence: the sum of all locks, the same
 * in two snapshots only if no event left the PMU or came to it in between. */
RS_INLINE uint32_t rs_snapshot_user(struct rs_thread *thread, uint32_t n_users, uint64_t *values,
	struct rs_group_time *times, uint64_t *sequence, enum rs_snapshot_where where)
{
	for (;;) {
		uint32_t off = 0;
		uint64_t locks = rs_snapshot_locks(thread, n_users);
		atomic_signal_fence(memory_order_seq_cst);
		if (times)
			rs_snapshot_times(thread, times);
		for (uint32_t i = 0; i < n_users; i++) {
			const struct rs_user_event *event = &thread->users[i];
			uint32_t index = event->page->index;
			uint64_t value = (uint64_t)event->page->offset -
					 thread->bias[event->quantity];
			if (RS_LIKELY(index))
				value += (uint64_t)((int64_t)(rs_pmc(index - 1) << event->shift) >>
						    event->shift);
			else
				off |= RS_GROUPS_OFF(event->group);
			values[event->quantity] = value;
		}
		atomic_signal_fence(memory_order_seq_cst);
		uint64_t again = rs_snapshot_locks(thread, n_users);
		*sequence = again;
		if (RS_LIKELY(again - locks == thread->disturb))
			return thread->users_good | off;
		rs_slow_attempt(thread, where);
	}
}

/* All groups, without the clock. times: NULL where no call begins. n_events, n_groups: of the
 * thread, as constants where they are known. */
RS_INLINE uint32_t rs_snapshot(struct rs_thread *thread, uint64_t *values,
	struct rs_group_time *times, uint64_t *sequence, enum rs_snapshot_where where,
	uint32_t n_events, uint32_t n_groups)
{
	uint32_t groups = 0;
	*sequence = 0;
	if (n_groups == 1 && thread->n_users == n_events)
		groups = rs_snapshot_user(thread, n_events, values, times, sequence, where);
	else if (thread->n_users)
		groups = rs_snapshot_user(thread, thread->n_users, values, times, sequence, where);
	if (RS_UNLIKELY(thread->n_reads))
		groups |= rs_snapshot_read(thread, values, times);
	return groups;
}

/* Counters, then clock, of a BEGIN into its frame. */
RS_INLINE void rs_snapshot_begin(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events, uint32_t n_groups)
{
	if (n_groups) {
		struct rs_group_time *times = (void *)(frame->values + 2 * (1 + n_events));
		frame->groups = rs_snapshot(thread, frame->values, times, &frame->sequence,
			RS_SNAPSHOT_BEGIN, n_events, n_groups);
	}
	frame->values[0] = rs_ticks(thread->clock) - thread->bias[0];
}

/* Clock, then counters, of an END into thread->now; times where a frame will begin here. */
RS_INLINE void rs_snapshot_end(
	struct rs_thread *thread, struct rs_group_time *times, uint32_t n_events, uint32_t n_groups)
{
	thread->now[0] = rs_ticks(thread->clock) - thread->bias[0];
	if (n_groups)
		thread->now_groups = rs_snapshot(thread, thread->now, times, &thread->now_sequence,
			times ? RS_SNAPSHOT_NEXT : RS_SNAPSHOT_END, n_events, n_groups);
}

/* The latest END, for the BEGIN of a NEXT, whose own cost will be in the bias soon. */
RS_INLINE void rs_snapshot_share(const struct rs_thread *thread, struct rs_frame *frame,
	uint32_t n_events, uint32_t n_groups)
{
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[m] = thread->now[m] - thread->cost->next[m];
	struct rs_group_time *times = (void *)(frame->values + 2 * (1 + n_events));
	for (uint32_t g = 0; g < n_groups; g++)
		times[g] = thread->now_times[g];
	frame->groups = thread->now_groups;
	frame->sequence = thread->now_sequence;
}

#endif
