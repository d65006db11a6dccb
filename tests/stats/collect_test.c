/* SPDX-License-Identifier: MIT */
/* Tests of collecting valid segments: everything that was recorded is read, also after a kill. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "fixture.h"
#include "stats/histogram.h"

TestSuite(collect, .init = fixture_start_ticks, .fini = fixture_finish);

/* Add a thread slot with an accumulator for each name. */
static uint32_t add_slot(uint32_t process, uint32_t tid)
{
	return builder_slot(&builder, process, tid, 5000);
}

static void record_call(
	struct rs_accumulator *accumulator, uint64_t time, uint64_t first, uint32_t not_counted)
{
	uint64_t deltas[] = {time, first, first * 2, first * 3};
	struct builder_call call = {.deltas = deltas,
		.not_counted = not_counted,
		.enabled_ns = 10,
		.running_ns = not_counted ? 5 : 10,
		.start_ticks = 400 + time,
		.pid = 70,
		.tid = 71};
	builder_record(&builder, accumulator, &call);
}

Test(collect, empty_segment)
{
	collect();
	cr_assert_eq(collection.n_regions, 1);
	cr_assert_str_eq(collection.regions[0].name, "(other)");
	cr_assert(collection.regions[0].ready);
	cr_assert_eq(collection.n_threads, 0);
	cr_assert_eq(collection.n_results, 0);
	cr_assert_eq(collection.n_processes, 0);
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.counter_group[2], 0);
	cr_assert_eq(collection.counter_group[3], 1);
}

Test(collect, one_accumulator_with_all_that_it_holds)
{
	uint32_t process = builder_process(&builder, 70);
	uint32_t slot = add_slot(process, 71);
	struct rs_accumulator *accumulator = builder_accumulator(
		&builder, slot, builder_region(&builder, "render"));
	accumulator->diag[RS_ACCUMULATOR_DIAG_LOST] = 7;
	accumulator->open = 1;
	record_call(accumulator, 100, 10, 0);
	record_call(accumulator, 300, 30, 0);
	record_call(accumulator, 200, 20, 2);
	collect();

	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	cr_assert_eq(collection.n_results, 1);
	cr_assert_str_eq(collection.regions[1].name, "render");
	const struct rs_result *copy = &collection.results[0];
	cr_assert_eq(copy->region, 1);
	cr_assert_eq(copy->process, process);
	cr_assert_eq(copy->measured, 3);
	cr_assert_eq(copy->diag[RS_ACCUMULATOR_DIAG_LOST], 7);
	cr_assert_eq(copy->diag[RS_ACCUMULATOR_DIAG_OPEN], 1);
	EXPECT(&copy->values[rs_event_of_counter(1)], "counted=3");

	const struct rs_value *time = &copy->values[RS_EVENT_TIME];
	/* 100 * 100 + 100 * 100, around 200 */
	EXPECT(time, "sum=600 min=100 max=300 square=20000 buckets=3");
	cr_assert_eq(time->histogram.buckets[0].low, 100);
	cr_assert_not(time->histogram.incomplete);

	/* 3 * (10 + 30 + 20), and 3 * (10 + 30) */
	EXPECT(&copy->values[rs_event_of_counter(3)],
		"total=180 counted=2 sum=120 max=90 buckets=2 enabled_ns=30 running_ns=25");

	cr_assert_eq(copy->slowest_start_ns, 700);
	cr_assert_eq(copy->slowest_pid, 70);
	cr_assert_eq(copy->slowest_tid, 71);
	uint64_t deltas[] = {300, 30, 60, 90};
	for (uint32_t q = 0; q < 4; q++)
		cr_assert_eq(copy->values[rs_event_of_counter(q)].slowest, deltas[q]);
}

Test(collect, slowest_call_that_was_not_counted)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, 0);
	record_call(accumulator, 100, 10, 1);
	collect();
	const struct rs_value *values = collection.results[0].values;
	cr_assert_eq(values[rs_event_of_counter(1)].slowest, UINT64_MAX);
	EXPECT(&values[RS_EVENT_TIME], "slowest=100");
	EXPECT(&values[rs_event_of_counter(3)], "slowest=30");
	EXPECT(&values[rs_event_of_counter(1)], "total=10 max=-");
}

/* Kill the program at each step of a call of this time. Before it there were two calls, of 1000 and
 * 5000 ticks. Samples represent 3 and 5 calls, and the last one 11. */
static void kill_in_a_call(uint64_t ticks, bool is_sampled)
{
	static const unsigned steps[] = {
		1, 2, 3, 4, 5, BUILDER_SQUARED, BUILDER_FOLDED, BUILDER_STORED};
	const unsigned n = sizeof(steps) / sizeof(steps[0]);
	const uint64_t weight = is_sampled ? 8 : 2;
	if (is_sampled)
		builder_sample(&builder);
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	for (unsigned i = 0; i < n; i++) {
		char name[] = {'a', (char)('a' + i), 0};
		uint64_t deltas[][4] = {
			{1000, 10, 20, 30}, {5000, 20, 40, 60}, {ticks, 10, 20, 30}};
		struct rs_accumulator *accumulator = builder_accumulator(
			&builder, slot, builder_region(&builder, name));
		for (unsigned c = 0; c < 3; c++) {
			const struct builder_call call = {.deltas = deltas[c],
				.children = c == 2 ? 3 : 0,
				.not_counted = c == 2 && !is_sampled,
				.weight = is_sampled ? (unsigned[]){3, 5, 11}[c] : 1};
			builder_record_until(
				&builder, accumulator, &call, c < 2 ? BUILDER_RECORDED : steps[i]);
		}
	}
	collect();
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	cr_assert_eq(collection.n_results, n);
	for (unsigned i = 0; i < n; i++) {
		const struct rs_result *copy = &collection.results[i];
		cr_expect_eq(copy->measured, 2);
		cr_expect_eq(copy->weight, weight);
		for (uint32_t m = 0; m < 4; m++) {
			const struct rs_histogram *histogram =
				&copy->values[rs_event_of_counter(m)].histogram;
			cr_expect_eq(
				rs_histogram_count(histogram), weight, "step %u, %u", steps[i], m);
			cr_expect_not(histogram->incomplete);
		}
		const struct rs_value *time = &copy->values[RS_EVENT_TIME];
		/* these are in the buckets of 1000 to 1007 and 4992 to 5055, with these middles */
		cr_assert_eq(time->histogram.n, 2);
		cr_expect_eq(time->histogram.buckets[0].low, rs_histogram_bucket(1003, 1).low);
		cr_expect_eq(time->histogram.buckets[1].low, rs_histogram_bucket(5023, 1).low);
		/* 3 * 2500^2 + 5 * 1500^2 around 3500 */
		EXPECT(time, is_sampled ? "sum=28000 square=30000000 max=5000 min=1000"
					: "sum=6000 square=8000000 max=5000 min=1000");
		cr_assert_eq(copy->n_octaves, 2);
		for (unsigned o = 0; o < 2; o++) {
			const uint64_t one = is_sampled ? (o ? 3 : 5) : 1;
			cr_expect_eq(copy->octaves[o].weight, one);
			for (unsigned e = 0; e < 3; e++)
				cr_expect_eq(
					copy->octaves[o].sums[e], one * (e + 1) * (o ? 10 : 20));
		}
		cr_expect_eq(copy->values[rs_event_of_counter(3)].max, 60);
	}
	fixture_finish();
	fixture_start_ticks();
}

/* The program is killed between two stores of a call. The call is missing completely, and the one
 * before it is there completely, even if both belong to the same counts. */
Test(collect, killed_while_a_call_was_recorded)
{
	for (int is_sampled = 0; is_sampled < 2; is_sampled++) {
		kill_in_a_call(700, is_sampled);
		kill_in_a_call(5000, is_sampled);
	}
}

/* The latest call is stored but not yet counted, so it is ignored. Odd words mean that it
 * counts. */
Test(collect, what_is_stored_and_no_call_is_not_read)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, 0);
	uint64_t deltas[] = {700, 10, 20, 30};
	struct builder_call call = {.deltas = deltas};
	record_call(accumulator, 1000, 10, 0);
	builder_record_until(&builder, accumulator, &call, BUILDER_STORED);
	accumulator->latest_time = UINT64_MAX;
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.results[0].measured, 1);
	cr_assert_eq(collection.results[0].values[RS_EVENT_TIME].max, 1000);
}

/* The overhead inside calls is in each value of an accumulator, and is subtracted. */
Test(collect, overhead_is_subtracted)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, 0);
	int64_t *inside = (void *)((char *)accumulator + rs_accumulator_inside_offset(3));
	inside[0] = 40;
	inside[1] = -2;
	for (uint64_t i = 0; i < 4; i++) {
		uint64_t deltas[] = {30 + 20 * i, 7, 20, 30}; /* 30, 50, 70, 90 */
		struct builder_call call = {.deltas = deltas, .enabled_ns = 1, .running_ns = 1};
		builder_record(&builder, accumulator, &call);
	}
	collect();
	const struct rs_value *time = &collection.results[0].values[RS_EVENT_TIME];
	/* 240 - 4 * 40; 900 + 100 + 100 + 900 around 60, as measured */
	EXPECT(time, "sum=80 min=0 max=50 square=2000 buckets=4");
	cr_expect_eq(collection.results[0].diag[RS_ACCUMULATOR_DIAG_CLAMPED], 1);
	cr_expect(time->is_clamped);
	cr_expect_not(collection.results[0].values[rs_event_of_counter(1)].is_clamped);
	cr_expect_eq(collection.results[0].values[rs_event_of_counter(1)].sum, 4 * 9);
	cr_expect_eq(time->histogram.buckets[3].low, 50);
}

Test(collect, refused_memory_makes_the_histogram_incomplete)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, 0);
	record_call(accumulator, 10, 10, 0);
	record_call(accumulator, 1000000, 10, 0);
	record_call(accumulator, 20, 10, 0);
	--*builder_count(&builder, accumulator, 0, 1000000);
	++*builder_count(
		&builder, accumulator, 0, 31); /* the last bucket that there was memory for */
	for (uint32_t e = 0; e < 3; e++) {
		uint64_t *sum = &builder_sums(&builder, accumulator, 1000000)[e];
		builder_sums(&builder, accumulator, 31)[e] += *sum;
		*sum = 0;
	}
	accumulator->flags = RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE;
	collect();
	const struct rs_result *copy = &collection.results[0];
	cr_assert(copy->values[RS_EVENT_TIME].histogram.incomplete);
	EXPECT(&copy->values[RS_EVENT_TIME], "max=1000000 sum=1000030");
	cr_assert_eq(collection.n_damaged, 0);
}

Test(collect, slots_keep_their_order_and_lifetimes)
{
	uint32_t process = builder_process(&builder, 70);
	uint32_t first = add_slot(process, 0), second = add_slot(process, 72);
	builder_slot_at(&builder, second)->attached_ticks = 999000;
	uint32_t render = builder_region(&builder, "render");
	uint32_t parse = builder_region(&builder, "parse");
	builder_time(&builder, builder_accumulator(&builder, second, parse), 1);
	builder_time(&builder, builder_accumulator(&builder, first, parse), 2);
	builder_time(&builder, builder_accumulator(&builder, first, render), 3);
	collect();
	cr_assert_eq(collection.n_threads, 2);
	cr_assert_eq(collection.threads[0].lifetime_ns, 5000);
	cr_assert_eq(collection.threads[1].lifetime_ns, 5000 + 1000);
	cr_assert_eq(collection.threads[1].tid, 72);
	cr_assert_eq(collection.n_results, 3);
	cr_assert_eq(collection.results[0].values[RS_EVENT_TIME].max, 2);
	cr_assert_eq(collection.results[1].values[RS_EVENT_TIME].max, 3);
	cr_assert_eq(collection.results[2].values[RS_EVENT_TIME].max, 1);
}

Test(collect, lifetimes_end_with_the_process)
{
	uint32_t process = builder_process(&builder, 70);
	uint32_t slot = add_slot(process, 71);
	builder_slot_at(&builder, slot)->attached_ticks = 400000;
	builder_process_at(&builder, process)->exit_ticks = 500000;
	collect();
	cr_assert_eq(collection.threads[0].lifetime_ns, 5000 + 100000);
}

/* If the end of a lifetime is a guess, the thread lived at least as long as its calls. Asynchronous
 * ones are not among these. */
Test(collect, guessed_lifetimes_last_as_long_as_the_calls)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	builder_slot_at(&builder, slot)->lacks_end = 1;
	builder_time(&builder,
		builder_accumulator(&builder, slot, builder_region(&builder, "render")), 7000);
	struct rs_accumulator *request = builder_accumulator(
		&builder, slot, builder_region(&builder, "request"));
	request->parents[0] = 0;
	builder_time(&builder, request, 9000);
	collect();
	cr_expect_eq(collection.threads[0].lifetime_ns, 7000);
}

Test(collect, what_processes_say)
{
	uint32_t index = builder_process(&builder, 70);
	struct rs_process *process = builder_process_at(&builder, index);
	plan_example_init(&plan);
	collection.plan = &plan.plan;
	process->open_errno = 24;
	process->open_event = 2;
	process->inactive_event = 2;
	process->diag[RS_PROCESS_DIAG_TIME_ONLY] = 9;
	builder.segment.header->diag[RS_SEGMENT_DIAG_MEMORY] = 4;
	strcpy(builder.segment.header->load_error, "no such file");
	collect();
	cr_assert_eq(collection.n_processes, 1);
	cr_assert_eq(collection.processes[0].pid, 70);
	cr_assert_str_eq(collection.processes[0].name, "made-up");
	cr_assert_eq(collection.processes[0].open_errno, 24);
	cr_assert_eq(collection.processes[0].open_event, RS_EVENT_FIRST + 2);
	cr_assert_eq(collection.processes[0].inactive_event, RS_EVENT_FIRST + 1);
	cr_assert_eq(collection.processes[0].rank, RS_NO_RANK);
	cr_assert_eq(collection.processes[0].diag[RS_PROCESS_DIAG_TIME_ONLY], 9);
	cr_assert_eq(collection.diag[RS_SEGMENT_DIAG_MEMORY], 4);
	cr_assert_str_eq(collection.load_error, "no such file");
}

/* Entries that the program had taken but not filled when it died are ignored. */
Test(collect, entries_in_the_making_are_passed_over)
{
	builder.segment.header->n_regions = 3;
	builder.segment.header->n_slots = 2;
	builder.segment.header->n_processes = 2;
	builder_process_at(&builder, 0)->state = RS_PROCESS_CLAIMED;
	builder_process_at(&builder, 0)->pid = 5;
	collect();
	cr_assert_eq(collection.n_regions, 3);
	cr_assert_not(collection.regions[2].ready);
	cr_assert_eq(collection.n_threads, 0);
	cr_assert_eq(collection.n_processes, 0);
	cr_assert_eq(collection.n_damaged, 0);
}

/* Fetch-and-add may increase numbers beyond the capacity of tables. */
Test(collect, numbers_may_run_past_the_capacities)
{
	builder.segment.header->n_regions = RS_MAX_REGIONS + 17;
	builder.segment.header->n_slots = UINT32_MAX;
	builder.segment.header->n_processes = RS_MAX_PROCESSES + 1;
	collect();
	cr_assert_eq(collection.n_regions, RS_MAX_REGIONS);
	cr_assert_eq(collection.n_threads, 0);
	cr_assert_eq(collection.n_damaged, 0);
}

/* Reading must not allocate the holes of the sparse segment. */
Test(collect, holes_stay_holes)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	builder_time(&builder, builder_accumulator(&builder, slot, 0), 9);
	builder.segment.header->n_slots = RS_MAX_SLOTS;
	off_t before = lseek(builder.segment.fd, (off_t)BUILDER_BYTES, SEEK_DATA);
	collect();
	off_t after = lseek(builder.segment.fd, (off_t)BUILDER_BYTES, SEEK_DATA);
	cr_assert_eq(before, -1);
	cr_assert_eq(after, -1);
}

static _Atomic bool stop;

/* Record calls of 1000 to 1999 ticks. The pause after each is longer than a reading with a
 * sanitizer takes. */
static void *write_calls(void *argument)
{
	for (uint64_t i = 0; !stop; i++) {
		record_call(argument, 1000 + i % 1000, i % 50, 0);
		for (uint32_t k = 0; k < 200000; k++)
			__asm__ volatile("");
	}
	return NULL;
}

/* While a program runs, each reading shows a single point in time. */
Test(collect, accumulator_that_is_being_written)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, 0);
	pthread_t writer;
	uint64_t calls = 0;
	record_call(accumulator, 1000, 0, 0);
	cr_assert_eq(pthread_create(&writer, NULL, write_calls, accumulator), 0);
	for (int i = 0; i < 300; i++) {
		collect();
		cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
		cr_assert_eq(collection.n_results, 1);
		const struct rs_result *copy = &collection.results[0];
		cr_assert_geq(copy->measured, calls);
		calls = copy->measured;
		cr_assert_eq(copy->values[rs_event_of_counter(1)].enabled_ns, calls * 10);
		cr_assert_eq(copy->values[rs_event_of_counter(2)].sum,
			copy->values[rs_event_of_counter(1)].sum * 2);
		cr_assert_eq(copy->values[rs_event_of_counter(3)].sum,
			copy->values[rs_event_of_counter(1)].sum * 3);
	}
	stop = true;
	pthread_join(writer, NULL);
}

Test(collect, regions_in_which_calls_began)
{
	uint32_t slot = add_slot(builder_process(&builder, 70), 71);
	struct rs_accumulator *accumulators[3];
	static const char *const names[] = {"one", "two", "three"};
	for (int i = 0; i < 3; i++)
		accumulators[i] = builder_accumulator(
			&builder, slot, builder_region(&builder, names[i]));
	/* parents are region 1, none, and region 3 in the last entry */
	accumulators[0]->parents[0] = accumulators[2]->parents[0] = RS_PARENT_FREE;
	accumulators[1]->parents[0] = RS_PARENT_FIRST + 1;
	accumulators[1]->parents[1] = RS_PARENT_NONE;
	accumulators[1]->parents[11] = RS_PARENT_FIRST + 3;
	/* parents are "(other)" and regions that do not exist */
	accumulators[2]->parents[4] = RS_PARENT_FIRST;
	accumulators[2]->parents[6] = RS_PARENT_FIRST + 4;
	accumulators[2]->parents[7] = 0xffff;
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.results[0].n_parents, 0);
	cr_assert_eq(collection.results[1].n_parents, 3);
	cr_assert_eq(collection.results[1].parents[0], 1);
	cr_assert_eq(collection.results[1].parents[1], RS_NO_REGION);
	cr_assert_eq(collection.results[1].parents[2], 3);
	cr_assert_eq(collection.results[2].n_parents, 3);
	cr_assert_eq(collection.results[2].parents[0], 0);
	cr_assert_eq(collection.results[2].parents[1], RS_NO_REGION);
	cr_assert_eq(collection.results[2].parents[2], RS_NO_REGION);
}
