/* SPDX-License-Identifier: MIT */
/*
 * Tests of skipped calls, which have no frame until another marker needs one
 * (runtime/calls/sample.h). Diagnostics count events in them as in other calls. Each test makes
 * sure that its call is skipped. Expected values are the number of calls in this file's code.
 */
#include "simulated_pmu.h"

#include <unistd.h>

#include "runtime/calls/sample.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

static struct fixture fixture;
static uint64_t n_calls; /* Calls of "call" that have ended. */

static void begin(void)
{
	REGIONSTAT_BEGIN("call");
}

static void end(void)
{
	REGIONSTAT_END("call");
	n_calls++;
}

/* Return measured and skipped calls of all threads and processes. */
static uint64_t count_ended(const char *region)
{
	const struct rs_result *accumulator;
	uint64_t n = fixture_calls(&fixture, region);
	for (uint32_t i = 0; (accumulator = fixture_accumulator(&fixture, region, i)); i++)
		n += rs_result_skipped(accumulator);
	return n;
}

static void start(void)
{
	fixture_start_hardware(&fixture, 0, 1001);
}

/* Make calls until the thread's next call would be skipped. */
static void go_on(void)
{
	const struct rs_thread_region *region;
	do {
		begin();
		end();
		region = fixture_region("call");
	} while (!rs_sample_skips(region));
}

static void begin_skipped(void)
{
	go_on();
	begin();
	cr_assert(rs_self->busy & RS_LEAF, "the call has no frame");
}

static void expect_calls(uint64_t n)
{
	fixture_collect(&fixture);
	cr_expect_eq(count_ended("call"), n, "%lu calls of %lu", count_ended("call"), n);
	for (enum rs_accumulator_diag what = 0; what < RS_ACCUMULATOR_DIAG_N; what++)
		if (what != RS_ACCUMULATOR_DIAG_CLAMPED && what != RS_ACCUMULATOR_DIAG_RECURSIVE)
			cr_expect_eq(fixture_diag(&fixture, "call", what), 0, "%d", (int)what);
}

Test(skipped, any_marker_may_be_within)
{
	struct regionstat_call call;
	start();
	for (int i = 0; i < 100; i++) {
		begin_skipped();
		CALL_ONCE("within");
		end();
		begin_skipped();
		regionstat_begin("named");
		regionstat_end("named");
		end();
		begin_skipped();
		call = REGIONSTAT_START("started");
		regionstat_stop(call);
		end();
		begin_skipped();
		REGIONSTAT_WORK("call", 8, 1);
		end();
		begin_skipped();
		REGIONSTAT_NEXT("call", "next");
		n_calls++;
		REGIONSTAT_NEXT("next", "call");
		end();
	}
	expect_calls(n_calls);
	cr_expect_eq(count_ended("within"), 100);
	cr_expect_eq(count_ended("named"), 100);
	cr_expect_eq(count_ended("started"), 100);
	cr_expect_eq(count_ended("next"), 100);
	cr_expect_eq(fixture_accumulator(&fixture, "within", 0)->n_parents, 1);
}

static void __attribute__((noinline)) recurse(int depth)
{
	REGIONSTAT_SCOPE("call");
	n_calls++;
	if (depth > 1)
		recurse(depth - 1);
	__asm__ volatile("");
}

/* Each scope ends its own call, measured or skipped. */
Test(skipped, scopes_recur)
{
	start();
	for (int i = 0; i < 500; i++)
		recurse(1 + i % 7);
	expect_calls(n_calls);
}

/* Two scopes of a region end in the order of their begins, as those of two fibers may. Each is
 * measured or skipped. */
Test(skipped, scopes_that_cross)
{
	static struct regionstat_site_ site = {"call", 0, 1};
	fixture_start_hardware(&fixture, 0, 5);
	for (int i = 0; i < 2000; i++) {
		regionstat_ticket_ first = regionstat_scope_begin_(&site);
		regionstat_ticket_ second = regionstat_scope_begin_(&site);
		regionstat_scope_end_(&first);
		regionstat_scope_end_(&second);
		n_calls += 2;
	}
	expect_calls(n_calls);
}

/* The thread loses its CPU in the call. The END first gives the call a frame. */
Test(skipped, a_call_that_sleeps)
{
	start();
	for (int i = 0; i < 20; i++) {
		begin_skipped();
		usleep(1000);
		end();
	}
	expect_calls(n_calls);
}

/* The overhead of an END by name, which looks the name up, belongs to the skipped calls. */
Test(skipped, a_slow_end)
{
	start();
	begin_skipped();
	const struct rs_accumulator *accumulator = fixture_region("call")->accumulator;
	uint64_t own = accumulator->own_ticks, skipped = accumulator->skip_own_ticks;
	regionstat_end("call");
	cr_expect_eq(accumulator->own_ticks, own);
	cr_expect_gt(accumulator->skip_own_ticks, skipped);
	expect_calls(n_calls + 1);
}

static void *leave_open(void *unused)
{
	(void)unused;
	begin_skipped();
	return NULL;
}

Test(skipped, a_thread_ends_within)
{
	start();
	fixture_on_thread(leave_open, NULL);
	fixture_collect(&fixture);
	cr_expect_eq(count_ended("call"), n_calls);
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_OPEN), 1);
}

/* The call's END in the child belongs to the parent's call, and to no call of the child. */
Test(skipped, a_fork_within)
{
	start();
	for (int i = 0; i < 10; i++) {
		begin_skipped();
		pid_t pid = fork();
		if (!pid) {
			end();
			begin();
			end();
			_exit(0);
		}
		fixture_wait(pid);
		end();
	}
	expect_calls(n_calls + 10);
}

/* A child may look at its fork twice: in the C library, and in a marker. */
Test(skipped, a_fork_that_is_seen_twice)
{
	start();
	begin_skipped();
	pid_t pid = fork();
	if (!pid) {
		rs_leaf_inherit(rs_self);
		end();
		begin();
		end();
		_exit(0);
	}
	fixture_wait(pid);
	end();
	expect_calls(n_calls + 1);
}

static regionstat_ticket_ moved;

static void *end_moved(void *data)
{
	regionstat_scope_end_(&moved);
	return data;
}

/* Counted as moved, and not as lost. */
static void move_a_scope(bool has_frame)
{
	static struct regionstat_site_ site = {"call", 0, 1};
	start();
	moved = regionstat_scope_begin_(&site); /* looked up */
	regionstat_scope_end_(&moved);
	n_calls++;
	REGIONSTAT_BEGIN("around");
	go_on();
	moved = regionstat_scope_begin_(&site);
	cr_assert(rs_self->busy & RS_LEAF, "the call has no frame");
	if (has_frame)
		CALL_ONCE("within");
	fixture_on_thread(end_moved, NULL);
	REGIONSTAT_END("around");
	go_on();
	fixture_collect(&fixture);
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_MOVED), 1);
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_LOST), 0);
	/* of which reports subtract those that moved */
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_OPEN), 1);
	cr_expect_eq(count_ended("call"), n_calls);
}

Test(skipped, a_scope_that_ends_on_another_thread)
{
	move_a_scope(false);
}

Test(skipped, a_scope_with_a_frame_that_ends_on_another_thread)
{
	move_a_scope(true);
}

/* A call without END. The next marker detects this. */
Test(skipped, a_call_that_is_left)
{
	start();
	REGIONSTAT_BEGIN("around");
	begin_skipped();
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_expect_eq(count_ended("call"), n_calls);
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_LOST), 1);
	cr_expect_eq(count_ended("around"), 1);
}

/* The markers of a measured call take `pair` ticks. A skipped call takes 10 ticks if it is long,
 * else 1,000. */
static void set_costs(uint64_t pair)
{
	struct rs_cost *cost = &rs_state->cost[rs_way_of(rs_self)];
	cost->skip[0] = 1000;
	cost->skip_long[0] = 10;
	cost->pair[0] = pair;
}

#define SHORT (UINT64_C(1) << 50) /* All calls are shorter. */

/* Make calls of at least 10,000 ticks. */
static void make_calls(void)
{
	for (int i = 0; i < 200; i++) {
		uint64_t from = rs_ticks(rs_self->clock);
		begin();
		while (rs_ticks(rs_self->clock) - from < 10000)
			;
		end();
	}
}

/* Return the overhead of one skipped call for its region. */
static uint64_t skip_ticks(void)
{
	return fixture_region("call")->accumulator->skip_ticks;
}

/* Each skipped call is charged so many ticks in the innermost call. */
static void expect_charged(uint64_t ticks)
{
	struct rs_frame *around = rs_self->innermost;
	uint32_t n_events = rs_self->n_events;
	uint64_t others = rs_frame_vector(around, RS_VECTOR_CHARGED, n_events)[0];
	uint64_t charged = rs_frame_charged(rs_self, around, 0, n_events, true);
	cr_expect_gt(around->skips, 0);
	cr_expect_eq(charged - others, around->skips * ticks);
}

static void expect_overhead(uint64_t pair, uint64_t ticks)
{
	REGIONSTAT_BEGIN("around");
	set_costs(pair);
	make_calls();
	expect_charged(ticks);
	cr_expect_eq(skip_ticks(), ticks);
	REGIONSTAT_END("around");
}

Test(skipped, a_long_call_has_the_overhead_around_work)
{
	start();
	expect_overhead(1000, 10);
}

Test(skipped, a_short_call_has_the_mean_overhead)
{
	start();
	expect_overhead(SHORT, 1000);
}

Test(skipped, a_short_call_has_the_mean_overhead_with_an_event)
{
	simulated_pmu_start_sampled(&fixture, 1, 1001);
	expect_overhead(SHORT, 1000);
}

/* A region calls short ones after their weights were chosen in another region. */
Test(skipped, a_short_call_has_the_same_overhead_in_all_regions)
{
	start();
	expect_overhead(SHORT, 1000);
	REGIONSTAT_BEGIN("later");
	make_calls();
	expect_charged(1000);
	REGIONSTAT_END("later");
}

/* STOPs have subtracted this overhead from their own. */
Test(skipped, overhead_stays_the_same)
{
	start();
	expect_overhead(1000, 10);
	set_costs(SHORT);
	struct rs_thread_region *region = fixture_region("call");
	region->n_until_choice = 1;
	for (uint32_t i = 0; i < 4 * 1001; i++) {
		begin();
		end();
	}
	cr_expect_neq(region->n_until_choice, 1);
	cr_expect_eq(skip_ticks(), 10);
}

/* The thread loses its CPU in all calls, so their time is unknown. */
Test(skipped, calls_that_block_are_long)
{
	fixture_start_with(&fixture, 0, RS_SEGMENT_SAMPLES | RS_SEGMENT_WATCHES, 1001);
	REGIONSTAT_BEGIN("around");
	if (!rs_switches_are_watched(rs_self))
		cr_skip_test("no rseq");
	set_costs(SHORT);
	for (int i = 0; i < 200; i++) {
		begin();
		usleep(1);
		end();
	}
	cr_expect_eq(skip_ticks(), 10);
	cr_expect(!rs_self->frames.has_short);
	REGIONSTAT_END("around");
}
