/* SPDX-License-Identifier: MIT */
/*
 * How long a thread's groups were enabled and on the PMU during a call. A call's counts are scaled
 * by that, and it shows whether the group counted all of the call.
 *
 * By read() the kernel says. In user space the kernel says so only where its page lets times be
 * carried forward to now (cap_user_time, perf_event_open(2)). Elsewhere a call was counted when
 * the page's enabled less running did not change during it, and it lasted as long as the clock
 * says.
 *
 * A pinned group of one type of core is off the PMU only while the thread is on another. No event
 * is wanted then, so its time enabled is that on the PMU.
 *
 * A call misses a group for its whole time when the thread could not open it or it failed in the
 * call. So the totals of all threads cover all calls. An asynchronous call may end on a thread
 * that does not know the events at its beginning: then only its time is known.
 */
#include "runtime/count/count.h"

/* Nanoseconds from the page's last update to ticks; both from the same page contents. */
static uint64_t ns_since_update(
	const volatile struct perf_event_mmap_page *page, uint64_t time_offset, uint64_t ticks)
{
	uint64_t cycles = ticks;
	if (page->cap_user_time_short) {
		/* nearest to time_cycles: a BEGIN may lie before the update that its END finds */
		uint64_t mask = page->time_mask, apart = (cycles - page->time_cycles) & mask;
		cycles = page->time_cycles + apart - (apart > mask / 2 ? mask + 1 : 0);
	}
	unsigned __int128 product = (unsigned __int128)cycles * page->time_mult;
	return time_offset + (uint64_t)(product >> page->time_shift);
}

/* The part of a marker's time that each call is given. */
#define MARKER_PART 4

/*
 * By read(). It excludes what markers took between the two readings, which may be most of the
 * time. The kernel takes longer to read a group that is on the PMU, so totals scaled by the real
 * times would be too low. Each call has the same small time in its place, since an interrupt in
 * one of many short calls would otherwise weigh more than all of them. call_ticks: the call
 * without markers, on the clock.
 */
static bool read_times(const struct rs_runtime *runtime, const struct rs_group_time *begin,
	const struct rs_group_time *end, uint64_t call_ticks, struct rs_group_time *used)
{
	uint64_t enabled = end->enabled_ns - begin->enabled_ns;
	uint64_t running = end->running_ns - begin->running_ns;
	uint64_t ticks = end->ticks - begin->ticks;
	uint64_t own = rs_ns_of(runtime, ticks - (call_ticks < ticks ? call_ticks : ticks));
	used->enabled_ns = enabled - (own < enabled ? own : enabled) +
			   rs_ns_of(runtime, runtime->marker_ticks) / MARKER_PART;
	/* without a branch: each call has as many instructions as the others */
	double part = (double)running / (double)(enabled | !enabled);
	used->running_ns = (uint64_t)((double)used->enabled_ns * part);
	return enabled == running;
}

/* Carried back from a page of later a time may be below 0, too. */
static uint64_t positive(uint64_t difference)
{
	return (int64_t)difference > 0 ? difference : 0;
}

/* In user space. *asked: set where the thread may have lost the CPU, so that the call took less of
 * its time than the clock says. */
static bool user_times(const struct rs_thread *thread, struct rs_entry *entry, uint32_t group,
	struct rs_group_time *used, bool *asked)
{
	const volatile struct perf_event_mmap_page *page =
		thread->counters.pages[thread->shape->group_first[group]];
	bool same = entry->sequence == thread->sequence;
	const struct rs_group_time *end = &thread->counters.times[group];
	const struct rs_group_time *begin = same ? end : &rs_entry_times(thread, entry)[group];
	uint32_t off = RS_GROUP_OFF(group);
	bool on_begin = !(entry->off & off), on_end = !(thread->snapshot.off & off);
	uint64_t enabled = end->enabled_ns, running = end->running_ns;
	bool counted = on_begin && on_end &&
		       enabled - running == begin->enabled_ns - begin->running_ns;
	if (counted && same)
		return true;
	uint64_t enabled_begin = begin->enabled_ns, running_begin = begin->running_ns;
	if (page->cap_user_time && thread->clock == RS_CLOCK_COUNTER) {
		uint64_t begin_ticks = same ? entry->values[0] : begin->ticks;
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

void rs_group_times(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks,
	struct rs_group_time *used, uint32_t *counted, uint32_t *asked)
{
	uint32_t lacking = entry->off | thread->snapshot.off;
	*counted = *asked = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		bool all = false, is_asked = true;
		if (lacking & RS_GROUP_LACKS(g)) {
			*asked |= 1u << g;
			continue;
		}
		if (thread->counters.groups[g].mode == RS_GROUP_READ) {
			all = read_times(thread->runtime, &rs_entry_times(thread, entry)[g],
				&thread->snapshot.times[g], ticks, &used[g]);
		} else if (thread->counters.groups[g].mode == RS_GROUP_USER) {
			is_asked = false;
			all = user_times(thread, entry, g, &used[g], &is_asked);
		}
		*counted |= (uint32_t)all << g;
		*asked |= (uint32_t)is_asked << g;
		if (thread->counters.groups[g].is_of_core_type &&
			thread->counters.groups[g].pinned && !all)
			used[g].enabled_ns = used[g].running_ns;
	}
}

bool rs_group_is_missed(
	const struct rs_thread *thread, const struct rs_entry *entry, uint32_t group)
{
	return !thread->counters.groups[group].is_of_core_type && !(entry->apart & RS_APART_ASYNC);
}

uint64_t rs_groups_waited(const struct rs_thread *thread, struct rs_entry *entry)
{
	const struct rs_group_time *begin = rs_entry_times(thread, entry),
				   *end = thread->snapshot.times;
	uint64_t waited = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (thread->counters.groups[g].mode == RS_GROUP_READ)
			waited |= (end[g].enabled_ns - begin[g].enabled_ns) ^
				  (end[g].running_ns - begin[g].running_ns);
	return waited;
}

uint32_t rs_groups_waiting(struct rs_thread *thread, struct rs_entry *entry)
{
	const struct rs_group_time *begin = rs_entry_times(thread, entry);
	uint32_t waiting = 0;
	if (!thread->counters.reads_hardware || !rs_entry_is_measured(entry))
		return 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		if (thread->counters.groups[g].mode == RS_GROUP_READ)
			waiting |= RS_GROUP_OFF(g) *
				   (thread->snapshot.times[g].running_ns == begin[g].running_ns);
	return waiting;
}
