/* SPDX-License-Identifier: MIT */
/* A launched program in miniature, see fixture.h. */
#include "fixture.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/calls/frame.h"
#include "runtime/thread/thread.h"

static const uint64_t software_events[] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_TASK_CLOCK};
static const uint64_t hardware_events[] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CACHE_MISSES};

/* Make a segment with n_events of one type in one group. */
static void make(struct fixture *fixture, uint32_t n_events, uint32_t type, const uint64_t *configs,
	uint32_t sample_calls)
{
	struct rs_segment_event events[5];
	struct rs_err err = {.text = ""};
	memset(events, 0, sizeof(events));
	memset(fixture, 0, sizeof(*fixture));
	for (uint32_t e = 0; e < n_events; e++) {
		struct perf_event_attr attr = {
			.type = type,
			.size = sizeof(attr),
			.config = configs[e],
			.exclude_kernel = type == PERF_TYPE_HARDWARE,
			.exclude_hv = type == PERF_TYPE_HARDWARE,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		memcpy(events[e].attr, &attr, sizeof(attr));
	}
	fixture->n_events = n_events;
	fixture->n_groups = n_events > 0;
	struct rs_segment_config config = {.clock = rs_clock_choose(),
		.n_events = n_events,
		.n_groups = fixture->n_groups,
		.events = events,
		.sample_calls = sample_calls};
	cr_assert(rs_segment_init(&fixture->segment, &config, &err), "%s", err.text);
	char text[96];
	rs_segment_env(&fixture->segment, text);
	setenv(RS_SEGMENT_ENV, text, 1);
}

void fixture_make(struct fixture *fixture, uint32_t n_events)
{
	make(fixture, n_events, PERF_TYPE_SOFTWARE, software_events, 1);
}

void fixture_attach(const struct fixture *fixture)
{
	regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
	cr_assert_not_null(regionstat_table_(), "%s", fixture->segment.header->load_error);
}

void fixture_start(struct fixture *fixture, uint32_t n_events)
{
	fixture_make(fixture, n_events);
	fixture_attach(fixture);
}

void fixture_start_hardware(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls)
{
	make(fixture, n_events, PERF_TYPE_HARDWARE, hardware_events, sample_calls);
	fixture_attach(fixture);
}

void fixture_start_with(
	struct fixture *fixture, uint32_t n_events, uint32_t flags, uint32_t sample_calls)
{
	fixture_make(fixture, n_events);
	fixture->segment.header->flags |= flags;
	fixture->segment.header->sample_calls = sample_calls;
	fixture_attach(fixture);
}

struct rs_thread_region *fixture_region(const char *name)
{
	return &rs_self->regions[rs_region_index(rs_self->runtime, name)];
}

void fixture_watch(volatile uint64_t *watched)
{
	*watched = rs_self->expected = (uintptr_t)&rs_self->section;
	rs_self->watched = watched;
	rs_frames_expect(rs_self);
}

void fixture_on_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, run, argument), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

void fixture_wait(pid_t child)
{
	int status;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child ended with %#x", status);
}

void fixture_collect(struct fixture *fixture)
{
	struct rs_err err = {.text = ""};
	rs_run_finish(&fixture->collection);
	uint64_t now = rs_clock_point_now(fixture->segment.header->clock).ticks;
	const struct rs_clock_point begin = {0}, end = {.ticks = now, .monotonic_ns = now};
	cr_assert(rs_collect(&fixture->collection, fixture->segment.fd, fixture->n_events,
			  fixture->n_groups, &begin, &end, &err),
		"%s", err.text);
	cr_assert_eq(fixture->collection.n_damaged, 0, "%s", fixture->collection.damage);
}

const struct rs_result *fixture_accumulator(
	const struct fixture *fixture, const char *region, uint32_t n)
{
	const struct rs_run *collection = &fixture->collection;
	for (size_t i = 0; i < collection->n_results; i++) {
		const struct rs_result *accumulator = &collection->results[i];
		if (!strcmp(collection->regions[accumulator->region].name, region) && !n--)
			return accumulator;
	}
	return NULL;
}

uint64_t fixture_calls(const struct fixture *fixture, const char *region)
{
	uint64_t calls = 0;
	const struct rs_result *accumulator;
	for (uint32_t n = 0; (accumulator = fixture_accumulator(fixture, region, n)); n++)
		calls += accumulator->measured;
	return calls;
}

uint64_t fixture_diag(
	const struct fixture *fixture, const char *region, enum rs_accumulator_diag what)
{
	uint64_t count = 0;
	const struct rs_result *accumulator;
	for (uint32_t n = 0; (accumulator = fixture_accumulator(fixture, region, n)); n++)
		count += accumulator->diag[what];
	return count;
}

uint64_t fixture_process_diag(const struct fixture *fixture, enum rs_process_diag what)
{
	uint64_t count = 0;
	for (size_t i = 0; i < fixture->collection.n_processes; i++)
		count += fixture->collection.processes[i].diag[what];
	return count;
}

const struct rs_value *fixture_group(
	const struct fixture *fixture, const char *region, uint32_t n, uint32_t group)
{
	const struct rs_run *collection = &fixture->collection;
	uint32_t counter = 1;
	while (counter < collection->n_events && collection->counter_group[counter] != group)
		counter++;
	return &fixture_accumulator(fixture, region, n)->values[rs_event_of_counter(counter)];
}
