/* SPDX-License-Identifier: MIT */
/*
 * How long a thread's groups were enabled and on the PMU during a call. These times scale a call's
 * counts, and show whether a group counted during the whole call.
 *
 * For groups with read() the kernel returns the times. For groups that are read in user space, the
 * times follow from the page's times, but only if cap_user_time is set (perf_event_open(2)).
 * Otherwise the group counted the whole call if the page's enabled time minus its running time did
 * not change. Its times are then the call's duration.
 *
 * A pinned group of one core type is off the PMU only while the thread runs on another core type.
 * Its events are not wanted there, so its running time is used as its enabled time.
 *
 * If the thread could not open a group, or the group failed during a call, the call has no value of
 * that group. The call's time is then recorded as missed. If an asynchronous call ends on another
 * thread, only its time is known.
 */
#include "runtime/count/count.h"

/* Return the nanoseconds from the page's last update to ticks. */
static uint64_t ns_since_update(
	const volatile struct perf_event_mmap_page *page, uint64_t time_offset, uint64_t ticks)
{
	uint64_t cycles = ticks >> RS_COUNTER_SHIFT;
	if (page->cap_user_time_short) {
		/* The kernel may have updated the page after the BEGIN, so time_cycles can be later
		 * than ticks. Use the value nearest to time_cycles. */
		uint64_t mask = page->time_mask, apart = (cycles - page->time_cycles) & mask;
		cycles = page->time_cycles + apart - (apart > mask / 2 ? mask + 1 : 0);
	}
	unsigned __int128 product = (unsigned __int128)cycles * page->time_mult;
	return time_offset + (uint64_t)(product >> page->time_shift);
}

/* Each call gets 1 / MARKER_PART of a marker's time. */
#define MARKER_PART 4

/* Compute the times of a group with read(). call_ticks is the call's duration without markers.
 * Exclude the time of markers between the two reads. The kernel takes longer to read a group that
 * is on the PMU, so totals scaled by the unchanged times would be too low. Instead of the excluded
 * time, add a small constant time to each call: otherwise one call with an interrupt would outweigh
 * many short calls. */
static bool read_times(const struct rs_runtime *runtime, const struct rs_group_time *begin,
	const struct rs_group_time *end, uint64_t call_ticks, struct rs_group_time *used)
{
	uint64_t enabled = end->enabled_ns - begin->enabled_ns;
	uint64_t running = end->running_ns - begin->running_ns;
	uint64_t ticks = end->ticks - begin->ticks;
	uint64_t own = rs_ns_of(runtime, ticks - (call_ticks < ticks ? call_ticks : ticks));
	used->enabled_ns = enabled - (own < enabled ? own : enabled) +
			   rs_ns_of(runtime, runtime->marker_ticks) / MARKER_PART;
	/* This has no branch, so that every call executes the same number of instructions. */
	double part = (double)running / (double)(enabled | !enabled);
	used->running_ns = (uint64_t)((double)used->enabled_ns * part);
	return enabled == running;
}

/* A time that was computed from a later state of the page can be negative; return 0 for it. */
static uint64_t positive(uint64_t difference)
{
	return (int64_t)difference > 0 ? difference : 0;
}

/* Compute the times of a group that is read in user space. Return true if it counted during the
 * whole call. Set *asked to true if the thread may have lost the CPU: then the call's duration
 * differs from its task time. */
static bool user_times(const struct rs_thread *thread, struct rs_frame *frame, uint32_t group,
	struct rs_group_time *used, bool *asked)
{
	const volatile struct perf_event_mmap_page *page =
		thread->counters.pages[thread->shape->group_first[group]];
	bool same = rs_frame_is_current(thread, frame);
	const struct rs_group_time *end = &thread->counters.times[group];
	const struct rs_group_time *begin = same ? end
						 : &rs_frame_times(frame, thread->n_events)[group];
	uint32_t off = RS_GROUP_OFF(group);
	bool on_begin = !(frame->off & off), on_end = !(thread->snapshot.off & off);
	uint64_t enabled = end->enabled_ns, running = end->running_ns;
	bool counted = on_begin && on_end &&
		       enabled - running == begin->enabled_ns - begin->running_ns;
	if (counted && same)
		return true;
	uint64_t enabled_begin = begin->enabled_ns, running_begin = begin->running_ns;
	if (page->cap_user_time && thread->clock == RS_CLOCK_COUNTER) {
		uint64_t begin_ticks = same ? frame->values[0] : begin->ticks;
		uint64_t ns = ns_since_update(page, begin->offset_ns, begin_ticks);
		enabled_begin += ns;
		running_begin += on_begin ? ns : 0;
		ns = ns_since_update(page, end->offset_ns, thread->snapshot.values[0]);
		enabled += ns;
		running += on_end ? ns : 0;
	}
	used->enabled_ns = positive(enabled - enabled_begin);
	used->running_ns = positive(running - running_begin);
	if (used->running_ns > used->enabled_ns || counted)
		used->running_ns = used->enabled_ns;
	*asked = true;
	return counted;
}

void rs_group_times(struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked)
{
	uint32_t not_counted = frame->off | thread->snapshot.off;
	*counted = *asked = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		bool all = false, is_asked = true;
		if (not_counted & RS_GROUP_NOT_COUNTED(g)) {
			*asked |= 1u << g;
			continue;
		}
		if (thread->counters.groups[g].mode == RS_GROUP_READ) {
			all = read_times(thread->runtime,
				&rs_frame_times(frame, thread->n_events)[g],
				&thread->snapshot.times[g], ticks, &used[g]);
		} else if (thread->counters.groups[g].mode == RS_GROUP_USER) {
			is_asked = false;
			all = user_times(thread, frame, g, &used[g], &is_asked);
		}
		*counted |= (uint32_t)all << g;
		*asked |= (uint32_t)is_asked << g;
		if (thread->counters.groups[g].is_of_core_type &&
			thread->counters.groups[g].pinned && !all)
			used[g].enabled_ns = used[g].running_ns;
	}
}

bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_frame *frame, uint32_t group)
{
	return !thread->counters.groups[group].is_of_core_type && !(frame->flags & RS_FRAME_ASYNC);
}

uint64_t rs_groups_waited(const struct rs_thread *thread, struct rs_frame *frame)
{
	const struct rs_group_time *begin = rs_frame_times(frame, thread->n_events),
				   *end = thread->snapshot.times;
	uint64_t waited = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (thread->counters.groups[g].mode == RS_GROUP_READ)
			waited |= (end[g].enabled_ns - begin[g].enabled_ns) ^
				  (end[g].running_ns - begin[g].running_ns);
	return waited;
}

uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_frame *frame)
{
	const struct rs_group_time *begin = rs_frame_times(frame, thread->n_events);
	uint32_t waiting = 0;
	if (!thread->counters.reads_hardware || !rs_frame_is_measured(frame))
		return 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (thread->counters.groups[g].mode == RS_GROUP_READ)
			waiting |= RS_GROUP_OFF(g) *
				   (thread->snapshot.times[g].running_ns == begin[g].running_ns);
	return waiting;
}
