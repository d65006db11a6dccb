/* SPDX-License-Identifier: MIT */
/*
 * Tests of calls with work, exact to the event. A simulated PMU counts the events of each call. The
 * events of these calls, and of the regions around them, follow by arithmetic. Nearly all calls end
 * on a fast path, the others on the slow path.
 */
#include "simulated_pmu.h"

#include <criterion/parameterized.h>
#include <stdio.h>
#include <time.h>

#include "runtime/calls/switches.h"

static struct fixture fixture;

#define CALLS 100u
#define AROUND 500u
#define BYTES 8u
#define FLOPS 3u

/* The events of call i of a region, 1 to CALLS. A call can be a new maximum, a new minimum, or
 * neither. */
static uint64_t count_of(uint32_t i)
{
	return 1000 + (i % 2 ? i : CALLS - i) * 10;
}

static uint64_t sum_of_counts(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 1; i <= CALLS; i++)
		sum += count_of(i);
	return sum;
}

static const struct rs_result *accumulator(const char *region)
{
	const struct rs_result *found = fixture_accumulator(&fixture, region, 0);
	cr_assert(found, "%s", region);
	return found;
}

/* All CALLS calls of a region have work, and the events of count_of(). */
static void expect_told(const char *region, uint32_t n_events)
{
	const struct rs_result *told = accumulator(region);
	cr_expect_eq(told->calls, CALLS, "%lu calls with %u events", told->calls, n_events);
	cr_expect_eq(told->work_calls, CALLS);
	cr_expect_eq(told->work_bytes, CALLS * BYTES);
	cr_expect_eq(told->work_flops, CALLS * FLOPS);
	for (uint32_t m = 0; m <= n_events; m++)
		cr_expect_eq(
			rs_histogram_count(&told->values[rs_event_of_counter(m)].histogram), CALLS);
	for (uint32_t m = 1; m <= n_events; m++) {
		cr_expect_eq(told->values[rs_event_of_counter(m)].min, count_of(CALLS), "%lu",
			told->values[rs_event_of_counter(m)].min);
		cr_expect_eq(told->values[rs_event_of_counter(m)].max, count_of(CALLS - 1), "%lu",
			told->values[rs_event_of_counter(m)].max);
		cr_expect_eq(told->values[rs_event_of_counter(m)].total, sum_of_counts(),
			"%u of %u events", m, n_events);
		cr_expect_eq(told->values[rs_event_of_counter(m)].self, (int64_t)sum_of_counts());
	}
}

static void tell_and_end(uint32_t i)
{
	REGIONSTAT_BEGIN("told");
	simulated_pmu_count(count_of(i));
	REGIONSTAT_WORK("told", BYTES, FLOPS);
	REGIONSTAT_END("told");
}

/* Calls inside a region that has AROUND events of its own per call. */
static void call_all(void (*call)(uint32_t i))
{
	for (uint32_t i = 1; i <= CALLS; i++) {
		REGIONSTAT_BEGIN("around");
		simulated_pmu_count(AROUND);
		call(i);
		REGIONSTAT_END("around");
	}
	fixture_collect(&fixture);
}

static void expect_around(uint32_t n_events, uint64_t within)
{
	for (uint32_t m = 1; m <= n_events; m++) {
		const struct rs_value *around =
			&accumulator("around")->values[rs_event_of_counter(m)];
		cr_expect_eq(around->total, CALLS * AROUND + within, "%lu", around->total);
		cr_expect_eq(around->self, (int64_t)(CALLS * AROUND), "%ld", around->self);
	}
}

/* Markers are compiled for some constant numbers of events, and for any number. */
ParameterizedTestParameters(work, of_events)
{
	static uint32_t values[] = {1, 2, 5};
	return cr_make_param_array(uint32_t, values, sizeof(values) / sizeof(values[0]));
}

ParameterizedTest(uint32_t *n_events, work, of_events)
{
	simulated_pmu_start(&fixture, *n_events, 48, 1);
	call_all(tell_and_end);
	expect_told("told", *n_events);
	expect_around(*n_events, sum_of_counts());
}

static void tell_and_go_on(uint32_t i)
{
	REGIONSTAT_BEGIN("told");
	simulated_pmu_count(count_of(i));
	REGIONSTAT_WORK("told", BYTES, FLOPS);
	REGIONSTAT_NEXT("told", "next");
	simulated_pmu_count(count_of(i));
	REGIONSTAT_WORK("next", BYTES, FLOPS);
	REGIONSTAT_END("next");
}

Test(work, ended_by_next)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	call_all(tell_and_go_on);
	expect_told("told", 2);
	expect_told("next", 2);
	expect_around(2, 2 * sum_of_counts());
}

static void tell_by_name(uint32_t i)
{
	static char name[] = "told";
	regionstat_begin(name);
	simulated_pmu_count(count_of(i));
	regionstat_work(name, BYTES, FLOPS);
	regionstat_end(name);
}

Test(work, by_names_made_at_run_time)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	call_all(tell_by_name);
	expect_told("told", 2);
	expect_around(2, sum_of_counts());
}

/* Work is added to the inner call, and not to the call around it. */
static void tell_around_another(uint32_t i)
{
	REGIONSTAT_BEGIN("middle");
	REGIONSTAT_WORK("middle", BYTES, FLOPS);
	tell_and_end(i);
	simulated_pmu_count(AROUND);
	REGIONSTAT_END("middle");
}

Test(work, of_calls_in_each_other)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	call_all(tell_around_another);
	expect_told("told", 2);
	expect_around(2, sum_of_counts() + CALLS * AROUND);
	cr_expect_eq(accumulator("middle")->work_bytes, CALLS * BYTES);
	for (uint32_t m = 1; m <= 2; m++) {
		const struct rs_value *middle =
			&accumulator("middle")->values[rs_event_of_counter(m)];
		cr_expect_eq(middle->total, sum_of_counts() + CALLS * AROUND);
		cr_expect_eq(middle->self, (int64_t)(CALLS * AROUND));
	}
}

/* A page changes during the call, so its END takes the slow path, whatever its work. */
static void tell_and_move(uint32_t i)
{
	REGIONSTAT_BEGIN("told");
	simulated_pmu_count(count_of(i) / 2);
	simulated_pmu_move(0, 3 + i % 2, 77 * i);
	simulated_pmu_move(1, 5 + i % 2, 0);
	simulated_pmu_count(count_of(i) - count_of(i) / 2);
	REGIONSTAT_WORK("told", BYTES, FLOPS);
	REGIONSTAT_END("told");
}

Test(work, of_calls_on_the_slow_path)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	call_all(tell_and_move);
	expect_told("told", 2);
	expect_around(2, sum_of_counts());
}

/* Time and events of a measured call represent other calls. Work is exact for all calls. */
Test(work, of_calls_that_are_sampled)
{
	const uint32_t n_calls = 4008, each = 30, own = 50;
	simulated_pmu_start_sampled(&fixture, 2, 8);
	REGIONSTAT_BEGIN("parent");
	for (uint32_t i = 0; i < n_calls; i++) {
		simulated_pmu_count(own);
		REGIONSTAT_BEGIN("child");
		simulated_pmu_count(each);
		REGIONSTAT_WORK("child", BYTES, FLOPS);
		REGIONSTAT_END("child");
	}
	REGIONSTAT_END("parent");
	fixture_collect(&fixture);
	const struct rs_result *child = accumulator("child");
	cr_expect_eq(child->calls, n_calls);
	cr_expect_gt(rs_result_skipped(child), n_calls / 2);
	cr_expect_eq(child->work_calls, n_calls);
	cr_expect_eq(child->work_bytes, n_calls * BYTES);
	for (uint32_t m = 1; m <= 2; m++) {
		const struct rs_value *parent =
			&accumulator("parent")->values[rs_event_of_counter(m)];
		cr_expect_eq(child->values[rs_event_of_counter(m)].min, each);
		cr_expect_eq(child->values[rs_event_of_counter(m)].max, each);
		cr_expect_eq(parent->total, n_calls * (own + each), "%lu", parent->total);
		cr_expect_eq(parent->self,
			(int64_t)(parent->total - child->values[rs_event_of_counter(m)].total));
	}
}

#define WORKS 20u
#define REPEATS 50u

/* More different works, in two regions alternately, than a thread caches rows for. Each still gets
 * its own row. */
Test(work, with_rows_by_work)
{
	fixture_start_with(&fixture, 0, RS_SEGMENT_BY_WORK, 1);
	for (uint32_t i = 0; i < WORKS * REPEATS; i++) {
		uint64_t bytes = 64 * (1 + i % WORKS);
		REGIONSTAT_BEGIN("told");
		REGIONSTAT_WORK("told", bytes, 1);
		REGIONSTAT_NEXT("told", "next");
		REGIONSTAT_WORK("next", bytes, 1);
		if (i % 3 == 0)
			REGIONSTAT_WORK("next", 0, 1);
		REGIONSTAT_END("next");
	}
	fixture_collect(&fixture);
	uint64_t n_next = 0;
	for (uint32_t i = 1; i <= WORKS; i++) {
		char name[64];
		snprintf(name, sizeof(name), "told [%u B, 1 flop]", 64 * i);
		cr_expect_eq(accumulator(name)->measured, REPEATS, "%s: %lu", name,
			accumulator(name)->measured);
		cr_expect_eq(accumulator(name)->work_bytes, 64 * i * REPEATS);
		cr_expect_eq(accumulator(name)->work_flops, REPEATS);
		for (uint32_t flops = 1; flops <= 2; flops++) {
			snprintf(name, sizeof(name), "next [%u B, %u flop]", 64 * i, flops);
			const struct rs_result *next = fixture_accumulator(&fixture, name, 0);
			uint64_t calls = next ? next->measured : 0;
			n_next += calls;
			cr_expect_eq(next ? next->work_bytes : 0, 64 * i * calls);
			cr_expect_eq(next ? next->work_flops : 0, flops * calls);
		}
	}
	cr_expect_eq(n_next, WORKS * REPEATS, "%lu", n_next);
}

static void *stop_there(void *call)
{
	regionstat_stop(*(struct regionstat_call *)call);
	return NULL;
}

/* A call without work has none, although the call before had some in the same frame. From the
 * second round on, both begin on the fast path. */
Test(work, of_the_call_before_in_a_frame)
{
	const struct rs_result *result;
	fixture_start(&fixture, 0);
	for (uint32_t i = 0; i < CALLS; i++) {
		struct regionstat_call call = REGIONSTAT_START("told");
		REGIONSTAT_WORK("told", BYTES, FLOPS);
		regionstat_stop(call);
		call = REGIONSTAT_START("untold");
		fixture_on_thread(stop_there, &call);
	}
	fixture_collect(&fixture);
	cr_expect_eq(accumulator("told")->work_bytes, CALLS * BYTES);
	for (uint32_t i = 0; (result = fixture_accumulator(&fixture, "untold", i)); i++)
		cr_expect_eq(result->work_bytes, 0, "%lu", result->work_bytes);
}

/* Expect these calls and this work of region "told" so far, in calls with and without a context
 * switch. */
static void expect_so_far(const char *after, uint64_t n_calls, uint64_t n_worked)
{
	const struct rs_result *result;
	uint64_t calls = 0, worked = 0, bytes = 0, flops = 0;
	fixture_collect(&fixture);
	for (uint32_t i = 0; (result = fixture_accumulator(&fixture, "told", i)); i++) {
		calls += result->calls;
		worked += result->work_calls;
		bytes += result->work_bytes;
		flops += result->work_flops;
	}
	cr_expect_eq(calls, n_calls, "%lu calls after %s", calls, after);
	cr_expect_eq(worked, n_worked, "%lu calls with work after %s", worked, after);
	cr_expect_eq(bytes, n_worked * BYTES, "%lu bytes after %s", bytes, after);
	cr_expect_eq(flops, n_worked * FLOPS, "%lu flops after %s", flops, after);
}

/* These are inlined, so that all markers of a test are in one stack frame. Otherwise an END could
 * end an outer call of a recursion. */
RS_INLINE void tell_once(void)
{
	REGIONSTAT_WORK("told", BYTES, FLOPS);
}

RS_INLINE void begin_and_tell(void)
{
	REGIONSTAT_BEGIN("told");
	tell_once();
}

RS_INLINE void end_told(void)
{
	REGIONSTAT_END("told");
}

/* The work of a call counts with the call, whatever other calls of the region end before. */
Test(work, counts_with_its_call)
{
	fixture_start(&fixture, 0);
	for (uint32_t i = 0; i < 4; i++) { /* the later ones are on the fast path */
		begin_and_tell();
		end_told();
	}
	expect_so_far("four calls", 4, 4);
	begin_and_tell();
	expect_so_far("a BEGIN", 4, 4);
	REGIONSTAT_BEGIN("told");
	end_told();
	expect_so_far("a recursive call without work", 5, 4);
	REGIONSTAT_WORK("told", 0, 0);
	begin_and_tell();
	end_told();
	expect_so_far("a recursive call", 6, 5);
	end_told();
	expect_so_far("the call around them", 7, 6);
	struct regionstat_call call = REGIONSTAT_START("told");
	begin_and_tell();
	regionstat_stop(call);
	expect_so_far("a STOP", 8, 6);
	end_told();
	expect_so_far("the call around the STOP", 9, 7);
	begin_and_tell();
	REGIONSTAT_BEGIN("other");
	REGIONSTAT_BEGIN("told");
	REGIONSTAT_END("other");
	expect_so_far("an END of another region", 9, 7);
	end_told();
	end_told();
	expect_so_far("a call that it passed", 11, 8);
}

static void lose_cpu(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
}

/* The END finds a context switch, or a marker before the second part of the work does. */
Test(work, of_calls_with_a_context_switch)
{
	fixture_start_with(&fixture, 0, RS_SEGMENT_WATCHES, 1);
	begin_and_tell();
	end_told();
	if (!rs_switches_are_watched(rs_self))
		cr_skip_test("no rseq");
	for (uint32_t i = 0; i < CALLS; i++) {
		REGIONSTAT_BEGIN("told");
		REGIONSTAT_WORK("told", BYTES, 1);
		if (i % 4 == 0)
			lose_cpu();
		if (i % 8 == 0)
			REGIONSTAT_END("none");
		REGIONSTAT_WORK("told", 0, FLOPS - 1);
		if (i % 4 == 1)
			lose_cpu();
		end_told();
	}
	expect_so_far("all", 1 + CALLS, 1 + CALLS);
	const struct rs_value *values = accumulator("told")->values;
	cr_expect_geq(
		values[RS_EVENT_BLOCKED].counted + values[RS_EVENT_PREEMPTED].counted, CALLS / 2);
}

/* A STOP on the fast path during a call with work. */
Test(work, of_a_call_during_a_stop)
{
	fixture_start(&fixture, 0);
	for (uint32_t i = 0; i < CALLS; i++) {
		struct regionstat_call call = REGIONSTAT_START("told");
		begin_and_tell();
		regionstat_stop(call);
		if (i % 10 == 9)
			expect_so_far("a STOP", 2 * i + 1, i);
		end_told();
	}
	expect_so_far("all", 2 * CALLS, CALLS);
}

/* The work of a call that does not count does not count either, nor in a later call. */
Test(work, of_a_call_that_a_pause_cuts)
{
	fixture_start(&fixture, 0);
	for (uint32_t i = 0; i < CALLS; i++) {
		begin_and_tell();
		end_told();
		begin_and_tell();
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		end_told();
		REGIONSTAT_BEGIN("told");
		end_told();
	}
	expect_so_far("all", 2 * CALLS, CALLS);
}

/* Sampling skips the recursive call, or the call around it. */
Test(work, of_skipped_calls_in_each_other)
{
	simulated_pmu_start_sampled(&fixture, 0, 8);
	for (uint32_t i = 0; i < 10 * CALLS; i++) {
		begin_and_tell();
		REGIONSTAT_BEGIN("told");
		end_told();
		if (i % 10 == 9)
			expect_so_far("a recursive call", 2 * i + 1, i);
		end_told();
	}
}

static __attribute__((noinline)) void begin_inner(void)
{
	REGIONSTAT_BEGIN("told");
}

/* A jump out of a recursive call has left it without its END. The WORK after it belongs to the call
 * that began in the same stack frame. */
Test(work, after_a_jump_out_of_an_inner_call)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_BEGIN("told");
		begin_inner();
		REGIONSTAT_WORK("told", BYTES, FLOPS);
		REGIONSTAT_END("told");
	}
	fixture_collect(&fixture);
	const struct rs_result *told = accumulator("told");
	cr_expect_eq(told->calls, 3);
	cr_expect_eq(told->work_calls, 3, "%lu", told->work_calls);
	cr_expect_eq(told->work_bytes, 3 * BYTES);
	cr_expect_eq(fixture_diag(&fixture, "told", RS_ACCUMULATOR_DIAG_LOST), 3);
}

static void *leave_open(void *unused)
{
	begin_and_tell();
	return unused;
}

static void *make_call(void *unused)
{
	REGIONSTAT_BEGIN("told");
	end_told();
	return unused;
}

/* The second thread takes over the results of the first. */
Test(work, of_a_call_that_never_ends)
{
	fixture_start(&fixture, 0);
	fixture_on_thread(leave_open, NULL);
	fixture_on_thread(make_call, NULL);
	expect_so_far("the second thread", 1, 0);
}
