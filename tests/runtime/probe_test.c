/* SPDX-License-Identifier: MIT */
/*
 * Tests of probes: the markers of about one call in 1,008 are measured (runtime/calls/probe.h). The
 * tests check how many probes there are, that their calls are recorded as all others, and which
 * probes do not count. A probe's value is a time and is not tested.
 */
#include "simulated_pmu.h"

#include <setjmp.h>

#include "runtime/adapter_table.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

static struct fixture fixture;

/* Takes the place of rseq_cs, as if the kernel had cleared it. */
static volatile uint64_t watched;

static uint32_t n_probes(const char *name)
{
	return rs_table_more(fixture_region(name)->table)->n_probes;
}

/* A function for the site: its first BEGIN is no probe, because the site is looked up. */
static void __attribute__((noinline)) begin(void)
{
	REGIONSTAT_BEGIN("leaf");
}

static void __attribute__((noinline)) end(void)
{
	REGIONSTAT_END("leaf");
}

static void call(void)
{
	begin();
	end();
}

static void __attribute__((noinline)) scope(void)
{
	REGIONSTAT_SCOPE("scope");
}

/* The ticket of a frame grows by 65 of 65,536 with each call that uses the frame, whatever its
 * region. So it overflows N * 65 / 65,536 times in N calls, or once more, depending on its first
 * value. */
Test(probe, one_call_in_about_a_thousand)
{
	const uint32_t n = 100000;
	fixture_start(&fixture, 0);
	call();
	for (uint32_t i = 1; i < n; i++)
		call();
	for (uint32_t i = 0; i < n; i++)
		scope();
	fixture_collect(&fixture);
	cr_expect_geq(n_probes("leaf"), n * 65 / 65536 - 1);
	cr_expect_leq(n_probes("leaf"), n * 65 / 65536 + 1);
	cr_expect_geq(n_probes("scope"), n * 65 / 65536 - 1);
	cr_expect_leq(n_probes("scope"), n * 65 / 65536 + 1);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), n);
	cr_expect_eq(fixture_calls(&fixture, "scope"), n);
	cr_expect_eq(fixture_diag(&fixture, "leaf", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	cr_expect_eq(fixture_diag(&fixture, "leaf", RS_ACCUMULATOR_DIAG_OPEN), 0);
}

/* Regions that are called in rotation each get their share of probes, even if 1,008 is a multiple
 * of their number. */
Test(probe, regions_in_rotation_each_have_their_share)
{
	static const char *const names[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"};
	const uint32_t n = 100000;
	fixture_start(&fixture, 0);
	call();
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t r = 0; r < 8; r++) {
			static struct regionstat_site_ sites[8];
			sites[r].name_ = names[r];
			regionstat_ticket_ ticket = rs_self->runtime->table->begin_(&sites[r]);
			rs_self->runtime->table->end_(ticket);
		}
	}
	for (uint32_t r = 0; r < 8; r++)
		cr_expect_gt(n_probes(names[r]), n * 65 / 65536 / 2, "%s: %u", names[r],
			n_probes(names[r]));
}

#define WORK 100u
#define OUTER_WORK 40u

/* With events there are no probes: the events of a probe's slow path would be in its call. */
Test(probe, none_where_events_are_counted)
{
	const uint32_t n = 5000;
	simulated_pmu_start(&fixture, 2, 48, 1);
	REGIONSTAT_BEGIN("outer");
	for (uint32_t i = 0; i < n; i++) {
		simulated_pmu_count(OUTER_WORK);
		REGIONSTAT_BEGIN("inner");
		simulated_pmu_count(WORK);
		REGIONSTAT_END("inner");
	}
	REGIONSTAT_END("outer");
	fixture_collect(&fixture);
	cr_expect_eq(n_probes("inner"), 0);
	cr_expect_eq(fixture_calls(&fixture, "inner"), n);
	for (uint32_t m = 1; m <= 2; m++) {
		const uint32_t event = RS_EVENT_FIRST + m - 1;
		const struct rs_value *inner =
			&fixture_accumulator(&fixture, "inner", 0)->values[event];
		const struct rs_value *outer =
			&fixture_accumulator(&fixture, "outer", 0)->values[event];
		cr_expect_eq(inner->min, WORK, "%lu", inner->min);
		cr_expect_eq(inner->max, WORK, "%lu", inner->max);
		cr_expect_eq(inner->total, n * WORK, "%lu", inner->total);
		cr_expect_eq(outer->total, n * (WORK + OUTER_WORK), "%lu", outer->total);
		cr_expect_eq(outer->self, n * OUTER_WORK, "%ld", outer->self);
	}
}

/* Make the next call of the region a probe. */
static void arm(const char *name)
{
	fixture_region(name)->parent = NULL;
}

Test(probe, with_a_context_switch_does_not_count)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 100; i++)
		call();
	fixture_watch(&watched);
	uint32_t before = n_probes("leaf");
	uint64_t pair = fixture_region("leaf")->accumulator->pair_ticks;
	arm("leaf");
	begin();
	watched = 0;
	end();
	cr_expect_eq(n_probes("leaf"), before);
	cr_expect_eq(fixture_region("leaf")->accumulator->pair_ticks, pair);
	watched = rs_self->expected;
	arm("leaf");
	begin();
	end();
	cr_expect_eq(n_probes("leaf"), before + 1);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 102);
}

/* An interrupt or a hypervisor may stop a probe. Such a probe counts as 4 times the mean. The first
 * mean has the weight of 4 probes, so each of n stopped probes raises the mean by (4 - 1) / (4 +
 * n). */
Test(probe, that_was_stopped_counts_for_little)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 5000; i++)
		call();
	uint32_t n = n_probes("leaf");
	uint64_t pair = fixture_region("leaf")->accumulator->pair_ticks;
	arm("leaf");
	begin();
	rs_self->probe.begin_ticks += UINT64_C(1000000000);
	end();
	cr_expect_eq(n_probes("leaf"), n + 1);
	/* Means are rounded. */
	cr_expect_leq(fixture_region("leaf")->accumulator->pair_ticks,
		pair + 3 * (pair + 1) / (4 + n + 1) + 1);
}

/* The first call in another parent may be a probe. The report has this parent, too. */
Test(probe, in_another_parent)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 101; i++) {
		if (i == 100) {
			REGIONSTAT_BEGIN("other");
			arm("leaf");
		}
		call();
	}
	REGIONSTAT_END("other");
	fixture_collect(&fixture);
	uint32_t n = n_probes("leaf");
	cr_expect_gt(n, 0);
	const struct rs_result *leaf = fixture_accumulator(&fixture, "leaf", 0);
	cr_expect_eq(leaf->n_parents, 2);
}

/* If calls are too short to overlap with their markers, a probe counts for more. Here all calls are
 * too short, and a probe counts for 2^20 ticks more, but for at most 4 times the mean. Otherwise,
 * a pair takes about 100 ticks. */
static void check_short_calls(void (*make)(void))
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 5000; i++)
		make();
	cr_expect_lt(fixture_region("leaf")->accumulator->pair_ticks, 1 << 18);
	rs_self->runtime->overlap_ticks = INT64_C(2) << 20;
	for (int i = 0; i < 500; i++) {
		arm("leaf");
		make();
	}
	cr_expect_gt(fixture_region("leaf")->accumulator->pair_ticks, 1 << 18);
	cr_expect_lt(fixture_region("leaf")->accumulator->pair_ticks, 1 << 22);
}

Test(probe, of_calls_that_are_too_short_to_overlap)
{
	check_short_calls(call);
}

/* A call of "leaf" with little work of its own, around a long call. */
static void call_around(void)
{
	const uint64_t ticks = UINT64_C(1) << 40;
	begin();
	REGIONSTAT_BEGIN("long");
	rs_self->innermost->values[0] -= ticks;
	rs_self->innermost->below->values[0] -= ticks;
	REGIONSTAT_END("long");
	end();
}

/* The time of a nested call is no work that overlaps with the markers around it. */
Test(probe, of_calls_around_long_ones)
{
	check_short_calls(call_around);
}

/* A NEXT ends the call of a probe, whose END is not measured. The END of the call that the NEXT
 * begins takes the fast path. */
Test(probe, that_a_next_ends)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 101; i++) {
		if (i == 100)
			arm("leaf");
		begin();
		REGIONSTAT_NEXT("leaf", "next");
		if (i == 100)
			cr_expect_eq(rs_self->innermost->fast_state, rs_state_now(rs_self));
		REGIONSTAT_END("next");
	}
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 101);
	cr_expect_eq(fixture_calls(&fixture, "next"), 101);
}

/* A probe in a nested call does not disturb a probe of the call around it. */
Test(probe, nested_ones_do_not_mix)
{
	fixture_start(&fixture, 0);
	uint32_t outer = 0, leaf = 0;
	for (int i = 0; i < 101; i++) {
		if (i == 100) {
			outer = n_probes("outer");
			leaf = n_probes("leaf");
			arm("outer");
			arm("leaf");
		}
		REGIONSTAT_BEGIN("outer");
		call();
		REGIONSTAT_END("outer");
	}
	cr_expect_eq(n_probes("outer"), outer);
	cr_expect_eq(n_probes("leaf"), leaf + 1);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "outer"), 101);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 101);
}

/* Each of `depth` calls within each other is a probe, if is_armed is true. */
static void __attribute__((noinline)) scopes(uint32_t depth, bool is_armed)
{
	if (is_armed)
		arm("scope");
	REGIONSTAT_SCOPE("scope");
	if (depth > 1)
		scopes(depth - 1, is_armed);
}

static void __attribute__((noinline)) calls_by_name(uint32_t depth, bool is_armed)
{
	if (is_armed)
		arm("leaf");
	REGIONSTAT_BEGIN("leaf");
	if (depth > 1)
		calls_by_name(depth - 1, is_armed);
	REGIONSTAT_END("leaf");
}

/* Recursive calls are probes like others. A later probe takes the place of one that is open, so
 * that only the innermost of several calls counts. */
Test(probe, of_recursive_calls)
{
	static const struct {
		const char *name;
		void (*run)(uint32_t depth, bool is_armed);
	} kinds[] = {{"scope", scopes}, {"leaf", calls_by_name}};
	fixture_start(&fixture, 0);
	for (int k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < 33; i++)
			kinds[k].run(3, false);
		uint32_t before = n_probes(kinds[k].name);
		kinds[k].run(3, true);
		cr_expect_eq(n_probes(kinds[k].name), before + 1, "%s", kinds[k].name);
	}
	fixture_collect(&fixture);
	for (int k = 0; k < 2; k++) {
		cr_expect_eq(fixture_calls(&fixture, kinds[k].name), 3 * 34);
		cr_expect_eq(fixture_diag(&fixture, kinds[k].name, RS_ACCUMULATOR_DIAG_RECURSIVE),
			2 * 34);
		cr_expect_eq(
			fixture_diag(&fixture, kinds[k].name, RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
	}
}

/* In a recursive region the inner calls have their share of probes. */
Test(probe, recursive_calls_have_their_share)
{
	const uint32_t n = 100000;
	fixture_start(&fixture, 0);
	for (uint32_t i = 0; i < n / 2; i++)
		calls_by_name(2, false);
	cr_expect_geq(n_probes("leaf"), n * 65 / 65536 * 9 / 10, "%u", n_probes("leaf"));
}

static jmp_buf before;

/* Take the place of the END that a probe runs. Leave it as by a handler's jump. Its stack frame is
 * far below that of the program's END. */
static void jump_out(struct regionstat_site_ *site)
{
	char room[4096];
	(void)site;
	__asm__ volatile("" : : "r"(room) : "memory");
	rs_self->busy = (uintptr_t)room;
	longjmp(before, 1);
}

/* The program's next marker is where the END of the probe was. So that END is gone. */
Test(probe, that_a_handler_leaves_by_a_jump)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 100; i++)
		call();
	struct rs_runtime *runtime = rs_self->runtime;
	static const void *usual;
	usual = runtime->table;
	struct rs_adapter_table table = *(const struct rs_adapter_table *)usual;
	table.markers.end_site_ = jump_out;
	arm("leaf");
	begin();
	runtime->table = &table.markers;
	if (!setjmp(before))
		end();
	rs_self->runtime->table = usual;
	REGIONSTAT_BEGIN("afterwards");
	REGIONSTAT_END("afterwards");
	cr_expect_eq(rs_self->runtime->process->diag[RS_PROCESS_DIAG_HANDLER], 0);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 100);
	cr_expect_eq(fixture_calls(&fixture, "afterwards"), 1);
}

static uint64_t n_ended(const char *name)
{
	return atomic_load_explicit(
		       &fixture_region(name)->accumulator->calls_word, memory_order_relaxed) >>
	       2;
}

/* With a budget of 0.1 %, every call is measured only if the median call takes 1,000 times as long
 * as its markers. The mean of the first 32 calls is that long here, since the first call takes 50
 * ms. The median of empty calls is not, unless interrupts hit every second one. */
Test(probe, budget_does_not_go_by_a_slow_first_call)
{
	const uint32_t n = 100000;
	fixture_make(&fixture, 0);
	fixture.segment.header->flags |= RS_SEGMENT_SAMPLES;
	fixture.segment.header->budget_ppm = 1000;
	fixture_attach(&fixture);
	begin();
	uint64_t until = rs_clock_monotonic() + 50000000;
	while (rs_clock_monotonic() < until)
		;
	end();
	for (uint32_t i = 1; i < n; i++)
		call();
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "leaf", 0);
	cr_expect_eq(accumulator->calls, n);
	cr_expect_gt(
		rs_result_skipped(accumulator), n * 9 / 10, "%lu", rs_result_skipped(accumulator));
}

/*
 * The runtime chooses again how often calls are measured. At the end it measures one of 1,025 empty
 * calls, the lowest rate that it uses.
 *
 * The first choice comes after 32 measured calls. 9 more choices, each after 16 more measured
 * calls, about double the distance between measured calls. Until then there are 32,600 calls. About
 * 944 of the other 967,400 calls are measured. With the 176 before, there are two more choices, at
 * 352 and at 704. So there are at least 12 choices. A median that interrupts made 1,000 times too
 * long could add some.
 */
Test(probe, budget_is_chosen_again)
{
	fixture_make(&fixture, 0);
	fixture.segment.header->flags |= RS_SEGMENT_SAMPLES;
	fixture.segment.header->budget_ppm = 1000;
	fixture_attach(&fixture);
	uint32_t n_choices = 0, every = 0;
	for (uint32_t i = 0; i < 1000000; i++) {
		call();
		uint32_t left = fixture_region("leaf")->n_until_choice;
		/* Only a choice increases it. */
		n_choices += left > every && n_ended("leaf") >= RS_FIRST_CALLS;
		every = left;
	}
	cr_expect_geq(n_choices, 12, "%u", n_choices);
}
