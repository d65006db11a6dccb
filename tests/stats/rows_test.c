/* SPDX-License-Identifier: MIT */
/* Tests of rows: which are merged, split or excluded, and their order. */
#include <criterion/criterion.h>
#include <string.h>

#include "expect.h"
#include "fixture.h"

TestSuite(rows, .init = fixture_start, .fini = fixture_finish);

Test(rows, threads_and_processes_merge_by_region)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	uint32_t process = builder_process(&builder, 80);
	uint32_t slot = builder_slot(&builder, process, 81, 30000);
	record(builder_accumulator(&builder, slot, 1), 600, 3);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 2);
	cr_assert_eq(region->n_threads, 2);
	EXPECT(&region->values[COLUMN_TIME], "avg=200 min=100 max=300");
	cr_assert_eq(region->values[COLUMN_INSTRUCTIONS].total, 4000);
	cr_assert_eq(rs_value_self(&region->values[COLUMN_TIME]), 400);
	cr_assert_eq(region->slowest[COLUMN_TIME].total, 300);
}

static void fill_two_processes(void)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	uint32_t slot = builder_slot(&builder, 0, 72, 10000);
	record(builder_accumulator(&builder, slot, 1), 400, 1);
	slot = builder_slot(&builder, builder_process(&builder, 80), 81, 10000);
	record(builder_accumulator(&builder, slot, 1), 600, 3);
}

Test(rows, split_by_process)
{
	options.per_process = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_str_eq(summary.regions[0].process->label, "70");
	cr_assert_str_eq(summary.regions[0].process->name, "made-up");
	cr_assert_null(summary.regions[0].thread);
	cr_assert_eq(summary.regions[0].calls, 2);
	cr_assert_str_eq(summary.regions[1].process->label, "80");
	cr_assert_eq(summary.regions[1].calls, 1);
}

Test(rows, split_by_thread)
{
	static const char *const tids[] = {"71", "72", "81"};
	options.per_thread = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_str_eq(summary.regions[i].thread->label, tids[i]);
		cr_assert_eq(summary.regions[i].thread->process, summary.regions[i].process);
		cr_assert_eq(summary.regions[i].calls, 1);
		cr_assert_eq(summary.regions[i].values[COLUMN_TIME].total, 100 * (i + 1));
	}
}

static void add_row(uint32_t process, uint32_t tid, const char *name, uint64_t ticks)
{
	uint32_t slot = builder_slot(&builder, process, tid, 10000);
	strcpy(builder_slot_at(&builder, slot)->name, name);
	record(builder_accumulator(&builder, slot, 1), ticks, 1);
}

/* Three processes have pid 1 in their namespaces. Each has a row and a label that is unique in the
 * report. */
Test(rows, processes_of_one_pid)
{
	static const char *const labels[] = {"1", "1.2", "1.3", "7"};
	builder_region(&builder, "render");
	for (uint32_t i = 0; i < 4; i++)
		add_row(builder_process(&builder, i < 3 ? 1 : 7), 1, "", 200 * (i + 1));
	options.per_process = true;
	summarize();
	cr_assert_eq(summary.n_regions, 4);
	cr_assert_eq(summary.n_processes, 4);
	cr_assert_eq(summary.n_threads, 0);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_str_eq(summary.regions[i].process->label, labels[i]);
		cr_assert_eq(summary.regions[i].calls, 1);
		cr_assert_eq(summary.regions[i].values[COLUMN_TIME].total, 100 * (i + 1));
	}
}

/* A slot that threads used one after the other belongs to none of them. */
Test(rows, slots_of_several_threads)
{
	static const char *const labels[] = {"several threads", "several threads.2", "72"};
	builder_region(&builder, "render");
	uint32_t process = builder_process(&builder, 70);
	for (uint32_t i = 0; i < 3; i++) {
		add_row(process, 70 + i, "last", 200);
		builder_slot_at(&builder, i)->n_threads = 3 - i;
	}
	options.per_thread = true;
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_str_eq(summary.regions[i].thread->label, labels[i]);
		cr_assert_str_eq(summary.regions[i].thread->name, i < 2 ? "" : "last");
	}
}

/* Thread ids repeat over time and in several namespaces. Labels are unique within a process. */
Test(rows, threads_of_one_id)
{
	static const char *const names[] = {"main", "first", "second", "stranger"};
	static const char *const labels[] = {"70", "71", "71.2", "71"};
	builder_region(&builder, "render");
	uint32_t process = builder_process(&builder, 70);
	for (uint32_t i = 0; i < 3; i++)
		add_row(process, i == 0 ? 70 : 71, names[i], 200);
	add_row(builder_process(&builder, 70), 71, names[3], 200);
	options.per_thread = true;
	summarize();
	cr_assert_eq(summary.n_regions, 4);
	cr_assert_eq(summary.n_threads, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_str_eq(summary.regions[i].thread->label, labels[i]);
		cr_assert_str_eq(summary.regions[i].thread->name, names[i]);
		cr_assert_str_eq(summary.regions[i].process->label, i < 3 ? "70" : "70.2");
	}
}

/* A thread without a measured call is listed like any other thread. */
Test(rows, ended_thread_without_a_measured_call)
{
	builder_region(&builder, "render");
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 10000);
	builder_accumulator(&builder, slot, 1)->diag[RS_ACCUMULATOR_DIAG_CUT] = 3;
	options.per_thread = true;
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_assert_eq(summary.regions[0].calls, 0);
	cr_assert_str_eq(summary.regions[0].process->label, "70");
	cr_assert_str_eq(summary.regions[0].thread->label, "71");
}

Test(rows, first_seen_order_without_uncalled_regions)
{
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 1);
	uint32_t first = builder_region(&builder, "first");
	uint32_t second = builder_region(&builder, "second");
	uint32_t uncalled = builder_region(&builder, "uncalled");
	uint32_t told = builder_region(&builder, "told");
	record(builder_accumulator(&builder, slot, second), 1, 1);
	builder_accumulator(&builder, slot, uncalled);
	builder_accumulator(&builder, slot, told)->diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = 3;
	record(builder_accumulator(&builder, slot, first), 1, 1);
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	cr_assert_str_eq(summary.regions[0].name, "first");
	cr_assert_str_eq(summary.regions[1].name, "second");
	cr_assert_str_eq(summary.regions[2].name, "told");
	cr_assert_eq(summary.regions[2].diag[RS_ACCUMULATOR_DIAG_UNMATCHED], 3);
	cr_assert_null(summary.regions[2].slowest);
	cr_assert_not(rs_value_has_distribution(&summary.regions[2].values[COLUMN_TIME]));
}

/* A program or a stray write may name process entries that were never used. */
Test(rows, slots_of_processes_that_left_no_entry)
{
	uint32_t entry = builder_process(&builder, 70);
	uint32_t known = builder_slot(&builder, entry, 71, 10000);
	uint32_t unknown = builder_slot(&builder, RS_MAX_PROCESSES - 1, 72, 10000);
	uint32_t region = builder_region(&builder, "shared");
	record(builder_accumulator(&builder, known, region), 200, 1);
	record(builder_accumulator(&builder, unknown, region), 400, 1);
	options.per_process = true;
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_str_eq(summary.regions[0].process->label, "70");
	cr_assert_eq(summary.regions[0].values[COLUMN_TIME].total, 100);
	cr_assert_str_eq(summary.regions[1].process->label, "?");
	cr_assert_eq(summary.regions[1].values[COLUMN_TIME].total, 200);
}

/* The first thread started two calls, of which the second thread stopped one. Another process
 * started one call. So 2 calls are open. */
static void fill_pending(void)
{
	struct rs_accumulator *first = add_accumulator("request", 70, 71);
	record(first, 200, 1);
	first->pending = 2;
	struct rs_accumulator *second = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 1), first->region);
	second->pending = (uint64_t)-1;
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 80), 81, 1);
	builder_accumulator(&builder, slot, first->region)->pending = 1;
}

Test(rows, asynchronous_calls_never_stopped)
{
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_expect_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 2);
}

Test(rows, asynchronous_calls_never_stopped_by_process)
{
	options.per_process = true;
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_expect_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 1);
	cr_expect_str_eq(summary.regions[1].process->label, "80");
	cr_expect_eq(summary.regions[1].diag[RS_ACCUMULATOR_DIAG_OPEN], 1);
}

/* Which call the second thread stopped is unknown. The rows have 2 open calls together. */
Test(rows, asynchronous_calls_never_stopped_by_thread)
{
	options.per_thread = true;
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 1, "threads that only stopped have nothing to tell");
	cr_expect_str_eq(summary.regions[0].thread->label, "71");
	cr_expect_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 2);
}

/* All calls were stopped, on other threads. */
Test(rows, asynchronous_calls_stopped_elsewhere)
{
	struct rs_accumulator *accumulator = add_accumulator("request", 70, 71);
	accumulator->pending = 5;
	accumulator = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 1), accumulator->region);
	accumulator->pending = (uint64_t)-5;
	record(accumulator, 200, 1);
	options.per_thread = true;
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_expect_str_eq(summary.regions[0].thread->label, "72");
	cr_expect_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 0);
	cr_expect_eq(count_findings(RS_WARNING), 0);
}

/* Asynchronous calls are not nested, so their self time is unknown. */
Test(rows, asynchronous_calls_have_no_self)
{
	struct rs_accumulator *accumulator = add_accumulator("request", 70, 71);
	accumulator->parents[0] = RS_PARENT_FREE;
	record(accumulator, 200, 1);
	record(add_accumulator("nests", 80, 81), 200, 1);
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	const struct rs_summary_region *request = &summary.regions[0], *nests = request + 1;
	for (size_t c = 0; c < N_COLUMNS; c++) {
		cr_expect(request->values[c].lacks_self, "%zu", c);
		cr_expect_eq(rs_value_self(&request->values[c]), 0, "%zu", c);
		cr_expect_not(nests->values[c].lacks_self, "%zu", c);
	}
	cr_expect_eq(request->values[COLUMN_TIME].total, 100);
	cr_expect_eq(rs_value_self(&nests->values[COLUMN_TIME]), 100);
}

/* Region 1 contains 2, which contains 3, but 2 has no row. Other threads have the same nesting or
 * none. */
Test(rows, a_region_stands_under_the_next_that_has_a_row)
{
	struct rs_accumulator *main = add_accumulator("main", 70, 71);
	struct rs_accumulator *blank = add_accumulator("blank", 70, 72);
	struct rs_accumulator *leaf = add_accumulator("leaf", 70, 73);
	record(main, 1000, 1);
	record(leaf, 100, 1);
	main->parents[0] = RS_PARENT_NONE;
	blank->parents[0] = RS_PARENT_FIRST + 1;
	leaf->parents[0] = RS_PARENT_FIRST + 2;
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_null(summary.regions[0].parent);
	cr_assert_str_eq(summary.regions[1].parent, "main");
}

/* "leaf" is nested in "left" on one thread and in "right" on the other, and both of these in
 * "main". The parent of all its rows is "main". */
Test(rows, the_tree_is_of_all_threads)
{
	struct rs_accumulator *main = add_accumulator("main", 70, 71);
	struct rs_accumulator *left = add_accumulator("left", 70, 72),
			      *right = add_accumulator("right", 70, 73);
	struct rs_accumulator *leaf = add_accumulator("leaf", 70, 74);
	struct rs_accumulator *other = builder_accumulator(
		&builder, builder_slot(&builder, 0, 75, 10000), 4);
	struct rs_accumulator *const accumulators[] = {main, left, right, leaf, other};
	static const uint16_t parents[] = {RS_PARENT_NONE, RS_PARENT_FIRST + 1, RS_PARENT_FIRST + 1,
		RS_PARENT_FIRST + 2, RS_PARENT_FIRST + 3};
	options.per_thread = true;
	for (int i = 0; i < 5; i++) {
		record(accumulators[i], 100, 1);
		accumulators[i]->parents[0] = parents[i];
	}
	summarize();
	cr_assert_eq(summary.n_regions, 5);
	cr_assert_null(summary.regions[0].parent);
	for (int i = 1; i < 5; i++)
		cr_assert_str_eq(summary.regions[i].parent, "main");
}
