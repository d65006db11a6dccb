/* SPDX-License-Identifier: MIT */
/* Tests of rows: which are merged, split or excluded, and their order. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "fixture.h"

TestSuite(rows, .init = fixture_start, .fini = fixture_finish);

/* Return a text that shows all rows: "REGION under PARENT of PROCESS/THREAD NAME: CALLS in NS, OPEN
 * open". It does not show what a row does not have. */
static const char *show_rows(void)
{
	static char shown[1024];
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	for (size_t i = 0; i < summary.n_regions; i++) {
		const struct rs_summary_region *row = &summary.regions[i];
		fprintf(stream, "%s%s", i > 0 ? "; " : "", row->name);
		if (row->parent)
			fprintf(stream, " under %s", row->parent);
		if (row->process)
			fprintf(stream, " of %s", row->process->label);
		if (row->thread)
			fprintf(stream, "/%s%s%s", row->thread->label,
				*row->thread->name ? " " : "", row->thread->name);
		fprintf(stream, ": %" PRIu64, row->calls);
		if (rs_value_has_distribution(&row->values[COLUMN_TIME]))
			fprintf(stream, " in %" PRIu64, row->values[COLUMN_TIME].total);
		if (row->diag[RS_ACCUMULATOR_DIAG_OPEN] > 0)
			fprintf(stream, ", %" PRIu64 " open", row->diag[RS_ACCUMULATOR_DIAG_OPEN]);
		cr_expect(!row->thread || row->thread->process == row->process);
	}
	fclose(stream);
	return shown;
}

static void expect_rows(const char *text)
{
	summarize();
	cr_expect_str_eq(show_rows(), text, "%s", show_rows());
}

Test(rows, threads_and_processes_merge_by_region)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	uint32_t process = builder_process(&builder, 80);
	uint32_t slot = builder_slot(&builder, process, 81, 30000);
	record(builder_accumulator(&builder, slot, 1), 600, 3);
	expect_rows("render: 2 in 400");
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->n_threads, 2);
	EXPECT(&region->values[COLUMN_TIME], "avg=200 min=100 max=300 self_total=400");
	EXPECT(&region->values[COLUMN_INSTRUCTIONS], "total=4000");
	cr_assert_eq(region->slowest[COLUMN_TIME].total, 300);
}

Test(rows, split)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	uint32_t slot = builder_slot(&builder, 0, 72, 10000);
	record(builder_accumulator(&builder, slot, 1), 400, 1);
	slot = builder_slot(&builder, builder_process(&builder, 80), 81, 10000);
	record(builder_accumulator(&builder, slot, 1), 600, 3);
	options.per_process = true;
	expect_rows("render of 70: 2 in 300; render of 80: 1 in 300");
	cr_assert_str_eq(summary.regions[0].process->name, "made-up");
	options.per_thread = true;
	expect_rows("render of 70/71: 1 in 100; render of 70/72: 1 in 200; "
		    "render of 80/81: 1 in 300");
	cr_assert_eq(summary.n_merged, 1); /* the table shows the sums of all rows */
	cr_expect_eq(summary.merged[0].n_threads, 3);
	EXPECT(&summary.merged[0].values[COLUMN_TIME], "total=600 avg=200 min=100 max=300");
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
	builder_region(&builder, "render");
	for (uint32_t i = 0; i < 4; i++)
		add_row(builder_process(&builder, i < 3 ? 1 : 7), 1, "", 200 * (i + 1));
	options.per_process = true;
	expect_rows("render of 1: 1 in 100; render of 1.2: 1 in 200; render of 1.3: 1 in 300; "
		    "render of 7: 1 in 400");
	cr_assert_eq(summary.n_processes, 4);
	cr_assert_eq(summary.n_threads, 0);
}

/* A slot that threads used one after the other belongs to none of them. */
Test(rows, slots_of_several_threads)
{
	builder_region(&builder, "render");
	uint32_t process = builder_process(&builder, 70);
	for (uint32_t i = 0; i < 3; i++) {
		add_row(process, 70 + i, "last", 200);
		builder_slot_at(&builder, i)->n_threads = 3 - i;
	}
	options.per_thread = true;
	expect_rows("render of 70/several threads: 1 in 100; "
		    "render of 70/several threads.2: 1 in 100; render of 70/72 last: 1 in 100");
}

/* Thread ids repeat over time and in several namespaces. Labels are unique within a process. */
Test(rows, threads_of_one_id)
{
	static const char *const names[] = {"main", "first", "second"};
	builder_region(&builder, "render");
	uint32_t process = builder_process(&builder, 70);
	for (uint32_t i = 0; i < 3; i++)
		add_row(process, i == 0 ? 70 : 71, names[i], 200);
	add_row(builder_process(&builder, 70), 71, "stranger", 200);
	options.per_thread = true;
	expect_rows("render of 70/70 main: 1 in 100; render of 70/71 first: 1 in 100; "
		    "render of 70/71.2 second: 1 in 100; render of 70.2/71 stranger: 1 in 100");
	cr_assert_eq(summary.n_threads, 4);
}

/* A thread without a measured call is listed like any other thread. */
Test(rows, ended_thread_without_a_measured_call)
{
	builder_region(&builder, "render");
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 10000);
	builder_accumulator(&builder, slot, 1)->diag[RS_ACCUMULATOR_DIAG_CUT] = 3;
	options.per_thread = true;
	expect_rows("render of 70/71: 0");
}

Test(rows, first_seen_order_without_uncalled_regions)
{
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 1);
	uint32_t first = builder_region(&builder, "first");
	uint32_t second = builder_region(&builder, "second");
	uint32_t uncalled = builder_region(&builder, "uncalled");
	uint32_t told = builder_region(&builder, "told");
	record(builder_accumulator(&builder, slot, second), 2, 1);
	builder_accumulator(&builder, slot, uncalled);
	builder_accumulator(&builder, slot, told)->diag[RS_ACCUMULATOR_DIAG_UNMATCHED] = 3;
	record(builder_accumulator(&builder, slot, first), 2, 1);
	expect_rows("first: 1 in 1; second: 1 in 1; told: 0");
	cr_assert_eq(summary.regions[2].diag[RS_ACCUMULATOR_DIAG_UNMATCHED], 3);
	cr_assert_null(summary.regions[2].slowest);
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
	expect_rows("shared of 70: 1 in 100; shared of ?: 1 in 200");
}

/* The first thread started two calls, of which the second thread stopped one. Another process
 * started one call. So 2 calls are open. Which call the second thread stopped is unknown, and
 * threads that only stopped have nothing to tell. */
Test(rows, asynchronous_calls_never_stopped)
{
	struct rs_accumulator *first = add_accumulator("request", 70, 71);
	record(first, 200, 1);
	first->pending = 2;
	struct rs_accumulator *second = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 1), first->region);
	second->pending = (uint64_t)-1;
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 80), 81, 1);
	builder_accumulator(&builder, slot, first->region)->pending = 1;
	expect_rows("request: 1 in 100, 2 open");
	options.per_process = true;
	expect_rows("request of 70: 1 in 100, 1 open; request of 80: 0, 1 open");
	options.per_thread = true;
	expect_rows("request of 70/71: 1 in 100, 2 open");
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
	expect_rows("request of 70/72: 1 in 100");
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
	expect_rows("main: 1 in 500; leaf under main: 1 in 50");
}

/* "leaf" is nested in "left" on one thread and in "right" on the other, and both of these in
 * "main". The parent of all its rows is "main". */
Test(rows, the_tree_is_of_all_threads)
{
	static const char *const names[] = {"main", "left", "right", "leaf"};
	static const uint16_t parents[] = {RS_PARENT_NONE, RS_PARENT_FIRST + 1, RS_PARENT_FIRST + 1,
		RS_PARENT_FIRST + 2, RS_PARENT_FIRST + 3};
	uint32_t process = builder_process(&builder, 70);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t region = i < 4 ? builder_region(&builder, names[i]) : 4;
		struct rs_accumulator *accumulator = builder_accumulator(
			&builder, builder_slot(&builder, process, 71 + i, 10000), region);
		record(accumulator, 100, 1);
		accumulator->parents[0] = parents[i];
	}
	options.per_thread = true;
	expect_rows("main of 70/71: 1 in 50; left under main of 70/72: 1 in 50; "
		    "right under main of 70/73: 1 in 50; leaf under main of 70/74: 1 in 50; "
		    "leaf under main of 70/75: 1 in 50");
}
