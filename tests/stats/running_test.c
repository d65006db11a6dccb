/* SPDX-License-Identifier: MIT */
/* Tests of calls that never ended, of processes that still run, and of processes and threads that
 * ended. */
#include <criterion/criterion.h>
#include <signal.h>

#include "fixture.h"

static struct rs_running_process runs[2];

static void start(void)
{
	fixture_start();
	outcome.running.items = runs;
}

TestSuite(running, .init = start, .fini = fixture_finish);

/* Add three open calls of one region in each of three processes. */
static void fill(void)
{
	uint32_t region = builder_region(&builder, "open");
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t process = builder_process(&builder, 70 + i);
		uint32_t slot = builder_slot(&builder, process, 70 + i, 10000);
		builder_accumulator(&builder, slot, region)->open = 3;
	}
}

Test(running, calls_of_processes_that_go_on_are_not_open)
{
	fill();
	runs[0].index = 0;
	runs[1].index = 2;
	outcome.running.n = 2;
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_assert_eq(summary.regions[0].running, 6);
	cr_assert_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 3);
	cr_assert_eq(summary.n_running, 2);
	cr_assert_str_eq(summary.running[0].label, "70");
	cr_assert_str_eq(summary.running[0].name, "made-up");
	cr_assert_str_eq(summary.running[1].label, "72");
	cr_assert(is_warned(
		"2 processes with markers still ran when the program had ended, and later "
		"calls are not counted: 'made-up 70', 'made-up 72'"));
	cr_assert(is_warned("--wait-all waits for them"));
	cr_assert(is_noted("6 calls still running, in processes that continue, not in the figures "
			   "yet: 'open' (6)"));
	cr_assert(is_warned("3 calls still open when the process ended"));
}

/* A slot still names the entry of a dead process, which another process uses now. */
Test(running, calls_of_a_process_whose_entry_another_has_do_not)
{
	fill();
	runs[0].index = 1;
	outcome.running.n = 1;
	builder_slot_at(&builder, 1)->state = RS_SLOT_SWEPT;
	summarize();
	cr_assert_eq(summary.regions[0].running, 0);
	cr_assert_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 9);
}

Test(running, rows_of_processes)
{
	fill();
	runs[0].index = 1;
	outcome.running.n = 1;
	options.per_process = true;
	summarize();
	cr_assert_eq(summary.n_regions, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(summary.regions[i].running, i == 1 ? 3 : 0);
		cr_assert_eq(summary.regions[i].diag[RS_ACCUMULATOR_DIAG_OPEN], i == 1 ? 0 : 3);
	}
	cr_assert_str_eq(summary.running[0].label, summary.regions[1].process->label);
}

Test(running, nothing_does)
{
	fill();
	summarize();
	cr_assert_eq(summary.regions[0].running, 0);
	cr_assert_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 9);
	cr_assert_eq(summary.n_running, 0);
	cr_assert_eq(count_findings(RS_WARNING), 1);
	cr_assert_null(find_finding("calls-running"));
}

Test(running, after_an_interrupted_wait)
{
	fill();
	outcome.running.n = 1;
	outcome.interrupted_by = SIGINT;
	run_record.how.wait_all = true;
	summarize();
	cr_assert(is_warned("1 process with markers still ran when the waiting for all was "
			    "interrupted, and later calls are not counted: 'made-up 70'"));
	cr_assert_not(is_warned("--wait-all waits for them"));
}

/* A thread that ended forgot an END. A thread whose process ended did not. */
Test(running, open_calls_by_what_ended)
{
	struct rs_accumulator *accumulator = add_accumulator("open", 70, 71);
	accumulator->diag[RS_ACCUMULATOR_DIAG_OPEN] = 5;
	accumulator->diag[RS_ACCUMULATOR_DIAG_EXIT] = 2;
	accumulator->open = 1;
	summarize();
	cr_assert_eq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], 8);
	cr_assert(is_warned(
		"5 calls still open when the thread ended, not in the figures: 'open' (5)"));
	/* nothing ends a call that longjmp() has left, so it stays open, too */
	cr_assert(is_warned("3 calls still open when the process ended or executed another "
			    "program, not in the figures: 'open' (3); end the region before that, "
			    "and before a longjmp()"));
	cr_assert_eq(count_findings(RS_WARNING), 2);
}

/* A program has overwritten the counts of calls. */
Test(running, hostile_counts)
{
	struct rs_accumulator *accumulator = add_accumulator("open", 70, 71);
	accumulator->diag[RS_ACCUMULATOR_DIAG_OPEN] = UINT64_MAX - 1;
	accumulator->diag[RS_ACCUMULATOR_DIAG_EXIT] = UINT64_MAX;
	accumulator->open = UINT32_MAX;
	outcome.running.n = 1;
	summarize();
	cr_assert_eq(summary.regions[0].running, UINT32_MAX);
	cr_assert_geq(summary.regions[0].diag[RS_ACCUMULATOR_DIAG_OPEN], UINT64_MAX - UINT32_MAX);
}
