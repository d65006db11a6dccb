/* SPDX-License-Identifier: MIT */
/* Tests of threads that begin and end. cli/region_signals.py has signal handlers that mark. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/calls/sample.h"
#include "runtime/process/process.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

static struct fixture fixture;

static void *call_three_times(void *data)
{
	(void)data;
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_SCOPE("short");
	}
	return NULL;
}

static pthread_key_t late_key;
#define ROUNDS 4 /* Rounds of destructors: PTHREAD_DESTRUCTOR_ITERATIONS. */

static void call_late(void *round)
{
	CALL_ONCE("late");
	if ((intptr_t)round < ROUNDS)
		pthread_setspecific(late_key, (void *)((intptr_t)round + 1));
}

static void *call_in_every_destructor(void *data)
{
	pthread_setspecific(late_key, (void *)1);
	CALL_ONCE("short");
	return data;
}

static void *leave_without_destructors(void *data)
{
	CALL_ONCE("short");
	syscall(SYS_exit, 0);
	return data;
}

static void run_in_turn(uint32_t n, void *(*run)(void *))
{
	for (uint32_t i = 0; i < n; i++)
		fixture_on_thread(run, NULL);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "short"), n);
}

/* Return the threads that called "short", over all thread slots. */
static uint64_t count_threads(void)
{
	const struct rs_result *accumulator;
	uint64_t n = 0;
	for (uint32_t i = 0; (accumulator = fixture_accumulator(&fixture, "short", i)); i++)
		n += accumulator->n_threads;
	return n;
}

/* Threads without memory for their thread slot take no slot. */
Test(threads, without_memory_for_a_slot)
{
	enum { N_PER_EXTENT = RS_EXTENT_BYTES / sizeof(struct rs_slot) };
	fixture_make(&fixture, 1);
	fixture.segment.header->n_slots = N_PER_EXTENT - 1;
	fixture_attach(&fixture);
	CALL_ONCE("main");
	uint64_t window = rs_state->window_bytes;
	rs_state->window_bytes = RS_SLOTS_OFFSET + RS_EXTENT_BYTES;
	for (int i = 0; i < 4; i++) {
		if (i == 3)
			rs_state->window_bytes = window;
		fixture_on_thread(call_three_times, NULL);
		cr_assert_eq(fixture.segment.header->n_slots, N_PER_EXTENT + (i == 3));
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.diag[RS_SEGMENT_DIAG_SLOTS], 3);
	cr_assert_eq(fixture_calls(&fixture, "short"), 3);
}

/* Threads that mark in every round of destructors. No destructor runs after the last of these
 * markers, so nothing reports their end. Still there are only as many thread slots as threads alive
 * at once, plus a few that no search has found yet. Each thread counts once. */
Test(threads, that_mark_in_every_round_of_destructors)
{
	fixture_start(&fixture, 1);
	cr_assert_eq(pthread_key_create(&late_key, call_late), 0);
	run_in_turn(1000, call_in_every_destructor);
	cr_assert_eq(fixture_calls(&fixture, "late"), ROUNDS * 1000);
	cr_assert_leq(fixture.collection.n_threads, 32);
	cr_assert_eq(count_threads(), 1000);
}

Test(threads, that_mark_in_every_round_of_destructors_are_a_row_each)
{
	fixture_start_with(&fixture, 1, RS_SEGMENT_PER_THREAD, 1);
	cr_assert_eq(pthread_key_create(&late_key, call_late), 0);
	run_in_turn(50, call_in_every_destructor);
	cr_assert_eq(fixture_calls(&fixture, "late"), ROUNDS * 50);
	cr_assert_eq(fixture.collection.n_threads, 50);
	for (uint32_t i = 0; i < 50; i++)
		cr_assert_eq(fixture_accumulator(&fixture, "short", i)->n_threads, 1);
}

Test(threads, that_leave_without_a_word)
{
#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("AddressSanitizer wants to see every thread's end");
#endif
	fixture_start(&fixture, 1);
	run_in_turn(1000, leave_without_destructors);
	cr_assert_leq(fixture.collection.n_threads, 32);
	cr_assert_eq(count_threads(), 1000);
}

static struct regionstat_call handed_on;
static regionstat_ticket_ moved;

static void *start_short(void *data)
{
	handed_on = REGIONSTAT_START("short");
	return data;
}

static void *end_moved_short(void *data)
{
	regionstat_scope_end_(&moved);
	return data;
}

/* Several threads use one thread slot in turn. Only threads that called the region count: not a
 * thread that only starts a call which another stops, nor one that only ends another's call. */
Test(threads, that_called_are_counted)
{
	static struct regionstat_site_ site = {"short", 0};
	fixture_start(&fixture, 1);
	moved = regionstat_scope_begin_(&site);
	void *(*const runs[])(void *) = {
		call_three_times, start_short, end_moved_short, call_three_times};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		fixture_on_thread(runs[i], NULL);
		if (runs[i] == start_short)
			regionstat_stop(handed_on);
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.n_threads, 2);
	cr_expect_eq(fixture_diag(&fixture, "short", RS_ACCUMULATOR_DIAG_MOVED), 1);
	cr_expect_eq(fixture_calls(&fixture, "short"), 7);
	cr_expect_eq(fixture_accumulator(&fixture, "short", 0)->n_threads, 1);
	cr_expect_eq(fixture_accumulator(&fixture, "short", 1)->n_threads, 2);
}

/* The first marker and the end of a thread each take one reading of the clock longer than the
 * difference of the readings around them. Here a reading seems to take 1,000 s. */
Test(threads, set_up_includes_its_clock_readings)
{
	const uint64_t reading_ns = UINT64_C(1000000000000);
	fixture_start(&fixture, 0);
	rs_state->reading_ns = reading_ns;
	uint64_t before = rs_state->process->setup_ns;
	fixture_on_thread(call_three_times, NULL);
	cr_assert_eq((rs_state->process->setup_ns - before) / reading_ns, 2);
}

/* With one more thread, the next one that begins looks for threads that have gone
 * (thread.c). */
#define N_OTHERS 15

static pthread_barrier_t barrier;

static void *call_and_wait(void *data)
{
	CALL_ONCE("other");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return data;
}

static pthread_t others[N_OTHERS];

/* Start threads that are there until end_others(), each with a call of "other". */
static void start_others(void)
{
	pthread_barrier_init(&barrier, NULL, N_OTHERS + 1);
	for (int i = 0; i < N_OTHERS; i++)
		cr_assert_eq(pthread_create(&others[i], NULL, call_and_wait, NULL), 0);
	pthread_barrier_wait(&barrier);
}

static void end_others(void)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < N_OTHERS; i++)
		pthread_join(others[i], NULL);
}

/* A marker is given up after some others, while so many threads are there that those which are gone
 * are looked for. The thread goes on with memory of its own. */
Test(threads, a_marker_is_given_up_among_many_threads)
{
	fixture_start(&fixture, 1);
	start_others();
	CALL_ONCE("before");
	/* a marker in progress whose frame is neither above this one nor where this one is */
	const struct rs_thread *former = rs_self;
	rs_self->busy = ((uintptr_t)__builtin_frame_address(0) - (1 << 16)) & ~(uintptr_t)15;
	for (int i = 0; i < 100; i++)
		CALL_ONCE("skipped");
	cr_assert_neq(rs_self, former, "it was given up");
	for (int i = 0; i < 100; i++)
		CALL_ONCE("after");
	end_others();
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "before"), 1);
	cr_expect_eq(fixture_calls(&fixture, "after"), 100);
	cr_expect_eq(fixture_calls(&fixture, "other"), N_OTHERS);
}

/* Leave a marker in progress whose frame is `busy`, which is no stack. After some markers that are
 * skipped, it is given up: a call of "short" counts. */
static void *leave_marker(void *busy)
{
	CALL_ONCE("before");
	rs_self->busy = (uintptr_t)busy;
	for (int i = 0; i < 100; i++)
		CALL_ONCE("skipped");
	CALL_ONCE("short");
	return NULL;
}

static void *leave_same_marker(void *data)
{
	(void)data;
	return leave_marker((void *)1024);
}

/* Markers are left in the same stack frame, more often than a thread gives up markers. */
Test(threads, markers_of_one_frame_are_given_up)
{
	fixture_start(&fixture, 1);
	for (int i = 0; i < 10; i++)
		leave_same_marker(NULL);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "short"), 10);
	cr_expect_eq(rs_state->live->n_states, 2);
}

/* The same by threads one after the other. */
Test(threads, later_threads_give_up_markers_of_one_frame)
{
	fixture_start(&fixture, 1);
	run_in_turn(100, leave_same_marker);
	cr_expect_eq(count_threads(), 100);
	cr_expect_leq(rs_state->live->n_states, 3);
}

static void *leave_next_marker(void *data)
{
	static uintptr_t busy;
	(void)data;
	return leave_marker((void *)(busy += 1024));
}

/* Markers are left in different stack frames. Memory does not grow without bound. */
Test(threads, later_threads_give_up_markers_until_a_limit)
{
	const uint64_t most = 8; /* MOST_LEFT in thread.c */
	fixture_start(&fixture, 1);
	for (uint64_t i = 0; i < 2 * most; i++)
		fixture_on_thread(leave_next_marker, NULL);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "short"), most);
	cr_expect_leq(rs_state->live->n_states, most + 2);
}

/* The marker of an ended thread goes on after all, on another thread. Threads then give up no more
 * markers. */
Test(threads, a_given_up_marker_of_an_ended_thread_goes_on)
{
	fixture_start(&fixture, 1);
	for (int i = 0; i < 2; i++) {
		fixture_on_thread(leave_next_marker, NULL);
		cr_assert(rs_state->live->given_up);
		rs_state->live->given_up->busy = 0;
	}
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "short"), 1);
}

/* The states that a thread has given up stay in the parent of a forked process. */
Test(threads, a_child_has_no_states_that_were_given_up)
{
	fixture_start(&fixture, 1);
	leave_next_marker(NULL);
	cr_assert(rs_self->life.given_up);
	pid_t pid = fork();
	if (!pid) {
		CALL_ONCE("child");
		rs_thread_end(rs_self);
		_exit(rs_state->live->given_up || rs_state->live->n_attached);
	}
	fixture_wait(pid);
}

/* Begin a skipped call, and end the thread without its destructors. */
static void *vanish(void *data)
{
	for (;;) {
		REGIONSTAT_BEGIN("vanished");
		if (rs_self->busy & RS_LEAF)
			break;
		REGIONSTAT_END("vanished");
	}
	syscall(SYS_exit, 0);
	return data;
}

/* A thread has gone without notice, and its rseq area lies in memory that can no longer be read. */
Test(threads, a_thread_goes_with_its_memory)
{
#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("AddressSanitizer wants to see every thread's end");
#endif
	const size_t bytes = 1 << 20;
	pthread_t vanished;
	pthread_attr_t attr;
	fixture_start_with(&fixture, 0, RS_SEGMENT_WATCHES | RS_SEGMENT_SAMPLES, 1001);
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(stack, MAP_FAILED);
	pthread_attr_init(&attr);
	cr_assert_eq(pthread_attr_setstack(&attr, stack, bytes), 0);
	cr_assert_eq(pthread_create(&vanished, &attr, vanish, NULL), 0);
	cr_assert_eq(pthread_join(vanished, NULL), 0);
	cr_assert_eq(mprotect(stack, bytes, PROT_NONE), 0);
	start_others();
	CALL_ONCE("other");
	end_others();
	fixture_collect(&fixture);
	cr_expect_eq(fixture_diag(&fixture, "vanished", RS_ACCUMULATOR_DIAG_OPEN), 1);
	cr_expect_eq(fixture_calls(&fixture, "other"), N_OTHERS + 1);
}

/* The segment says that the slot's first accumulator lies at the very end of what is mapped. */
Test(threads, a_list_leads_to_the_end_of_the_memory)
{
	fixture_start(&fixture, 0);
	CALL_ONCE("before");
	uint64_t extent = RS_DATA_OFFSET / RS_EXTENT_BYTES;
	while (rs_memory_is_mapped(rs_state, (extent + 1) * RS_EXTENT_BYTES))
		extent++;
	cr_assert(rs_memory_is_mapped(rs_state, extent * RS_EXTENT_BYTES));
	atomic_store(&rs_self->part.slot->first_accumulator,
		(extent + 1) * RS_EXTENT_BYTES - RS_OFFSET_UNIT);
	pid_t pid = fork();
	if (!pid) {
		CALL_ONCE("after");
		_exit(0);
	}
	fixture_wait(pid);
}
