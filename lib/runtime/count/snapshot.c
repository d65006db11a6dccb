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
	uint64_t *words = thread->scratch.words;
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

void rs_snapshot_settle(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = rs_frame_first(thread); frame && n--;
		frame = rs_frame_after(thread, frame)) {
		if (!rs_frame_is_current(thread, frame))
			continue;
		keep_times(thread, frame, frame->values[0]);
		for (uint32_t i = 0; i < thread->counters.n_users; i++) {
			uint64_t *value = &frame->values[thread->users[i].counter];
			*value = rs_snapshot_whole(&thread->users[i], *value);
		}
	}
}

void rs_snapshot_complete(struct rs_thread *thread)
{
	uint64_t changed = 0;
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		uint64_t *value = &thread->snapshot.values[thread->users[i].counter];
		uint64_t whole = rs_snapshot_whole(&thread->users[i], *value);
		changed |= whole ^ *value;
		*value = whole;
	}
	if (RS_UNLIKELY(changed))
		rs_snapshot_settle(thread);
}

/* Subtract `less` of all events from the values of a snapshot. */
static void move(const struct rs_thread *thread, uint64_t *values)
{
	for (uint32_t i = 0; i < thread->counters.n_users; i++)
		values[thread->users[i].counter] -= thread->users[i].less;
}

/* Move all snapshots that may still be used, because the pages' offsets have changed. */
static void move_all(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = rs_frame_first(thread); frame && n--;
		frame = rs_frame_after(thread, frame))
		move(thread, frame->values);
	move(thread, thread->snapshot.values);
	move(thread, thread->scratch.target);
}

void rs_frame_set_off(struct rs_thread *thread, struct rs_frame *frame, uint32_t off)
{
	frame->off = off;
	frame->flags |= RS_FRAME_COUNTERS;
	keep_times(thread, frame, rs_ticks(thread->clock));
}

/* Block signals while snapshots are moved: if a handler jumped out, some would keep values that do
 * not fit. Return false if no call is open. */
static bool begin_move(struct rs_thread *thread, uint64_t *mask)
{
	if (!rs_frame_first(thread))
		return false;
	rs_sys_block_signals(mask);
	rs_snapshot_settle(thread);
	return true;
}

static void end_move(struct rs_thread *thread, bool is_blocked, const uint64_t *mask)
{
	move_all(thread);
	if (is_blocked)
		rs_sys_restore_signals(mask);
}

/* Read an event's page. `counter` is the value of its counter. Return true if it has one. */
static bool look_at(struct rs_thread *thread, uint32_t i, uint64_t counter)
{
	struct rs_user_event *event = &thread->users[i];
	const volatile struct perf_event_mmap_page *page = event->page;
	uint32_t index = page->index;
	thread->user_pmcs[i] = RS_PMC_OF(index);
	if (counter & event->sign)
		event->beyond = counter & ~event->mask;
	uint64_t offset = (uint64_t)page->offset - event->beyond;
	event->less += offset - event->offset;
	event->offset = offset;
	return index;
}

void rs_snapshot_look(struct rs_thread *thread)
{
	uint64_t locks, mask, *counters = thread->scratch.nowhere;
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		uint32_t index = thread->users[i].page->index;
		counters[i] = index ? rs_pmc(RS_PMC_OF(index)) : 0;
	}
	bool is_blocked = begin_move(thread, &mask);
	for (uint32_t i = 0; i < thread->counters.n_users; i++)
		thread->users[i].less = 0;
	do {
		bool has_all = thread->counters.n_users;
		locks = sum_of_locks(thread);
		for (uint32_t i = 0; i < thread->counters.n_users; i++)
			has_all &= look_at(thread, i, counters[i]);
		if (!has_all)
			thread->user_pmcs[0] = RS_PMC_NONE;
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
	end_move(thread, is_blocked, &mask);
}

void rs_snapshot_leave(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	uint64_t mask;
	bool is_blocked = begin_move(thread, &mask);
	for (uint32_t i = 0; i < thread->counters.n_users; i++) {
		thread->users[i].less = -thread->users[i].offset;
		thread->users[i].offset = thread->users[i].beyond = 0;
	}
	for (struct rs_frame *frame = rs_frame_first(thread); frame && n--;
		frame = rs_frame_after(thread, frame))
		frame->flags |= rs_frame_is_measured(frame) ? RS_FRAME_COUNTERS : 0;
	end_move(thread, is_blocked, &mask);
}

void rs_snapshot_renew(struct rs_thread *thread)
{
	if (RS_UNLIKELY(sum_of_locks(thread) != thread->sequence))
		rs_snapshot_look(thread);
}
