/* SPDX-License-Identifier: MIT */
/*
 * Tests of calls that had a context switch, which have accumulators of their own. Both accumulators
 * together have all calls of the region. On-CPU and off-CPU time of these calls make that of the
 * region, unless they are unknown. Some segments have invalid accumulators of this kind. Expected
 * values are computed by hand.
 */
#include <criterion/criterion.h>

#include "expect.h"
#include "fixture.h"

TestSuite(off_cpu, .init = fixture_start, .fini = fixture_finish, .timeout = 60);

static uint64_t offset_of(const void *place)
{
	return (uint64_t)((const char *)place - builder.base);
}

/* Return a view of the segment in which on-CPU time is one more event, in a group that always
 * counts. */
static struct builder switched_builder(void)
{
	struct builder switched = builder;
	switched.event_group[switched.n_events++] = 31;
	return switched;
}

/* Add an accumulator for calls with a context switch beside another one. It is in no list. */
static struct rs_accumulator *add_switched(struct rs_accumulator *accumulator)
{
	uint32_t bytes = rs_accumulator_bytes(builder.n_events + 1, builder.n_groups);
	uint64_t offset = builder_take(&builder, bytes);
	struct rs_accumulator *other = (void *)(builder.base + offset);
	other->region = accumulator->region;
	other->accumulator_units = rs_accumulator_units(bytes);
	accumulator->switched = (uint32_t)(offset / RS_OFFSET_UNIT);
	return other;
}

/* Record a call of so many ticks, in some of which the thread was blocked or preempted. It is the
 * outermost call of its region and has no nested regions. */
static void switch_call(struct rs_accumulator *other, uint64_t ticks, uint64_t blocked,
	uint64_t preempted, struct builder_call call)
{
	struct builder switched = switched_builder();
	uint64_t off = blocked + preempted, deltas[] = {ticks, 1000, 500, 7, ticks - off};
	uint64_t weight = call.weight;
	call.deltas = deltas;
	builder_record(&switched, other, &call);
	builder.next = switched.next;
	struct rs_off_sums *sums = &builder_rare(&switched, other)->off;
	sums->total[RS_OFF_BLOCKED] += blocked;
	sums->total[RS_OFF_PREEMPTED] += preempted;
	sums->self[RS_OFF_BLOCKED] += blocked;
	sums->self[RS_OFF_PREEMPTED] += preempted;
	sums->calls[RS_OFF_BLOCKED] += blocked > 0;
	sums->calls[RS_OFF_PREEMPTED] += preempted > 0;
	sums->weighted += (weight ? weight : 1) * off;
	sums->weighted_self += (weight ? weight : 1) * off;
}

static void switch_out(struct rs_accumulator *other, uint64_t ticks, uint64_t blocked,
	uint64_t preempted, uint64_t weight)
{
	struct builder_call call = call_of(NULL);
	call.weight = weight;
	switch_call(other, ticks, blocked, preempted, call);
}

/* Record calls of 100, 200 and 300 ns, and one of 40,000 ns: 30,000 blocked, 9,500 preempted, 500
 * on a CPU. */
static struct rs_accumulator *add_calls(void)
{
	struct rs_accumulator *accumulator = add_accumulator("a", 70, 71);
	struct rs_accumulator *other = add_switched(accumulator);
	for (uint64_t i = 1; i <= 3; i++)
		record(accumulator, 200 * i, i);
	switch_out(other, 80000, 60000, 19000, 0);
	return accumulator;
}

/* Return a value of the only region. */
static const struct rs_value *value_of(size_t column)
{
	return &summary.regions[0].values[column];
}

Test(off_cpu, both_together_are_all)
{
	add_calls();
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(summary.n_regions, 1);
	cr_expect_eq(region->calls, 4);
	cr_expect_eq(region->n_threads, 1);
	EXPECT(value_of(COLUMN_TIME), "total=40600 max=40000");
	EXPECT(value_of(COLUMN_INSTRUCTIONS), "total=7000");
	cr_expect_eq(region->slowest[COLUMN_TIME].total, 40000);
}

Test(off_cpu, what_is_on_the_cpu_and_what_is_not)
{
	add_calls();
	summarize();
	EXPECT(value_of(RS_EVENT_CPU_TIME),
		"status=ok total=1100 self_total=1100 counted=4 avg=275 min=100 max=500");
	EXPECT(value_of(RS_EVENT_BLOCKED), "total=30000 self_total=30000 counted=1 avg=-");
	EXPECT(value_of(RS_EVENT_PREEMPTED), "total=9500 counted=1");
	cr_expect_eq(value_of(COLUMN_TIME)->total, 40600);
}

/* An event was counted in a call that ran on a CPU for 900 of its 1,000 ns. It missed a call that
 * ran for 300 of its 40,000 ns. So it was counted for 900 of 1,200 ns. */
Test(off_cpu, an_event_that_missed_a_call)
{
	struct builder switched = switched_builder();
	struct rs_accumulator *other = add_switched(add_accumulator("a", 70, 71));
	struct builder_call call = call_of(NULL);
	call.enabled_ns = call.running_ns = 900;
	switch_call(other, 2000, 200, 0, call);
	call.enabled_ns = call.running_ns = 0;
	call.not_counted = 1;
	switch_call(other, 80000, 60000, 19400, call);
	builder_groups(&switched, other)[0].answered_ticks -= 80000;
	builder_groups(&switched, other)[0].missed_ticks += 80000;
	summarize();
	EXPECT(value_of(COLUMN_INSTRUCTIONS), "status=scaled running=0.75");
}

/* The thread has lost its CPU in markers of the region. This time is in the off-CPU times, but not
 * in the time of the calls, so that on-CPU time would be negative. The parts still add up to total
 * and self time, and preempted time is reduced before blocked time. */
static void lose_in_markers(uint64_t ns, const char *cpu, const char *preempted)
{
	struct builder switched = switched_builder();
	struct rs_accumulator *accumulator = add_calls();
	struct rs_accumulator *other =
		(void *)(builder.base + (uint64_t)accumulator->switched * RS_OFFSET_UNIT);
	struct rs_off_sums *sums = &builder_rare(&switched, other)->off;
	sums->total[RS_OFF_PREEMPTED] += 2 * ns;
	sums->self[RS_OFF_PREEMPTED] += 2 * ns;
	sums->weighted += 2 * ns;
	sums->weighted_self += 2 * ns;
	summarize();
	EXPECT(value_of(COLUMN_TIME), "self_total=40600");
	EXPECT(value_of(RS_EVENT_CPU_TIME), cpu);
	EXPECT(value_of(RS_EVENT_BLOCKED), "total=30000 self_total=30000");
	EXPECT(value_of(RS_EVENT_PREEMPTED), preempted);
}

Test(off_cpu, less_than_the_time_on_the_cpu_is_lost_in_markers)
{
	lose_in_markers(1000, "total=100 self_total=100", "total=10500 self_total=10500");
}

Test(off_cpu, more_than_the_time_on_the_cpu_is_lost_in_markers)
{
	lose_in_markers(2000, "total=0 self_total=0", "total=10600 self_total=10600");
}

/* Of 31 calls, 30 take 100 ns. The other one also takes 100 ns on a CPU, and sleeps for 39,900 ns.
 * The 90th percentile and the maximum of on-CPU time are 100 ns. */
Test(off_cpu, the_distribution_has_no_sleep)
{
	struct rs_accumulator *accumulator = add_accumulator("a", 70, 71);
	struct rs_accumulator *other = add_switched(accumulator);
	for (int i = 0; i < 30; i++)
		record(accumulator, 200, 1);
	switch_out(other, 80000, 79800, 0, 0);
	summarize();
	EXPECT(value_of(RS_EVENT_CPU_TIME), "p90=100 max=100 stddev=0");
	/* 39,900 of 43,000 ns */
	cr_expect(is_noted("blocked (sleep, lock, I/O): a "));
}

Test(off_cpu, no_call_had_a_switch)
{
	record(add_accumulator("a", 70, 71), 200, 1);
	summarize();
	cr_expect_eq(value_of(RS_EVENT_CPU_TIME)->total, 100);
	EXPECT(value_of(RS_EVENT_BLOCKED), "status=ok total=0");
	cr_expect_eq(value_of(RS_EVENT_PREEMPTED)->counted, 0);
	cr_expect_not(is_detailed("on-CPU time is"));
}

Test(off_cpu, all_calls_had_one)
{
	switch_out(add_switched(add_accumulator("a", 70, 71)), 200, 0, 50, 0);
	summarize();
	cr_expect_eq(summary.regions[0].calls, 1);
	cr_expect_eq(summary.regions[0].n_threads, 1);
	cr_expect_eq(value_of(RS_EVENT_CPU_TIME)->total, 75);
	cr_expect_eq(value_of(RS_EVENT_PREEMPTED)->total, 25);
}

/* On-CPU time is known on one thread and unknown on another one, so it is unknown for the
 * region. */
Test(off_cpu, unknown)
{
	add_calls();
	struct rs_accumulator *other = builder_accumulator(
		&builder, builder_slot(&builder, builder_process(&builder, 80), 81, 5000), 1);
	other->flags = RS_ACCUMULATOR_UNWATCHED;
	record(other, 200, 1);
	summarize();
	cr_expect_eq(summary.n_regions, 1);
	cr_expect_eq(summary.regions[0].calls, 5);
	EXPECT(value_of(RS_EVENT_CPU_TIME), "status=not-supported total=-");
	for (int k = 0; k < RS_OFF_N; k++)
		cr_expect_eq(
			value_of(RS_EVENT_BLOCKED + (size_t)k)->status, RS_VALUE_NOT_SUPPORTED);
	cr_expect(is_detailed("on-CPU time is unknown: 'a'"));
}

Test(off_cpu, a_thread_without_calls_knows_as_well)
{
	add_calls();
	struct rs_accumulator *other = builder_accumulator(
		&builder, builder_slot(&builder, builder_process(&builder, 80), 81, 5000), 1);
	other->flags = RS_ACCUMULATOR_UNWATCHED;
	other->diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = 1;
	summarize();
	cr_expect(rs_value_has_total(value_of(RS_EVENT_CPU_TIME)));
}

/*
 * 168 calls: two of 100 ns and two of 40,000 ns were measured. The former represent 11 calls each,
 * the latter 31 each; in each of the latter the thread was blocked for 39,800 ns. Two skipped calls
 * were blocked for 1,000 ns each.
 *
 * On-CPU time of 84 calls is 2 * 11 * 100 + 2 * 31 * 200 ns; 168 calls have twice as much. Off-CPU
 * time is that of these four calls, without weights.
 */
Test(off_cpu, off_cpu_time_has_no_weight)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("a", 70, 71);
	struct rs_accumulator *other = add_switched(accumulator);
	/* at least as long as all calls together */
	builder_slot_at(&builder, 0)->lifetime_ticks = 1000000;
	for (int i = 0; i < 2; i++) {
		struct builder_call call = CALL(200, 1, 1, 1);
		call.weight = 11;
		builder_record(&builder, accumulator, &call);
		switch_out(other, 80000, 79600, 0, 31);
	}
	accumulator->skipped = 164;
	struct builder switched = switched_builder();
	struct rs_off_sums *sums = &builder_rare(&switched, other)->off;
	sums->total[RS_OFF_BLOCKED] += 4000;
	sums->self[RS_OFF_BLOCKED] += 4000;
	sums->calls[RS_OFF_BLOCKED] += 2;
	summarize();
	cr_expect_eq(summary.regions[0].calls, 168);
	EXPECT(value_of(RS_EVENT_CPU_TIME), "total=29200 status=scaled");
	EXPECT(value_of(RS_EVENT_BLOCKED), "total=81600 counted=4 status=ok");
	cr_expect_eq(value_of(COLUMN_TIME)->total,
		value_of(RS_EVENT_CPU_TIME)->total + 2 * 39800 + 2 * 1000);
	cr_expect_eq(rs_value_self(value_of(COLUMN_TIME)), value_of(COLUMN_TIME)->total);
}

/* ---- invalid accumulators ---- */

static size_t damage_at(struct rs_accumulator *accumulator, uint32_t other)
{
	accumulator->switched = other;
	collect();
	cr_expect_eq(collection.n_results, 1);
	cr_expect_eq(collection.results[0].measured, 3);
	return collection.n_damaged;
}

Test(off_cpu, damage)
{
	struct rs_accumulator *accumulator = add_calls();
	struct rs_accumulator *other =
		(void *)(builder.base + (uint64_t)accumulator->switched * RS_OFFSET_UNIT);
	uint32_t place = accumulator->switched;
	cr_expect_eq(damage_at(accumulator, UINT32_MAX), 1, "beyond the segment");
	cr_expect_eq(damage_at(accumulator, 1), 1, "in the header");
	cr_expect_eq(damage_at(accumulator, (uint32_t)(offset_of(accumulator) / RS_OFFSET_UNIT)), 1,
		"itself");
	cr_expect_eq(damage_at(accumulator, place + 1), 1, "in the middle of another");
	other->region = 0;
	cr_expect_eq(damage_at(accumulator, place), 1, "another region's");
	other->region = accumulator->region;
	other->accumulator_units++;
	cr_expect_eq(damage_at(accumulator, place), 1, "of another size");
	other->accumulator_units--;
	other->calls_word += 4000;
	cr_expect_eq(damage_at(accumulator, place), 1, "sums that make no sense");
	other->calls_word -= 4000;
	struct builder switched = switched_builder();
	builder_rare(&switched, other)->off.total[RS_OFF_BLOCKED] = UINT64_MAX;
	cr_expect_eq(damage_at(accumulator, place), 1, "more off-CPU time than any thread has");
}

/* The other fields of an accumulator for calls with a context switch are ignored. */
Test(off_cpu, other_fields_of_switched_calls_are_ignored)
{
	struct rs_accumulator *accumulator = add_calls();
	struct rs_accumulator *other =
		(void *)(builder.base + (uint64_t)accumulator->switched * RS_OFFSET_UNIT);
	other->diag[RS_ACCUMULATOR_DIAG_LOST] = 7;
	other->skipped = 5;
	other->open = 3;
	other->switched = accumulator->switched;
	other->next = offset_of(accumulator);
	other->n_threads = 9;
	summarize();
	cr_expect_eq(summary.regions[0].calls, 4);
	cr_expect_eq(summary.regions[0].n_threads, 1);
	cr_expect_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_LOST], 0);
}

/* One thread has 200 us of the region, of which it was off its CPU for some, and the other thread
 * has other_ns. Return the region. */
static uint32_t share(uint64_t blocked_ns, uint64_t preempted_ns, uint64_t other_ns)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	switch_out(add_switched(accumulator), 400000, 2 * blocked_ns, 2 * preempted_ns, 0);
	uint32_t slot = builder_slot(&builder, 0, 72, 10000);
	record(builder_accumulator(&builder, slot, accumulator->region), 2 * other_ns, 1);
	summarize();
	return accumulator->region;
}

/* If the first thread was blocked for most of its time, it waited for the other one, and has no
 * more work. A third thread has 160 us. Without the thread that waited, the average is 100 us. */
Test(off_cpu, waiting_hides_no_work)
{
	share(110000, 0, 40000);
	uint32_t slot = builder_slot(&builder, 0, 73, 10000);
	record(builder_accumulator(&builder, slot, 1), 320000, 1);
	summarize();
	const struct rs_finding *finding = find_finding("imbalance");
	cr_assert(finding);
	cr_expect(strstr(finding->whole,
			  "thread 73 has 160 us of it, the average of 2 threads 100 us"),
		"%s", finding->whole);
}

Test(off_cpu, waiting_is_no_work)
{
	share(110000, 0, 40000);
	cr_expect_null(find_finding("imbalance"));
}

/* Threads that all wait share no work, but their times can be compared. */
Test(off_cpu, all_wait)
{
	struct rs_accumulator *accumulator = add_accumulator("wait", 70, 71);
	switch_out(add_switched(accumulator), 400000, 400000, 0, 0);
	summarize();
	const struct rs_balance *self = &summary.counts->regions[accumulator->region].self;
	cr_expect_eq(self->n_threads, 0);
	cr_expect(self->is_known);
}

Test(off_cpu, work_with_some_waiting)
{
	share(90000, 0, 40000);
	cr_expect(find_finding("imbalance"));
}

/* One thread has 200 us of the region and the other one 80 us. It was preempted in the difference,
 * so both did the same work. */
Test(off_cpu, waiting_for_a_cpu_is_no_work)
{
	const uint32_t region = share(0, 120000, 80000);
	const struct rs_balance *self = &summary.counts->regions[region].self;
	cr_expect_eq(self->n_threads, 2);
	cr_expect_float_eq(self->average, 80000, 1e-6);
	cr_expect_float_eq(self->most, 80000, 1e-6);
	cr_expect_null(find_finding("imbalance"));
}
