/* SPDX-License-Identifier: MIT */
/*
 * Checking that a group which was just opened and enabled does count. An event that the kernel has
 * not scheduled reads as 0, as if nothing had happened.
 *
 * Each event has its own times (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING). The kernel
 * schedules all members of a group with the leader, or none (kernel/events/core.c,
 * group_sched_in()). So if the last member has run, all members have, and one read() is enough.
 *
 * Mapped events are checked through their pages, without read(). On Arm, armpmu_event_set_period()
 * begins a count with a negative number, and armpmu_event_update() keeps it as an unsigned number
 * (drivers/perf/arm_pmu.c). So read() would move the origin of a 32-bit counter by 2^32, until the
 * kernel next schedules the event.
 */
#include "runtime/count/count.h"

/* This is longer than 10 ms, a tick of the slowest kernel clock. */
#define CLOCK_STEP_NS 20000000

struct own_times {
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* Read an event's own times. Return false if there are none: a pinned group in error state. */
static bool read_own_times(struct rs_thread *thread, int fd, struct own_times *times)
{
	/* read() returns count, enabled time and running time; for a leader, values follow. */
	uint64_t *words = thread->scratch.words;
	long bytes = RS_SYS(read, fd, words, (3 + thread->n_events) * sizeof(*words));
	if (bytes < (long)(3 * sizeof(*words)))
		return false;
	*times = (struct own_times){words[1], words[2]};
	return true;
}

/* Find an event that does not count, by its page. If the leader has not run, the group is
 * multiplexed, or it is pinned and in error state. The next snapshot finds an error state. */
static uint32_t find_idle_page(const struct rs_thread *thread, uint32_t first, uint32_t n)
{
	for (uint32_t e = first; e < first + n; e++) {
		const volatile struct perf_event_mmap_page *page = thread->counters.pages[e];
		if (page && !page->index && !page->time_running)
			return e == first ? RS_NO_EVENT : e;
	}
	return RS_NO_EVENT;
}

/* Return true if the group's events need no hardware counter. */
static bool never_waits(const struct rs_shape *shape, uint32_t group)
{
	return !(rs_group_mask(shape, group) & ~(shape->software | shape->tracepoints));
}

bool rs_group_runs(struct rs_thread *thread, uint32_t group, const struct rs_counters *counters)
{
	const volatile struct perf_event_mmap_page *page =
		counters->pages[thread->shape->group_first[group]];
	struct own_times before, after;
	int fd = counters->groups[group].fd;
	if (page)
		return page->index;
	return read_own_times(thread, fd, &before) && read_own_times(thread, fd, &after) &&
	       after.running_ns > before.running_ns;
}

static uint32_t find_first_idle(
	struct rs_thread *thread, uint32_t first, uint32_t n, const int *fds)
{
	struct own_times times;
	for (uint32_t i = 0; i + 1 < n; i++)
		if (read_own_times(thread, fds[i], &times) && times.running_ns == 0)
			return first + i;
	return first + n - 1;
}

uint32_t rs_group_find_inactive(struct rs_thread *thread, uint32_t group, const int *fds)
{
	uint32_t first = thread->shape->group_first[group];
	uint32_t n = thread->shape->group_events[group];
	struct own_times last, leader;
	if (thread->counters.pages[first])
		return find_idle_page(thread, first, n);
	for (bool again = false;; again = true) {
		if (!read_own_times(thread, fds[n - 1], &last) || last.running_ns > 0)
			return RS_NO_EVENT;
		if (!read_own_times(thread, fds[0], &leader))
			return RS_NO_EVENT;
		/* The kernel may have scheduled the group between the two reads. */
		if (leader.running_ns > 0)
			return read_own_times(thread, fds[n - 1], &last) && last.running_ns == 0
				       ? find_first_idle(thread, first, n, fds)
				       : RS_NO_EVENT;
		if (leader.enabled_ns > 0)
			return never_waits(thread->shape, group) ? first : RS_NO_EVENT;
		if (again)
			return first;
		/* It is not enabled, or the kernel's clock advances only at ticks: wait for a
		 * tick. */
		for (uint64_t begin = rs_clock_monotonic();
			rs_clock_monotonic() - begin < CLOCK_STEP_NS;)
			;
	}
}
