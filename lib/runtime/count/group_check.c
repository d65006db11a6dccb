/* SPDX-License-Identifier: MIT */
/*
 * Whether a group just opened and enabled counts. An event that the kernel has not put to work
 * reads as 0, and looks as if nothing had happened. It gets the descriptors of its events, and
 * returns the one that does not count, if any.
 *
 * Each event keeps times of its own (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING). Members
 * are put to work together with their leader, all or none (kernel/events/core.c,
 * group_sched_in()). So when the last to join has run, all of them have, and one read() is enough.
 *
 * Where events are mapped their pages show it. They must not be read(). The page of a counter of
 * 32 bits then has another origin, 2^32 away, until the event is next put on the PMU
 * (drivers/perf/arm_pmu.c). armpmu_event_update() keeps the unsigned count that
 * armpmu_event_set_period() began as a negative number.
 */
#include "runtime/count/count.h"

/* More than a tick of the slowest kernel clock. */
#define CLOCK_STEP_NS 20000000

struct own_times {
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* False: none can be had, as of a pinned group in error, which is found where it is read. */
static bool read_own_times(struct rs_thread *thread, int fd, struct own_times *times)
{
	uint64_t *words = thread->room.words; /* a count, enabled, running; and a leader's group */
	long bytes = RS_SYS(read, fd, words, (3 + thread->n_events) * sizeof(*words));
	if (bytes < (long)(3 * sizeof(*words)))
		return false;
	*times = (struct own_times){words[1], words[2]};
	return true;
}

/* By pages, which were mapped after the group was enabled: the kernel filled them in then. A leader
 * that has not run waits for its turn, or is pinned and in error, which is found later. */
static uint32_t find_idle_page(const struct rs_thread *thread, uint32_t first, uint32_t n)
{
	for (uint32_t e = first; e < first + n; e++) {
		const volatile struct perf_event_mmap_page *page = thread->counters.pages[e];
		if (page && !page->index && !page->time_running)
			return e == first ? RS_NO_EVENT : e;
	}
	return RS_NO_EVENT;
}

/* Whether nothing can keep the group waiting: it needs no counter of a PMU. */
static bool never_waits(const struct rs_thread *thread, uint32_t group)
{
	const struct rs_segment_event *events = thread->runtime->events;
	uint32_t first = thread->shape->group_first[group];
	bool all = true;
	for (uint32_t e = first; e < first + thread->shape->group_events[group]; e++) {
		const struct perf_event_attr *attr = (const void *)events[e].attr;
		all &= attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;
	}
	return all;
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
		/* its turn may have come between the two readings */
		if (leader.running_ns > 0)
			return read_own_times(thread, fds[n - 1], &last) && last.running_ns == 0
				       ? find_first_idle(thread, first, n, fds)
				       : RS_NO_EVENT;
		if (leader.enabled_ns > 0)
			return never_waits(thread, group) ? first : RS_NO_EVENT;
		if (again)
			return first;
		/* not even enabled; or the kernel's clock is one that stands still between ticks */
		for (uint64_t begin = rs_clock_monotonic();
			rs_clock_monotonic() - begin < CLOCK_STEP_NS;)
			;
	}
}
