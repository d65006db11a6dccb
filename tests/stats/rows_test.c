/* Rows: what is merged, what is split, in which order, and what is left out. */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(rows, .init = fixture_start, .fini = fixture_finish);

Test(rows, threads_and_processes_merge_by_region)
{
	record(add_cell("render", 70, 71), 200, 1);
	uint32_t process = builder_process(&builder, 80);
	uint32_t slot = builder_slot(&builder, process, 81, 30000);
	record(builder_cell(&builder, slot, 1), 600, 3);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 2);
	cr_assert_eq(region->n_threads, 2);
	cr_assert_eq(region->values[COLUMN_TIME].avg, 200);
	cr_assert_eq(region->values[COLUMN_TIME].min, 100);
	cr_assert_eq(region->values[COLUMN_TIME].max, 300);
	cr_assert_eq(region->values[COLUMN_INSTRUCTIONS].total, 4000);
	cr_assert_float_eq(region->share, 800.0 / 40000, 1e-12);
	cr_assert_eq(region->slowest[COLUMN_TIME].total, 300);
}

static void fill_two_processes(void)
{
	record(add_cell("render", 70, 71), 200, 1);
	uint32_t slot = builder_slot(&builder, 0, 0, 10000);
	struct rs_cell *ended = builder_cell(&builder, slot, 1);
	uint64_t deltas[] = {400, 1, 1, 1};
	struct builder_call call = call_of(deltas);
	call.tid = 72;
	builder_record(&builder, ended, &call);
	slot = builder_slot(&builder, builder_process(&builder, 80), 81, 10000);
	record(builder_cell(&builder, slot, 1), 600, 3);
}

Test(rows, split_by_process)
{
	options.per_process = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_eq(summary.regions[0].pid, 70);
	cr_assert_eq(summary.regions[0].tid, 0);
	cr_assert_eq(summary.regions[0].calls, 2);
	cr_assert_eq(summary.regions[1].pid, 80);
	cr_assert_eq(summary.regions[1].calls, 1);
}

/* A thread that has ended is known by what it called. */
Test(rows, split_by_thread)
{
	static const uint32_t tids[] = {71, 72, 81};
	options.per_thread = true;
	fill_two_processes();
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(summary.regions[i].tid, tids[i]);
		cr_assert_eq(summary.regions[i].calls, 1);
		cr_assert_eq(summary.regions[i].values[COLUMN_TIME].total, 100 * (i + 1));
	}
}

Test(rows, first_seen_order_and_uncalled_left_out)
{
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, 1);
	uint32_t first = builder_region(&builder, "first");
	uint32_t second = builder_region(&builder, "second");
	uint32_t uncalled = builder_region(&builder, "uncalled");
	uint32_t told = builder_region(&builder, "told");
	record(builder_cell(&builder, slot, second), 1, 1);
	builder_cell(&builder, slot, uncalled);
	builder_cell(&builder, slot, told)->diag[RS_CELL_DIAG_UNMATCHED] = 3;
	record(builder_cell(&builder, slot, first), 1, 1);
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	cr_assert_str_eq(summary.regions[0].name, "first");
	cr_assert_str_eq(summary.regions[1].name, "second");
	cr_assert_str_eq(summary.regions[2].name, "told");
	cr_assert_eq(summary.regions[2].diag[RS_CELL_DIAG_UNMATCHED], 3);
	cr_assert_null(summary.regions[2].slowest);
	cr_assert_not(summary.regions[2].values[COLUMN_TIME].has_distribution);
}

/* The program, or who scribbled over it, may name process entries that were never taken. */
Test(rows, slots_of_processes_that_left_no_entry)
{
	uint32_t entry = builder_process(&builder, 70);
	uint32_t known = builder_slot(&builder, entry, 71, 10000);
	uint32_t unknown = builder_slot(&builder, RS_MAX_PROCESSES - 1, 72, 10000);
	uint32_t region = builder_region(&builder, "shared");
	record(builder_cell(&builder, known, region), 200, 1);
	record(builder_cell(&builder, unknown, region), 400, 1);
	options.per_process = true;
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_assert_eq(summary.regions[0].pid, 0);
	cr_assert_eq(summary.regions[0].values[COLUMN_TIME].total, 200);
	cr_assert_eq(summary.regions[1].pid, 70);
	cr_assert_eq(summary.regions[1].values[COLUMN_TIME].total, 100);
}

/* The first thread started two calls, of which the second stopped one; another process started one:
 * 2 are open. */
static void fill_pending(void)
{
	struct rs_cell *first = add_cell("request", 70, 71);
	record(first, 200, 1);
	first->pending = 2;
	struct rs_cell *second = builder_cell(
		&builder, builder_slot(&builder, 0, 72, 1), first->region);
	second->pending = (uint64_t)-1;
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 80), 81, 1);
	builder_cell(&builder, slot, first->region)->pending = 1;
}

Test(rows, asynchronous_calls_never_stopped)
{
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_expect_eq(summary.regions[0].diag[RS_CELL_DIAG_OPEN], 2);
}

Test(rows, asynchronous_calls_never_stopped_by_process)
{
	options.per_process = true;
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 2);
	cr_expect_eq(summary.regions[0].diag[RS_CELL_DIAG_OPEN], 1);
	cr_expect_eq(summary.regions[1].pid, 80);
	cr_expect_eq(summary.regions[1].diag[RS_CELL_DIAG_OPEN], 1);
}

/* Which of them the second thread stopped is not known: all that are open, and no more. */
Test(rows, asynchronous_calls_never_stopped_by_thread)
{
	options.per_thread = true;
	fill_pending();
	summarize();
	cr_assert_eq(summary.n_regions, 1, "threads that only stopped have nothing to tell");
	cr_expect_eq(summary.regions[0].tid, 71);
	cr_expect_eq(summary.regions[0].diag[RS_CELL_DIAG_OPEN], 2);
}

/* All were stopped, on other threads. */
Test(rows, asynchronous_calls_stopped_elsewhere)
{
	struct rs_cell *cell = add_cell("request", 70, 71);
	cell->pending = 5;
	cell = builder_cell(&builder, builder_slot(&builder, 0, 72, 1), cell->region);
	cell->pending = (uint64_t)-5;
	record(cell, 200, 1);
	options.per_thread = true;
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_expect_eq(summary.regions[0].tid, 72);
	cr_expect_eq(summary.regions[0].diag[RS_CELL_DIAG_OPEN], 0);
	cr_expect_eq(summary.n_warnings, 0);
}
