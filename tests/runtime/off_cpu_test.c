/* SPDX-License-Identifier: MIT */
/*
 * On-CPU time of calls that had a context switch, where the clocks are not exact. A tick is 1 ns in
 * this fixture. Expected values follow from arithmetic.
 */
#include "fixture.h"

#include <pthread.h>

#include "../apps/clock.h"
#include "record_value.h"
#include "runtime/calls/frame.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/trace.h"
#include "runtime/process/self.h"
#include "runtime/thread/thread.h"
#include "simulated_pmu.h"

#define LEAST UINT64_C(3000) /* ticks of the shortest call without a switch */
#define US_TICKS UINT64_C(1000)

static struct fixture fixture;

/* A few calls without a switch, and one of so many ticks with this off-CPU time. */
static const struct rs_value *make_call(uint64_t ticks, uint64_t off_ticks)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("call");
	rs_self->switches.us_ticks = US_TICKS;
	for (uint64_t i = 0; i < 3; i++)
		record_value(LEAST + i * 1000);
	record_values(0, &ticks, off_ticks);
	fixture_collect(&fixture);
	return fixture_accumulator(&fixture, "call", 0)->values;
}

Test(off_cpu, that_is_more_than_the_time)
{
	const struct rs_value *values = make_call(4000000, 4000500);
	cr_expect_eq(values[RS_EVENT_CPU_TIME].min, LEAST);
	cr_expect_eq(values[RS_EVENT_BLOCKED].total, 4000000 - LEAST);
}

Test(off_cpu, that_leaves_less_than_a_switch_takes)
{
	const struct rs_value *values = make_call(4000000, 4000000 - US_TICKS + 1);
	cr_expect_eq(values[RS_EVENT_CPU_TIME].min, LEAST);
}

Test(off_cpu, that_leaves_as_much_as_a_switch_takes)
{
	const struct rs_value *values = make_call(4000000, 4000000 - US_TICKS);
	cr_expect_eq(values[RS_EVENT_CPU_TIME].min, US_TICKS);
	cr_expect_eq(values[RS_EVENT_BLOCKED].total, 4000000 - US_TICKS);
}

/* The whole call is shorter than all others. */
Test(off_cpu, of_a_short_call)
{
	const struct rs_value *values = make_call(2000, 1990);
	cr_expect_eq(values[RS_EVENT_CPU_TIME].min, 2000);
	cr_expect_eq(values[RS_EVENT_BLOCKED].total, 0);
}

/* A thread loses its CPU before the clock readings of two BEGINs, and the END of the inner call
 * finds it. What neither call contains is not the outer call's own off-CPU time either. */
Test(off_cpu, before_nested_calls_is_in_neither)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_PREEMPTED] = 1000};
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("inner");
	struct rs_thread *thread = rs_self;
	struct rs_frame *inner = thread->innermost, *outer = inner->below;
	rs_off_cpu_book(thread, inner, off);
	rs_off_cpu_end(thread, inner, 200);
	thread->innermost = outer;
	rs_off_cpu_end(thread, outer, 700);
	cr_expect_eq(rs_frame_off(thread, inner)->total[RS_OFF_PREEMPTED], 200);
	cr_expect_eq(rs_frame_off(thread, inner)->self[RS_OFF_PREEMPTED], 200);
	cr_expect_eq(rs_frame_off(thread, outer)->total[RS_OFF_PREEMPTED], 700);
	cr_expect_eq(rs_frame_off(thread, outer)->self[RS_OFF_PREEMPTED], 700 - 200);
}

/* An END loses the CPU after its clock reading, while a call is open that began within its call. */
Test(off_cpu, after_the_end_of_a_call_that_passes_another)
{
	const uint64_t early[RS_OFF_N] = {[RS_OFF_PREEMPTED] = 500},
		       late[RS_OFF_N] = {[RS_OFF_PREEMPTED] = 1000};
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("ended");
	rs_off_cpu_book(rs_self, rs_self->innermost, early);
	REGIONSTAT_BEGIN("passed");
	struct rs_frame *passed = rs_self->innermost, *ended = passed->below;
	rs_off_cpu_book(rs_self, passed, late);
	rs_self->switches.us_ticks = US_TICKS;
	rs_self->switches.is_booked = rs_self->switches.may_be_in_marker = true;
	memcpy(rs_self->switches.booked, late, sizeof(late));
	rs_self->switches.latest.ticks = rs_self->snapshot.values[0] + 3 * LEAST;
	rs_off_cpu_end(rs_self, ended, 3 * LEAST);
	cr_expect_eq(rs_frame_off(rs_self, ended)->total[RS_OFF_PREEMPTED], 500);
	cr_expect_eq(rs_frame_off(rs_self, ended)->self[RS_OFF_PREEMPTED], 500);
	cr_expect_eq(rs_frame_off(rs_self, passed)->self[RS_OFF_PREEMPTED], 1000);
}

/* A call that is dropped leaves the calls that ended within it to the call around it. */
Test(off_cpu, of_a_call_within_a_dropped_one)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_BLOCKED] = 1000};
	struct rs_off_sums sums = {.weighted = 0};
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("outer");
	REGIONSTAT_BEGIN("dropped");
	REGIONSTAT_BEGIN("inner");
	struct rs_frame *inner = rs_self->innermost, *dropped = inner->below;
	rs_off_cpu_book(rs_self, inner, off);
	rs_off_cpu_book(rs_self, dropped, off);
	rs_off_cpu_add(rs_self, inner, &sums, 3);
	rs_off_cpu_share(rs_self, dropped, dropped->below, false);
	cr_expect_eq(rs_frame_off(rs_self, dropped->below)->children, 3 * 1000);
	cr_expect_eq(rs_frame_off(rs_self, dropped->below)->self[RS_OFF_BLOCKED], 1000);
	cr_expect_eq(rs_frame_off(rs_self, dropped)->children, 0);
}

/* Remove an open call whose end was added. `above` began within it, or is NULL. */
static void remove_call(struct rs_frame *frame, struct rs_frame *above)
{
	if (above) {
		above->below = frame->below;
		above->outer = frame->outer;
		return;
	}
	rs_self->innermost = frame->below;
	frame->region->innermost = frame->outer;
}

/* End a call with a weight, and check what the region has counted so far. `above` began within it,
 * or is NULL. */
static void end_call(struct rs_off_sums *sums, struct rs_frame *frame, struct rs_frame *above,
	uint64_t weight, uint64_t total, uint64_t weighted)
{
	rs_off_cpu_add(rs_self, frame, sums, weight);
	cr_expect_eq(sums->total[RS_OFF_BLOCKED], total);
	cr_expect_eq(sums->weighted, weighted);
	remove_call(frame, above);
}

/* Begin calls of one region, in which the thread sleeps for 1000 ticks. */
static void begin_recursion(struct rs_frame **calls, int n)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_BLOCKED] = 1000};
	fixture_start(&fixture, 0);
	for (int i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("call");
		calls[i] = rs_self->innermost;
	}
	rs_off_cpu_book(rs_self, rs_self->innermost, off);
}

static void sleep_again(void)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_BLOCKED] = 500};
	rs_off_cpu_book(rs_self, rs_self->innermost, off);
}

/* The region has slept as long as the thread at each moment, also while the outermost call stays
 * open. */
Test(off_cpu, of_a_recursion_is_counted_once_and_at_once)
{
	struct rs_off_sums sums = {.weighted = 0};
	struct rs_frame *calls[3];
	begin_recursion(calls, 3);
	end_call(&sums, calls[2], NULL, 1, 1000, 1000);
	sleep_again();
	end_call(&sums, calls[1], NULL, 1, 1500, 1500);
	end_call(&sums, calls[0], NULL, 1, 1500, 1500);
}

/* The thread sleeps in the innermost call, which ends. The call around it is dropped. */
Test(off_cpu, of_a_recursion_with_a_dropped_call_is_counted_once)
{
	struct rs_off_sums sums = {.weighted = 0};
	struct rs_frame *calls[3];
	begin_recursion(calls, 3);
	end_call(&sums, calls[2], NULL, 2, 1000, 2000);
	for (int i = 0; i < 2; i++) /* The second time, nothing is left to hand on. */
		rs_off_cpu_hand_inner_on(rs_self, calls[1], calls[0]);
	remove_call(calls[1], NULL);
	sleep_again();
	end_call(&sums, calls[0], NULL, 2, 1500, 3000);
}

Test(off_cpu, of_a_recursion_that_overlaps_is_counted_once_and_at_once)
{
	struct rs_off_sums sums = {.weighted = 0};
	struct rs_frame *calls[4];
	begin_recursion(calls, 4);
	end_call(&sums, calls[1], calls[2], 1, 1000, 1000);
	sleep_again();
	end_call(&sums, calls[2], calls[3], 1, 1500, 1500);
	sleep_again();
	end_call(&sums, calls[3], NULL, 1, 2000, 2000);
	end_call(&sums, calls[0], NULL, 1, 2000, 2000);
}

/* What a skipped call shares with another one that it passes has no weight in both. It takes the
 * weights of the calls within it back. */
Test(off_cpu, of_skipped_calls_in_a_recursion)
{
	struct rs_off_sums sums = {.weighted = 0};
	struct rs_frame *calls[4];
	begin_recursion(calls, 4);
	end_call(&sums, calls[3], NULL, 1, 1000, 1000);
	sleep_again();
	end_call(&sums, calls[1], calls[2], 0, 1500, 0);
	sleep_again();
	end_call(&sums, calls[2], NULL, 1, 2000, 500);
	end_call(&sums, calls[0], NULL, 0, 2000, 0);
}

/* A call that seems to have slept less than a call within it takes nothing back, and the calls
 * around both do not count the difference again. */
Test(off_cpu, of_a_limited_call_in_a_recursion)
{
	struct rs_off_sums sums = {.weighted = 0};
	struct rs_frame *calls[3];
	begin_recursion(calls, 3);
	end_call(&sums, calls[2], NULL, 1, 1000, 1000);
	rs_frame_off(rs_self, calls[1])->total[RS_OFF_BLOCKED] = 600;
	end_call(&sums, calls[1], NULL, 1, 1000, 600);
	sleep_again();
	end_call(&sums, calls[0], NULL, 1, 1500, 1500);
}

/* Takes the place of rseq_cs. */
static volatile uint64_t watched;

/* The program sets rseq_cs itself during the slow path of a BEGIN. The thread is then no longer
 * watched, and the call that begins stays what it was: a recursive one. */
Test(off_cpu, is_unknown_once_the_program_uses_rseq)
{
	static const uint64_t none[1];
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("call");
	struct rs_thread *thread = rs_self;
	fixture_watch(&watched);
	cr_assert(rs_enter(thread, RS_STACK));
	struct rs_thread_region *region = thread->innermost->region;
	rs_slow_begin(thread);
	struct rs_frame *frame = rs_frame_open_slow(thread, region, 0, RS_STACK);
	watched = 1;
	rs_slow_leave(thread, rs_slow_own(region, false), none, frame, frame->ticket);
	cr_expect(!rs_switches_are_watched(thread));
	cr_expect_eq(frame->flags, RS_FRAME_RECURSIVE);
	REGIONSTAT_END("call");
	REGIONSTAT_END("call");
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "call"), 2);
	cr_expect_eq(fixture_diag(&fixture, "call", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
}

/* A marker began 50 us ago and found that the thread had slept. All 50 us are the marker's, unless
 * the thread was also preempted, which may have been in the marker. */
Test(off_cpu, before_a_marker_is_not_taken_from_its_overhead)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("call");
	struct rs_thread *thread = rs_self;
	thread->switches.is_booked = true;
	thread->switches.booked[RS_OFF_BLOCKED] = UINT64_C(1) << 40;
	for (int is_preempted = 0; is_preempted < 2; is_preempted++) {
		thread->switches.may_be_in_marker = is_preempted;
		thread->snapshot.lost_ticks = 0;
		thread->snapshot.values[0] = rs_ticks(thread->clock) - 50000;
		rs_slow_note_off(thread);
		cr_expect_eq(thread->snapshot.lost_ticks >= 50000, is_preempted);
		cr_expect(is_preempted || !thread->snapshot.lost_ticks);
	}
}

#define HELD_NS 50000000
#define WORK_NS 5000000

static pthread_barrier_t is_held;

/* Hold the process's lock until a marker waits for it, and HELD_NS more. */
static void *hold_lock(void *data)
{
	uint64_t mask;
	rs_lock(rs_state, &mask);
	pthread_barrier_wait(&is_held);
	while (rs_state->live->lock != 2)
		;
	sleep_ns(HELD_NS);
	rs_unlock(rs_state, &mask);
	return data;
}

static pthread_t holder;

/* Let the process's lock be held, and return when it is. */
static void begin_hold(void)
{
	pthread_barrier_init(&is_held, NULL, 2);
	cr_assert_eq(pthread_create(&holder, NULL, hold_lock, NULL), 0);
	pthread_barrier_wait(&is_held);
}

static void start_watched(uint32_t n_events)
{
	fixture_start_with(&fixture, n_events, RS_SEGMENT_WATCHES, 1);
	CALL_ONCE("outer");
	if (!rs_switches_are_watched(rs_self))
		cr_skip_test("no rseq");
}

/* Return the off-CPU time of the calling thread that its markers have found. */
static uint64_t off_ns(void)
{
	const _Atomic uint64_t *off = rs_self->part.slot->off_ticks;
	return rs_ns_of(rs_state, off[RS_OFF_BLOCKED] + off[RS_OFF_PREEMPTED]);
}

static int64_t own_ticks(const char *name)
{
	return (int64_t)fixture_region(name)->accumulator->own_ticks;
}

/* The first call of a region waits for the lock, within another call. It then works. */
static void wait_for_lock(void)
{
	begin_hold();
	REGIONSTAT_BEGIN("outer");
	CALL_ONCE("inner");
	spin_ns(CLOCK_THREAD_CPUTIME_ID, 2 * WORK_NS);
	REGIONSTAT_END("outer");
	pthread_join(holder, NULL);
}

/* A wait for the runtime's own lock is overhead: neither the time nor the off-CPU time of the
 * enclosing call contains it. The stated overhead is on-CPU time. */
Test(off_cpu, in_a_wait_for_the_lock)
{
	start_watched(0);
	CALL_ONCE("outer"); /* finds the off-CPU time so far */
	uint64_t before_off_ns = off_ns(), begin_ns = rs_clock_read(CLOCK_MONOTONIC);
	uint64_t begin_cpu_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID);
	wait_for_lock();
	uint64_t all_ns = rs_clock_read(CLOCK_MONOTONIC) - begin_ns;
	uint64_t cpu_ns = rs_clock_read(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
	fixture_collect(&fixture);
	const struct rs_value *values = fixture_accumulator(&fixture, "outer", 0)->values;
	uint64_t off_ticks = values[RS_EVENT_BLOCKED].total + values[RS_EVENT_PREEMPTED].total;
	cr_expect_leq(rs_ns_of(rs_state, values[RS_EVENT_TIME].total) + HELD_NS, all_ns);
	cr_expect_leq(before_off_ns + rs_ns_of(rs_state, off_ticks) + HELD_NS / 2, off_ns());
	const struct rs_result *inner = fixture_accumulator(&fixture, "inner", 0);
	cr_expect_leq(rs_ns_of(rs_state, inner->overhead.measured_ns), cpu_ns);
}

/* task-clock does not count the wait, so this wait is no overhead in it. */
Test(off_cpu, in_a_wait_for_the_lock_with_a_clock)
{
	start_watched(3);
	wait_for_lock();
	fixture_collect(&fixture);
	const struct rs_result *outer = fixture_accumulator(&fixture, "outer", 0);
	cr_expect_geq(outer->values[RS_EVENT_FIRST + 2].total, WORK_NS);
}

/* The wait ends with its marker. A call that sleeps later was blocked, and the next marker's
 * overhead contains none of this. */
Test(off_cpu, after_a_wait_for_the_lock)
{
	start_watched(0);
	begin_hold();
	REGIONSTAT_BEGIN("new");
	sleep_ns(2 * HELD_NS);
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	struct rs_thread *thread = rs_self;
	const struct rs_frame_off *off = rs_frame_off(thread, thread->innermost);
	cr_expect_geq(rs_ns_of(rs_state, rs_off_sum(off->total)), HELD_NS);
	CALL_ONCE("next");
	cr_expect_geq(own_ticks("next"), 0);
	pthread_join(holder, NULL);
}

/* Sleep between the counters of a slow path's last snapshot. */
static void sleep_in_snapshot(struct simulated_pmu *pmu)
{
	if (pmu->n_reads != pmu->disturbed_read)
		return;
	sleep_ns(HELD_NS);
	watched = 0;
}

/* After its wait, the marker loses its CPU. Only the wait is overhead. */
Test(off_cpu, after_the_wait_in_the_same_marker)
{
	simulated_pmu_start(&fixture, 1, 48, 0);
	struct rs_thread *thread = rs_self;
	fixture_watch(&watched);
	rs_switches_return(thread);
	REGIONSTAT_BEGIN("outer");
	begin_hold();
	simulated_pmu.on_read = sleep_in_snapshot;
	simulated_pmu.disturbed_read = simulated_pmu.n_reads + 2;
	watched = 0;
	REGIONSTAT_BEGIN("new");
	simulated_pmu.on_read = NULL;
	const struct rs_frame_off *off = rs_frame_off(thread, thread->innermost->below);
	cr_expect_geq(rs_ns_of(rs_state, rs_off_sum(off->total)), HELD_NS / 2);
	CALL_ONCE("next");
	cr_expect_geq(own_ticks("next"), 0);
	pthread_join(holder, NULL);
}

/* A thread loses its CPU twice while one BEGIN is on the slow path. Both looks lie after the same
 * marker, but the second off-CPU time came after the first look. */
Test(off_cpu, slices_of_a_trace_do_not_overlap)
{
	const uint64_t off[RS_OFF_N] = {[RS_OFF_PREEMPTED] = 1000};
	fixture_start_with(&fixture, 0, RS_SEGMENT_TRACES, 1);
	REGIONSTAT_BEGIN("call");
	struct rs_thread *thread = rs_self;
	cr_assert(thread->tracer.is_used);
	const uint64_t *accumulator = thread->tracer.recent +
				      rs_trace_next(&thread->tracer) * thread->tracer.cell_words;
	uint64_t begin = thread->innermost->values[0];
	rs_trace_note_off(thread, thread->innermost, off, begin + 5000);
	rs_trace_note_off(thread, thread->innermost, off, begin + 8000);
	const uint64_t *next = accumulator + (size_t)2 * thread->tracer.cell_words;
	cr_expect_eq(accumulator[RS_TRACE_BEGIN], begin);
	cr_expect_eq(accumulator[RS_TRACE_END], begin + 5000);
	cr_expect_eq(next[RS_TRACE_BEGIN], begin + 5000);
	cr_expect_eq(next[RS_TRACE_END], begin + 8000);
}
