/* SPDX-License-Identifier: MIT */
/* Tests of the listener's side of the protocol. The test itself plays the program. */
#include <criterion/criterion.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/listener.h"

#define ANSWER_TIMEOUT_S 60

struct fixture {
	struct rs_segment segment;
	struct rs_process *processes;
	struct rs_totals totals;
	struct rs_listener listener;
};

static void fixture_init(struct fixture *fixture, int64_t delay_ms)
{
	struct rs_err err;
	const struct rs_segment_config config = {.clock = RS_CLOCK_MONOTONIC};
	cr_assert(rs_segment_init(&fixture->segment, &config, &err), "%s", err.text);
	fixture->processes = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		fixture->segment.fd, (off_t)RS_PROCESSES_OFFSET);
	cr_assert_neq(fixture->processes, MAP_FAILED);
	fixture->totals = (struct rs_totals){0};
	cr_assert(rs_listener_init(&fixture->listener, &fixture->segment, delay_ms, &err), "%s",
		err.text);
	cr_assert(rs_listener_start(&fixture->listener, &fixture->totals, &err), "%s", err.text);
}

static void fixture_finish(struct fixture *fixture)
{
	rs_listener_finish(&fixture->listener);
	munmap(fixture->processes, RS_EXTENT_BYTES);
	rs_segment_finish(&fixture->segment);
}

static void wait_while_acknowledged_is(struct rs_segment_header *header, uint32_t value)
{
	struct timespec timeout = {.tv_sec = ANSWER_TIMEOUT_S};
	syscall(SYS_futex, &header->acknowledged, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static void ring(struct rs_segment_header *header)
{
	uint32_t request = atomic_fetch_add(&header->request, 1) + 1, answer;
	syscall(SYS_futex, &header->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while ((int32_t)((answer = header->acknowledged) - request) < 0)
		wait_while_acknowledged_is(header, answer);
}

static void enter(struct fixture *fixture, uint32_t index)
{
	fixture->processes[index].pid = (uint32_t)getpid();
	fixture->processes[index].state = RS_PROCESS_ALIVE;
	atomic_fetch_add(&fixture->segment.header->n_processes, 1);
}

static void pause_as(struct fixture *fixture, uint32_t index)
{
	atomic_fetch_add(&fixture->processes[index].pause_depth, 1);
	_Atomic uint64_t *control = &fixture->segment.header->control;
	uint64_t before = *control;
	while (!atomic_compare_exchange_weak(
		control, &before, (before | RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION))
		;
	ring(fixture->segment.header);
}

static void resume_as(struct fixture *fixture, uint32_t index)
{
	atomic_fetch_sub(&fixture->processes[index].pause_depth, 1);
	ring(fixture->segment.header);
}

static bool is_paused(const struct fixture *fixture)
{
	return fixture->segment.header->control & RS_CONTROL_PAUSED;
}

Test(listener, ends_a_pause_with_its_resume, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 0);
	enter(&fixture, 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t before = fixture.segment.header->control;
		pause_as(&fixture, 0);
		cr_assert(is_paused(&fixture));
		cr_assert_neq(fixture.segment.header->control, before);
		resume_as(&fixture, 0);
		cr_assert_not(is_paused(&fixture));
		cr_assert_gt(fixture.segment.header->control, before);
	}
	fixture_finish(&fixture);
}

Test(listener, keeps_the_pause_of_one_process_when_another_resumes, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 0);
	enter(&fixture, 0);
	enter(&fixture, 1);
	pause_as(&fixture, 0);
	pause_as(&fixture, 1);
	resume_as(&fixture, 0);
	cr_assert(is_paused(&fixture));
	resume_as(&fixture, 1);
	cr_assert_not(is_paused(&fixture));
	fixture_finish(&fixture);
}

Test(listener, counts_pauses_of_one_process, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 0);
	enter(&fixture, 0);
	pause_as(&fixture, 0);
	pause_as(&fixture, 0);
	resume_as(&fixture, 0);
	cr_assert(is_paused(&fixture));
	resume_as(&fixture, 0);
	cr_assert_not(is_paused(&fixture));
	fixture_finish(&fixture);
}

Test(listener, starts_paused_with_a_delay_and_ends_it, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 20);
	while (is_paused(&fixture))
		wait_while_acknowledged_is(fixture.segment.header, 0);
	cr_assert_eq(fixture.segment.header->control, RS_CONTROL_GENERATION);
	fixture_finish(&fixture);
}

Test(listener, a_process_pauses_beyond_the_delay, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 1);
	uint64_t begin_ns = rs_clock_point_now(RS_CLOCK_MONOTONIC).monotonic_ns;
	enter(&fixture, 0);
	pause_as(&fixture, 0);
	while (rs_clock_point_now(RS_CLOCK_MONOTONIC).monotonic_ns < begin_ns + 1000000)
		ring(fixture.segment.header);
	ring(fixture.segment.header);
	cr_assert(is_paused(&fixture));
	resume_as(&fixture, 0);
	cr_assert_not(is_paused(&fixture));
	fixture_finish(&fixture);
}

struct busy {
	struct fixture *fixture;
	uint32_t index;
};

static void *pause_and_resume(void *context)
{
	struct busy *busy = context;
	for (int i = 0; i < 2000; i++) {
		pause_as(busy->fixture, busy->index);
		cr_assert(is_paused(busy->fixture), "another process ended my pause");
		resume_as(busy->fixture, busy->index);
	}
	return NULL;
}

Test(listener, loses_no_pause_of_many, .timeout = 240)
{
	struct fixture fixture;
	struct busy busy[4];
	pthread_t threads[4];
	fixture_init(&fixture, 0);
	for (uint32_t i = 0; i < 4; i++)
		enter(&fixture, i);
	for (uint32_t i = 0; i < 4; i++) {
		busy[i] = (struct busy){&fixture, i};
		cr_assert_eq(pthread_create(&threads[i], NULL, pause_and_resume, &busy[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ring(fixture.segment.header);
	cr_assert_not(is_paused(&fixture));
	fixture_finish(&fixture);
}

Test(listener, stops_whatever_the_header_says, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 0);
	memset((void *)fixture.segment.header, 0xff, RS_EXTENT_BYTES);
	memset((void *)fixture.processes, 0xff, RS_EXTENT_BYTES);
	rs_listener_finish(&fixture.listener);
	fixture_finish(&fixture);
}

/* After the listener has stopped, it ignores requests. The tests above check that it serves them at
 * once before. */
Test(listener, leaves_everything_alone_once_stopped, .timeout = 120)
{
	struct fixture fixture;
	fixture_init(&fixture, 0);
	enter(&fixture, 0);
	pause_as(&fixture, 0);
	rs_listener_stop(&fixture.listener);
	struct rs_segment_header *header = fixture.segment.header;
	uint32_t acknowledged = header->acknowledged;
	atomic_fetch_sub(&fixture.processes[0].pause_depth, 1);
	atomic_fetch_add(&header->request, 1);
	syscall(SYS_futex, &header->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	pthread_join(fixture.listener.thread, NULL);
	fixture.listener.started = false;
	cr_assert(is_paused(&fixture));
	cr_assert_eq(header->acknowledged, acknowledged);
	fixture_finish(&fixture);
}
