/* SPDX-License-Identifier: MIT */
/*
 * The slow parts of snapshots: read(), and reading mapped pages again after they have changed.
 */
#include "runtime/count/snapshot.h"

/* Descriptors are checked again after the time of this many markers. */
#define CHECK_MARKERS 16

/* Return true if descriptors must be checked before read(). The program may have closed a
 * descriptor and reused its number. Then read() would take data from another file, or block. A
 * program can hardly do so within the time of a few markers. Hardware events and tracepoints count
 * the check itself, so with these every marker checks: its overhead must be the same each time. */
static bool is_check_due(struct rs_thread *thread)
{
	uint64_t now = rs_ticks(thread->clock);
	if (!thread->counters.checks_always &&
		now - thread->counters.checked < CHECK_MARKERS * thread->runtime->marker_ticks)
		return false;
	thread->counters.checked = now;
	return true;
}

uint32_t rs_snapshot_read(struct rs_thread *thread, uint64_t *values, struct rs_group_time *times)
{
	uint64_t begun = thread->usage.is_open ? rs_ticks(thread->clock) : 0;
	bool is_due = is_check_due(thread);
	const struct rs_shape *shape = thread->shape;
	/* read() returns the number of events, enabled time, running time, and values. */
	uint64_t *words = thread->room.words;
	uint32_t off = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		struct rs_thread_group *group = &thread->counters.groups[g];
		uint32_t first = shape->group_first[g], n = shape->group_events[g];
		if (group->mode != RS_GROUP_READ)
			continue;
		if (group->is_rusage) {
			rs_usage_read(thread, g, values, times);
			continue;
		}
		long bytes = -EBADF;
		if (RS_LIKELY(!is_due || rs_group_is_own(group->fd)))
			bytes = RS_SYS(read, group->fd, words, group->bytes);
		/* Check at every snapshot until the group is reopened or closed. */
		else
			thread->counters.checked = 0;
		if (RS_UNLIKELY(bytes != (long)group->bytes || words[0] != n)) {
			off |= RS_GROUP_NOT_COUNTED(g) | RS_GROUP_OFF(g);
			group->got_bytes = bytes;
			continue;
		}
		for (uint32_t i = 0; i < n; i++)
			values[1 + first + i] = words[3 + i];
		times[g].enabled_ns = words[1];
		times[g].running_ns = words[2];
		if (thread->counters.reads_hardware)
			times[g].ticks = rs_ticks(thread->clock);
	}
	if (thread->usage.is_open)
		thread->usage.in_kernel += rs_ticks(thread->clock) - begun;
	return off;
}

static uint64_t sum_of_locks(const struct rs_thread *thread)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < thread->counters.n_users; i++)
		sum += thread->users[i].page->lock;
	return sum;
}

/* Store the pages' times of the latest look in a frame. ticks is the clock at its BEGIN. */
static void keep_times(const struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks)
{
	struct rs_group_time *times = rs_frame_times(frame, thread->n_events);
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		if (thread->counters.groups[g].mode != RS_GROUP_USER)
			continue;
		times[g] = thread->counters.times[g];
		times[g].ticks = ticks;
	}
}

void rs_snapshot_keep_times(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = rs_frame_first(thread); frame && n--;
		frame = rs_frame_after(thread, frame))
		if (frame->sequence == thread->sequence)
			keep_times(thread, frame, frame->values[0]);
}

void rs_frame_set_off(struct rs_thread *thread, struct rs_frame *frame, uint32_t off)
{
	frame->off = off;
	frame->sequence = RS_SEQUENCE_NONE;
	keep_times(thread, frame, rs_ticks(thread->clock));
}

void rs_snapshot_look(struct rs_thread *thread)
{
	uint64_t locks;
	do {
		locks = sum_of_locks(thread);
		for (uint32_t i = 0; i < thread->counters.n_users; i++) {
			struct rs_user_event *event = &thread->users[i];
			event->offset = (uint64_t)event->page->offset - event->sign;
		}
		for (uint32_t g = 0; g < thread->n_groups; g++) {
			const volatile struct perf_event_mmap_page *page =
				thread->counters.pages[thread->shape->group_first[g]];
			if (thread->counters.groups[g].mode != RS_GROUP_USER)
				continue;
			thread->counters.times[g].offset_ns = page->time_offset;
			thread->counters.times[g].enabled_ns = page->time_enabled;
			thread->counters.times[g].running_ns = page->time_running;
		}
		thread->sequence = sum_of_locks(thread);
	} while (RS_UNLIKELY(thread->sequence != locks));
}

void rs_snapshot_renew(struct rs_thread *thread)
{
	if (RS_LIKELY(sum_of_locks(thread) == thread->sequence))
		return;
	rs_snapshot_keep_times(thread);
	rs_snapshot_look(thread);
}
