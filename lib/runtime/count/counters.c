/* SPDX-License-Identifier: MIT */
/*
 * All counter groups of a thread: opening them, listing them by the way they are read, and
 * reopening one that lost its counter. A forked child forgets its parent's groups.
 */
#include <string.h>

#include "runtime/count/count.h"

/* List the events of a group that is read in user space. */
static void list_users(struct rs_thread *thread, uint32_t group)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t first = shape->group_first[group], n = shape->group_events[group];
	for (uint32_t e = first; e < first + n; e++) {
		const volatile struct perf_event_mmap_page *page = thread->counters.pages[e];
		uint64_t sign = UINT64_C(1) << (page->pmc_width - 1u) % 64;
		thread->user_pages[thread->counters.n_users] = page;
		thread->users[thread->counters.n_users++] = (struct rs_user_event){.page = page,
			.sign = sign,
			.mask = sign | (sign - 1),
			.off = RS_GROUP_OFF(group),
			.counter = 1 + e};
	}
}

/* Store if any group with read() has hardware events. Also store if events count the markers' work:
 * instructions, or with tracepoints also system calls. */
static void list_kinds(struct rs_thread *thread)
{
	const struct rs_shape *shape = thread->shape;
	struct rs_counters *counters = &thread->counters;
	counters->reads_hardware = false;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (counters->groups[g].mode == RS_GROUP_READ)
			counters->reads_hardware |= (shape->hardware & rs_group_mask(shape, g)) !=
						    0;
	counters->checks_always = counters->reads_hardware || counters->n_users ||
				  shape->tracepoints;
}

void rs_counters_list(struct rs_thread *thread)
{
	rs_snapshot_leave(thread);
	thread->counters.n_users = thread->counters.n_reads = thread->counters.not_counted = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		if (thread->counters.groups[g].mode == RS_GROUP_USER)
			list_users(thread, g);
		else if (thread->counters.groups[g].mode == RS_GROUP_READ)
			thread->counters.n_reads++;
		else
			thread->counters.not_counted |= RS_GROUP_NOT_COUNTED(g);
	}
	list_kinds(thread);
	rs_snapshot_look(thread);
}

static void forget(struct rs_thread *thread)
{
	for (uint32_t e = 0; e < thread->n_events; e++) {
		thread->counters.members[e] = -1;
		thread->counters.pages[e] = NULL;
	}
	for (uint32_t g = 0; g < thread->n_groups; g++)
		thread->counters.groups[g].mode = RS_GROUP_NONE;
}

/* Return true if the group is pinned in the event plan. */
static bool is_pinned(const struct rs_thread *thread, uint32_t group)
{
	struct perf_event_attr attr;
	uint32_t first = thread->shape->group_first[group];
	memcpy(&attr, thread->runtime->events[first].attr, sizeof(attr));
	return attr.pinned;
}

void rs_counters_open(struct rs_thread *thread)
{
	struct rs_thread *prepared = thread->life.prepared;
	bool complete = true;
	rs_counters_forget(thread);
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		complete &= (prepared && rs_group_take(thread, g, prepared)) ||
			    rs_group_open(thread, g, is_pinned(thread, g));
	}
	thread->life.prepared = NULL;
	if (!complete)
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_TIME_ONLY);
	rs_counters_list(thread);
}

bool rs_counters_prepare(struct rs_thread *prepared)
{
	forget(prepared);
	for (uint32_t g = 0; g < prepared->n_groups; g++)
		if (!rs_group_prepare(prepared, g, is_pinned(prepared, g)))
			return false;
	return true;
}

void rs_counters_close(struct rs_thread *thread)
{
	for (uint32_t g = 0; g < thread->n_groups; g++)
		rs_group_close(thread, g);
	rs_counters_list(thread);
}

/* A forked child does not inherit the pages. It inherits the descriptors, but may have reused their
 * numbers. So the descriptors stay open until the child's exec or its end. */
void rs_counters_forget(struct rs_thread *thread)
{
	forget(thread);
	rs_counters_list(thread);
}

void rs_counters_reopen(struct rs_thread *thread, uint32_t group, bool pinned)
{
	rs_group_close(thread, group);
	rs_group_open(thread, group, pinned);
	rs_counters_list(thread);
}

/* Close a pinned group that has lost its counter for ever, and open it again unpinned. */
static void reopen(struct rs_thread *thread, uint32_t group)
{
	rs_group_close(thread, group);
	rs_group_open(thread, group, false);
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_REOPENED);
}

void rs_counters_mend(struct rs_thread *thread)
{
	bool changed = false;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		struct rs_thread_group *group = &thread->counters.groups[g];
		if (!(thread->snapshot.off & RS_GROUP_OFF(g)))
			continue;
		/* A pinned group that did not fit on the PMU is in error state: its page has index
		 * 0, and read() returns end of file (perf_event_open(2), pinned). */
		bool in_error = group->pinned &&
				(group->mode == RS_GROUP_USER ||
					(group->got_bytes == 0 && rs_group_is_own(group->fd)));
		if (!in_error && group->mode == RS_GROUP_USER)
			continue; /* A multiplexed group comes back onto the PMU. */
		if (in_error)
			reopen(thread, g);
		else
			rs_group_lose(thread, g);
		changed = true;
		thread->snapshot.off |= RS_GROUP_NOT_COUNTED(g);
		uint32_t n = rs_most_steps(thread);
		for (struct rs_frame *frame = rs_frame_first(thread); frame && n--;
			frame = rs_frame_after(thread, frame))
			/* The ENDs of other calls do not use frame->off. */
			if (rs_frame_is_measured(frame))
				frame->off |= RS_GROUP_NOT_COUNTED(g);
	}
	if (changed)
		rs_counters_list(thread);
}
