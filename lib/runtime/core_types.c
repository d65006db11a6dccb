/*
 * Machines whose cores are of several types: a group of one type's PMU counts the thread only while
 * it is on a core of that type, and waits elsewhere. Comes in: the CPUs that the segment names for
 * its events. Goes out: which groups wait, and are not in error.
 */
#include <string.h>

#include "runtime/runtime.h"

bool rs_core_type_is_one(const struct rs_segment_event *event)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < RS_EVENT_CPU_WORDS; i++)
		any |= event->cpus[i];
	return any;
}

/* Whether another group was on the PMU of another type of core in the latest snapshot. */
static bool was_elsewhere(
	const struct rs_thread *thread, const struct rs_segment_event *events, const uint64_t *cpus)
{
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		if (thread->groups[g].mode == RS_GROUP_USER && thread->groups[g].has_cpus &&
			!(thread->now_off & RS_GROUP_OFF(g)) &&
			memcmp(events[thread->shape->group_first[g]].cpus, cpus,
				sizeof(events->cpus)) != 0)
			return true;
	}
	return false;
}

static bool is_on(const uint64_t *cpus)
{
	unsigned cpu = 0;
	return RS_SYS(getcpu, &cpu, NULL) == 0 && cpu < 64 * RS_EVENT_CPU_WORDS &&
	       cpus[cpu / 64] >> cpu % 64 & 1;
}

bool rs_core_type_waits(const struct rs_thread *thread, uint32_t group)
{
	const struct rs_segment_event *events = rs_at(thread->runtime, RS_EVENTS_OFFSET);
	uint32_t first = thread->shape->group_first[group];
	const volatile struct perf_event_mmap_page *page = thread->pages[first];
	const uint64_t *cpus = events[first].cpus;
	if (!thread->groups[group].has_cpus)
		return false;
	/* the thread may have moved since the snapshot, and move now */
	return was_elsewhere(thread, events, cpus) || !is_on(cpus) || page->index || !is_on(cpus);
}
