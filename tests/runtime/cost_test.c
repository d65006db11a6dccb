/* SPDX-License-Identifier: MIT */
/*
 * Tests of the overhead that is subtracted from regions. Time is read from this machine's clock.
 * Events come from a simulated PMU that adds some to every reading of a counter.
 */
#include "simulated_pmu.h"

#include "runtime/calls/switches.h"

static struct fixture fixture;

#define ROUNDS 2000

/* More than any call of an empty region takes, and less than a difference below 0 modulo 2^64. */
#define HUGE_TICKS (UINT64_C(1) << 50)

static const struct rs_value *moments(const char *region, uint32_t m)
{
	return &fixture_accumulator(&fixture, region, 0)->values[rs_event_of_counter(m)];
}

static void __attribute__((noinline)) nest(void)
{
	REGIONSTAT_BEGIN("a");
	REGIONSTAT_BEGIN("b");
	REGIONSTAT_BEGIN("c");
	CALL_ONCE("d");
	REGIONSTAT_NEXT("c", "e");
	REGIONSTAT_END("e");
	REGIONSTAT_END("b");
	REGIONSTAT_END("a");
}

static const char *const nested[] = {"a", "b", "c", "d", "e"};
#define N_NESTED (sizeof(nested) / sizeof(nested[0]))

/* All times are 0 or more, and none has wrapped below 0. */
Test(cost, nested_empty_regions_in_time)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < ROUNDS; i++)
		nest();
	fixture_collect(&fixture);
	for (size_t i = 0; i < N_NESTED; i++) {
		const struct rs_value *time = moments(nested[i], 0);
		cr_expect_eq(fixture_calls(&fixture, nested[i]), ROUNDS);
		cr_expect_lt(time->max, HUGE_TICKS, "%s: max %lu", nested[i], time->max);
		cr_expect_lt(time->total, HUGE_TICKS, "%s: total %lu", nested[i], time->total);
		cr_expect_leq(time->min, time->max);
		cr_expect_eq(rs_histogram_count(&time->histogram), ROUNDS);
	}
	/* Each part of the outermost region's time is self time of exactly one region. So the self
	 * times add up to its total. Two corrections may make them differ: a total is at least the
	 * largest call, and a call is at least 0. The second raises a call by the overhead inside
	 * it at most. */
	uint64_t inside_ns = rs_ns_of(rs_self->runtime, rs_self->cost->inside[0]) + 1;
	int64_t selves = 0;
	uint64_t raised = 0, total = 0;
	for (size_t i = 0; i < N_NESTED; i++) {
		const struct rs_value *time =
			&fixture_accumulator(&fixture, nested[i], 0)->values[RS_EVENT_TIME];
		selves += time->self;
		/* The two accumulators: calls with a context switch, and the others. */
		raised += 2 * time->max + ROUNDS * inside_ns;
		if (!i)
			total = time->total;
	}
	uint64_t difference = (uint64_t)llabs(selves - (int64_t)total);
	cr_expect_leq(difference, raised, "%lu", difference);
}

/* Empty regions have exactly 0 events, however they are nested. */
Test(cost, nested_empty_regions_in_events)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	for (int i = 0; i < ROUNDS / 10; i++)
		nest();
	fixture_collect(&fixture);
	for (size_t i = 0; i < N_NESTED; i++)
		for (uint32_t m = 1; m <= 2; m++) {
			cr_expect_eq(moments(nested[i], m)->max, 0, "%s: max %lu", nested[i],
				moments(nested[i], m)->max);
			cr_expect_eq(moments(nested[i], m)->self, 0);
		}
}

/* Calibration is right even if counting is paused at a thread's first marker. */
Test(cost, calibrated_while_paused)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	_Atomic uint64_t *control = &fixture.segment.header->control;
	*control = *control + RS_CONTROL_GENERATION + RS_CONTROL_PAUSED;
	/* Restore the state before the first calibration. */
	memset(rs_self->runtime->cost, 0, sizeof(rs_self->runtime->cost));
	rs_calibrate(rs_self);
	*control = *control + RS_CONTROL_GENERATION - RS_CONTROL_PAUSED;
	for (int i = 0; i < ROUNDS / 10; i++)
		nest();
	fixture_collect(&fixture);
	for (size_t i = 0; i < N_NESTED; i++) {
		cr_expect_eq(fixture_calls(&fixture, nested[i]), ROUNDS / 10);
		for (uint32_t m = 1; m <= 2; m++)
			cr_expect_eq(moments(nested[i], m)->max, 0, "%s: max %lu", nested[i],
				moments(nested[i], m)->max);
	}
}

/* Charge a marker with read() that took `ticks` so far, and return the charge. */
static uint64_t charge_of(struct rs_thread *thread, uint64_t ticks)
{
	uint64_t *charged = rs_frame_vector(thread->ground, RS_VECTOR_CHARGED, thread->n_events);
	uint64_t before = *charged;
	thread->snapshot.entered = rs_ticks(thread->clock) - ticks;
	rs_charge_marker(thread, fixture_region("a")->accumulator, thread->ground);
	return *charged - before;
}

/* Of a marker that takes 1,000 times as long as usual, a thread that is not watched charges the
 * usual time. Calibration charges all: it counts the rest as overhead around markers. */
Test(cost, calibration_charges_all_of_an_interrupted_marker)
{
	fixture_start(&fixture, 1);
	nest();
	struct rs_thread *thread = rs_self;
	uint64_t usual = thread->runtime->marker_ticks, ticks = 1000 * usual;
	cr_assert_gt(usual, 0);
	rs_switches_forget(thread);
	cr_expect_eq(charge_of(thread, ticks), usual);
	thread->probe.is_calibrating = true;
	cr_expect_geq(charge_of(thread, ticks), ticks);
	thread->probe.is_calibrating = false;
	rs_switches_attach(thread);
}

/* A slow path charges CPU clocks the time that it took, wherever in it the kernel read them. */
Test(cost, slow_path_charges_cpu_clocks_its_time)
{
	fixture_start(&fixture, 3);
	nest();
	struct rs_thread *thread = rs_self;
	uint64_t clock = (uint64_t)__builtin_ctzll(thread->shape->clocks);
	cr_assert_eq(clock, 3);
	uint64_t *charged = rs_frame_vector(thread->ground, RS_VECTOR_CHARGED, thread->n_events);
	uint64_t before = charged[clock], ticks = 1000 * thread->runtime->marker_ticks;
	static const uint64_t none[1 + RS_MAX_EVENTS];
	rs_slow_begin(thread);
	thread->snapshot.values[0] -= ticks; /* Reading the clocks has taken this much longer. */
	rs_slow_end(thread, NULL, none, NULL);
	cr_expect_geq(charged[clock] - before, rs_ns_of(thread->runtime, ticks));
}

/* With --raw the values contain the markers' overhead, and these empty regions contain nothing
 * else. */
Test(cost, raw_leaves_all_in)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	struct rs_runtime *runtime = rs_self->runtime;
	runtime->raw = true;
	rs_calibrate(rs_self);
	for (int i = 0; i < 10; i++)
		nest();
	fixture_collect(&fixture);
	for (uint32_t m = 1; m <= 2; m++) {
		/* The BEGIN and the END read each counter once. */
		cr_expect_eq(moments("d", m)->min, 2 * SIMULATED_READ_COST);
		cr_expect_geq(moments("c", m)->min, (2 + 4) * SIMULATED_READ_COST);
	}
}

/* Values less than the calibrated overhead become 0, and the region counts such calls. */
Test(cost, less_than_overhead_is_clamped_and_counted)
{
	simulated_pmu_start(&fixture, 2, 48, 1);
	nest();
	fixture_collect(&fixture);
	/* Raise the overhead of the first event only. */
	rs_self->runtime->cost[RS_WAY_USER].inside[1] += 5;
	/* A new thread's accumulator would have the same value. */
	rs_accumulator_inside(fixture_region("d")->accumulator, 2)[1] += 5;
	for (int i = 0; i < 10; i++)
		nest();
	fixture_collect(&fixture);
	cr_expect_eq(moments("d", 1)->max, 0);
	cr_expect_eq(moments("d", 1)->total, 0);
	cr_expect_eq(moments("d", 2)->max, 0);
	/* Calls on the fast path; the slow path records 0 by itself. */
	cr_expect_geq(fixture_diag(&fixture, "d", RS_ACCUMULATOR_DIAG_CLAMPED), 1);
	cr_expect(moments("d", 1)->is_clamped);
}

#define SAMPLE 9u
#define CALLS 4008u /* The number of calls that the measured ones represent, see weight_of(). */
#define CHILD_WORK 30u
#define PARENT_WORK 50u

/* Return the weights of all measured calls. The first ones have weight 1; weights then grow in
 * steps. */
static uint64_t weight_of(const struct rs_result *accumulator)
{
	uint64_t weight = RS_FIRST_CALLS, rest = accumulator->measured - RS_FIRST_CALLS;
	for (uint64_t every = 3; every < SAMPLE; every = 2 * every + 1, rest -= RS_FIRST_CALLS / 2)
		weight += every * RS_FIRST_CALLS / 2;
	return weight + SAMPLE * rest;
}

/* A measured call of a child represents the skipped ones too. On average, the rest of the parent's
 * time is its self time. */
Test(cost, sampled_child_counts_for_all_in_its_parents_self)
{
	simulated_pmu_start_sampled(&fixture, 2, SAMPLE);
	REGIONSTAT_BEGIN("parent");
	for (uint32_t i = 0; i < CALLS; i++) {
		simulated_pmu_count(PARENT_WORK);
		REGIONSTAT_BEGIN("child");
		simulated_pmu_count(CHILD_WORK);
		REGIONSTAT_END("child");
	}
	REGIONSTAT_END("parent");
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "child", 0);
	cr_expect_eq(accumulator->calls, CALLS);
	cr_expect_gt(rs_result_skipped(accumulator), CALLS / 2);
	for (uint32_t m = 1; m <= 2; m++) {
		const struct rs_value *parent = moments("parent", m);
		cr_expect_eq(moments("child", m)->min, CHILD_WORK);
		cr_expect_eq(moments("child", m)->max, CHILD_WORK);
		cr_expect_eq(
			parent->total, CALLS * (PARENT_WORK + CHILD_WORK), "%lu", parent->total);
		cr_expect_eq(parent->self,
			(int64_t)(parent->total - weight_of(accumulator) * CHILD_WORK));
	}
}

#define GRANDCHILD_WORK 20u

/* A measured call represents skipped calls with all calls nested in them, so those are not counted
 * twice. */
Test(cost, calls_in_a_skipped_call_are_not_counted_twice)
{
	simulated_pmu_start_sampled(&fixture, 2, SAMPLE);
	uint32_t index = rs_region_index(rs_self->runtime, "grandchild");
	struct rs_region *grandchild = rs_at(
		rs_self->runtime, RS_REGIONS_OFFSET + index * sizeof(struct rs_region));
	grandchild->sample_calls = 1;
	REGIONSTAT_BEGIN("parent");
	for (uint32_t i = 0; i < CALLS; i++) {
		simulated_pmu_count(PARENT_WORK);
		REGIONSTAT_BEGIN("child");
		simulated_pmu_count(CHILD_WORK);
		REGIONSTAT_BEGIN("grandchild");
		simulated_pmu_count(GRANDCHILD_WORK);
		REGIONSTAT_END("grandchild");
		REGIONSTAT_END("child");
	}
	REGIONSTAT_END("parent");
	fixture_collect(&fixture);
	const struct rs_result *child = fixture_accumulator(&fixture, "child", 0);
	cr_expect_eq(fixture_calls(&fixture, "grandchild"), CALLS);
	cr_expect_gt(rs_result_skipped(child), CALLS / 2);
	for (uint32_t m = 1; m <= 2; m++) {
		const struct rs_value *parent = moments("parent", m);
		cr_expect_eq(moments("child", m)->self, (int64_t)(weight_of(child) * CHILD_WORK));
		cr_expect_eq(parent->self,
			(int64_t)(parent->total -
				  weight_of(child) * (CHILD_WORK + GRANDCHILD_WORK)),
			"%ld of %lu", parent->self, parent->total);
	}
}

static void recur(uint32_t depth)
{
	REGIONSTAT_BEGIN("again");
	simulated_pmu_count(CHILD_WORK);
	if (depth > 1)
		recur(depth - 1);
	REGIONSTAT_END("again");
}

/* ENDs of recursive calls take the slow path, measured or skipped. No region contains their
 * overhead. */
Test(cost, sampled_recursion)
{
	const uint32_t depth = 4;
	simulated_pmu_start_sampled(&fixture, 2, SAMPLE);
	REGIONSTAT_BEGIN("parent");
	for (uint32_t i = 0; i < CALLS / depth; i++) {
		simulated_pmu_count(PARENT_WORK);
		recur(depth);
	}
	REGIONSTAT_END("parent");
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "again", 0);
	cr_expect_eq(accumulator->calls, CALLS);
	cr_expect_gt(rs_result_skipped(accumulator), CALLS / 2);
	for (uint32_t m = 1; m <= 2; m++) {
		cr_expect_eq(moments("parent", m)->total,
			CALLS / depth * PARENT_WORK + CALLS * CHILD_WORK, "%lu",
			moments("parent", m)->total);
		cr_expect_eq(moments("again", m)->min, CHILD_WORK, "%lu", moments("again", m)->min);
		cr_expect_eq(moments("again", m)->max, depth * CHILD_WORK, "%lu",
			moments("again", m)->max);
	}
}

/* A skipped call may never end, as any other call. The following calls count all the same. */
Test(cost, missing_end_of_a_skipped_call)
{
	simulated_pmu_start_sampled(&fixture, 2, SAMPLE);
	for (uint32_t i = 0; i < CALLS; i++) {
		REGIONSTAT_BEGIN("lossy");
		if (i % 100)
			REGIONSTAT_END("lossy");
	}
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "lossy", 0);
	cr_expect_eq(accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE], 0, "%lu",
		accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE]);
	cr_expect_eq(accumulator->diag[RS_ACCUMULATOR_DIAG_OPEN], (CALLS + 99) / 100);
	cr_expect_eq(accumulator->calls, CALLS - (CALLS + 99) / 100);
}
