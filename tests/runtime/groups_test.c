/* SPDX-License-Identifier: MIT */
/*
 * Tests with several groups on a thread that are read in different ways. The test fills in pages as
 * the kernel would, and compares the values of calls in each group with them.
 */
#include "fixture.h"
#include "runtime/thread/thread.h"

#include <linux/perf_event.h>
#include <pthread.h>

static struct fixture fixture;

/* One group is read in user space and is off the PMU, the other is read with read(). The times of a
 * call that NEXT begins come from its own group's page. */
Test(groups, next_with_a_group_by_read)
{
	fixture_make(&fixture, 2);
	struct rs_segment_event *events =
		(void *)((char *)fixture.segment.header + RS_EVENTS_OFFSET);
	((struct perf_event_attr *)(void *)events[0].attr)->type = PERF_TYPE_HARDWARE;
	events[1].group = 1;
	fixture.segment.header->n_groups = fixture.n_groups = 2;
	regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
	cr_assert_not_null(regionstat_table_());
	CALL_ONCE("first");
	struct rs_thread *thread = rs_self;
	struct perf_event_mmap_page *page = rs_sys_mmap(
		NULL, RS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_not_null(page);
	cr_assert_eq(thread->counters.groups[1].mode, RS_GROUP_READ);
	*page = (struct perf_event_mmap_page){.cap_user_rdpmc = 1,
		.pmc_width = 48,
		.lock = 2,
		.time_enabled = 5000000,
		.time_running = 2000000};
	thread->counters.pages[0] = page;
	thread->counters.groups[0].mode = RS_GROUP_USER;
	thread->counters.groups[0].pinned = false;
	rs_counters_list(thread);
	REGIONSTAT_BEGIN("before");
	REGIONSTAT_NEXT("before", "after");
	page->time_enabled += 3000;
	page->lock += 2;
	REGIONSTAT_END("after");
	fixture_collect(&fixture);
	const struct rs_value *group = fixture_group(&fixture, "after", 0, 0);
	cr_expect_eq(group->counted, 0);
	cr_expect_eq(group->enabled_ns, 3000, "%lu", group->enabled_ns);
	cr_expect_eq(group->running_ns, 0, "%lu", group->running_ns);
	cr_expect_eq(fixture_group(&fixture, "after", 0, 1)->counted, 1);
}

/* Open page-faults and task-clock as one group, with an enabled or disabled leader. Both are
 * software events, but belong to different PMUs of the kernel. */
static void open_two(int *fds, bool disabled)
{
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = i ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_PAGE_FAULTS,
			.disabled = !i && disabled,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING |
				       (i ? 0 : PERF_FORMAT_GROUP)};
		fds[i] = (int)RS_SYS(perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		cr_assert_geq(fds[i], 0);
	}
}

/* Return the thread of a plan with one such group. */
static struct rs_thread *thread_of_two(void)
{
	fixture_start(&fixture, 2);
	CALL_ONCE("first");
	return rs_self;
}

Test(groups, one_that_was_never_enabled_is_found)
{
	struct rs_thread *thread = thread_of_two();
	int fds[2];
	open_two(fds, true);
	cr_expect_eq(rs_group_find_inactive(thread, 0, fds), 0);
	RS_SYS(ioctl, fds[0], PERF_EVENT_IOC_ENABLE, 0);
	cr_expect_eq(rs_group_find_inactive(thread, 0, fds), RS_NO_EVENT);
}

/* Since Linux 6.12, a member that joins a running leader does not count until the thread is next
 * scheduled in. */
Test(groups, a_member_that_joined_too_late_is_found)
{
	struct rs_thread *thread = thread_of_two();
	for (int i = 0; i < 100; i++) {
		int fds[2];
		uint64_t before[3], after[3];
		open_two(fds, false);
		RS_SYS(read, fds[1], before, sizeof(before));
		uint32_t found = rs_group_find_inactive(thread, 0, fds);
		RS_SYS(read, fds[1], after, sizeof(after));
		/* The thread may be scheduled in before the check or during it. */
		if (before[2])
			cr_expect_eq(found, RS_NO_EVENT);
		else if (!after[2])
			cr_expect_eq(found, 1);
		RS_SYS(close, fds[1]);
		RS_SYS(close, fds[0]);
		if (!after[2])
			return;
	}
	cr_skip_test("this kernel lets members that join a running leader count");
}

/* The fixture's three events belong to two PMUs: page-faults, context-switches and task-clock. */
Test(groups, every_member_counts_from_the_first_instruction)
{
	fixture_start(&fixture, 3);
	CALL_ONCE("first");
	fixture_collect(&fixture);
	for (uint32_t e = 0; e < 3; e++) {
		uint64_t times[3 + 3]; /* A leader returns these in the group format. */
		cr_assert_geq(rs_self->counters.members[e], 0);
		cr_assert_geq(RS_SYS(read, rs_self->counters.members[e], times, sizeof(times)), 24);
		cr_expect_gt(times[1], 0);
		cr_expect_eq(times[1], times[2], "event %u: enabled %lu, running %lu", e, times[1],
			times[2]);
	}
	cr_assert_eq(fixture.collection.n_processes, 1);
	cr_expect_eq(fixture.collection.processes[0].diag[RS_PROCESS_DIAG_INACTIVE], 0);
	cr_expect_eq(fixture.collection.processes[0].inactive_event, RS_NO_EVENT);
}

static pthread_barrier_t step;
static struct regionstat_call started;

/* Mark while the counters of this thread are about to be opened, and afterwards. Of the two
 * threads, the one with a call to stop cannot wait for them. */
static void *mark_twice(void *stops)
{
	pthread_barrier_wait(&step);
	CALL_ONCE("waiting");
	if (stops)
		regionstat_stop(started);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	CALL_ONCE("later");
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	return NULL;
}

Test(groups, threads_without_their_prepared_counters_are_not_measured_yet)
{
	pthread_t threads[2];
	uint64_t mask;
	pthread_barrier_init(&step, NULL, 3);
	fixture_start(&fixture, 2);
	started = REGIONSTAT_START("started");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, mark_twice, i ? threads : NULL);
	rs_lock(rs_state, &mask);
	rs_threads_list(rs_state, RS_MOST_PREPARED);
	rs_unlock(rs_state, &mask);
	uint32_t n_others = rs_state->live->n_waiting - 2; /* threads of libraries */
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	cr_expect_eq(rs_state->live->n_descriptors, 2 * 2, "this thread, and the one that stops");
	rs_threads_open_counters(rs_state);
	cr_expect_eq(rs_state->live->n_descriptors, (3 + n_others) * 2);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	cr_expect_eq(rs_state->live->n_descriptors, (3 + n_others) * 2);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "waiting"), 0);
	cr_expect_eq(fixture_calls(&fixture, "started"), 1);
	cr_expect_eq(fixture_calls(&fixture, "later"), 2);
	const struct rs_value *group = fixture_group(&fixture, "later", 0, 0);
	cr_expect_eq(group->counted, fixture_accumulator(&fixture, "later", 0)->measured);
	pthread_barrier_wait(&step);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(rs_state->live->n_descriptors, (1 + n_others) * 2);
}
