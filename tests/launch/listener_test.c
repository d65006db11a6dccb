/* SPDX-License-Identifier: MIT */
/* Tests of the listener's side of the protocol. The test itself plays the program. */
#include <criterion/criterion.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/listener.h"
#include "tables.h"

#define ANSWER_TIMEOUT_S 60

static struct rs_totals totals;
static struct rs_listener listener;

static void start(int64_t delay_ms)
{
	struct rs_err err;
	tables_start(0);
	rs_listener_init(&listener, &segment, delay_ms);
	cr_assert(rs_listener_start(&listener, &totals, &err), "%s", err.text);
}

static void finish(void)
{
	rs_listener_finish(&listener);
	tables_finish();
}

TestSuite(listener, .fini = finish, .timeout = 120);

static void wait_while_acknowledged_is(uint32_t value)
{
	struct timespec timeout = {.tv_sec = ANSWER_TIMEOUT_S};
	syscall(SYS_futex, &segment.header->acknowledged, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static void ring(void)
{
	struct rs_segment_header *header = segment.header;
	uint32_t request = atomic_fetch_add(&header->request, 1) + 1, answer;
	syscall(SYS_futex, &header->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while ((int32_t)((answer = header->acknowledged) - request) < 0)
		wait_while_acknowledged_is(answer);
}

static void enter(void)
{
	tables_add(&(struct rs_process){.pid = (uint32_t)getpid(), .state = RS_PROCESS_ALIVE});
}

static void pause_as(uint32_t index)
{
	atomic_fetch_add(&processes[index].pause_depth, 1);
	_Atomic uint64_t *control = &segment.header->control;
	uint64_t before = *control;
	while (!atomic_compare_exchange_weak(
		control, &before, (before | RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION))
		;
	ring();
}

static void resume_as(uint32_t index)
{
	atomic_fetch_sub(&processes[index].pause_depth, 1);
	ring();
}

static bool is_paused(void)
{
	return segment.header->control & RS_CONTROL_PAUSED;
}

Test(listener, keeps_the_pause_of_one_process_when_another_resumes)
{
	start(0);
	enter();
	enter();
	pause_as(0);
	pause_as(1);
	resume_as(0);
	cr_assert(is_paused());
	resume_as(1);
	cr_assert_not(is_paused());
}

Test(listener, starts_paused_with_a_delay_and_ends_it)
{
	start(20);
	while (is_paused())
		wait_while_acknowledged_is(0);
	cr_assert_eq(segment.header->control, RS_CONTROL_GENERATION);
}

Test(listener, a_process_pauses_beyond_the_delay)
{
	start(1);
	uint64_t begin_ns = rs_clock_point_now(RS_CLOCK_MONOTONIC).monotonic_ns;
	enter();
	pause_as(0);
	while (rs_clock_point_now(RS_CLOCK_MONOTONIC).monotonic_ns < begin_ns + 1000000)
		ring();
	ring();
	cr_assert(is_paused());
	resume_as(0);
	cr_assert_not(is_paused());
}

static void *pause_and_resume(void *context)
{
	uint32_t index = *(const uint32_t *)context;
	for (int i = 0; i < 2000; i++) {
		pause_as(index);
		cr_assert(is_paused(), "another process ended my pause");
		resume_as(index);
	}
	return NULL;
}

Test(listener, loses_no_pause_of_many, .timeout = 240)
{
	uint32_t indexes[4] = {0, 1, 2, 3};
	pthread_t threads[4];
	start(0);
	for (uint32_t i = 0; i < 4; i++)
		enter();
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, pause_and_resume, &indexes[i]), 0);
	for (uint32_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ring();
	cr_assert_not(is_paused());
}

Test(listener, stops_whatever_the_header_says)
{
	start(0);
	memset((void *)segment.header, 0xff, RS_EXTENT_BYTES);
	memset((void *)processes, 0xff, RS_EXTENT_BYTES);
	rs_listener_finish(&listener);
}

/* After the listener has stopped, it ignores requests. The tests above check that it serves them at
 * once before. */
Test(listener, leaves_everything_alone_once_stopped)
{
	start(0);
	enter();
	pause_as(0);
	rs_listener_stop(&listener);
	struct rs_segment_header *header = segment.header;
	uint32_t acknowledged = header->acknowledged;
	atomic_fetch_sub(&processes[0].pause_depth, 1);
	atomic_fetch_add(&header->request, 1);
	syscall(SYS_futex, &header->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	pthread_join(listener.thread, NULL);
	listener.started = false;
	cr_assert(is_paused());
	cr_assert_eq(header->acknowledged, acknowledged);
}
