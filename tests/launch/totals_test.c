/* SPDX-License-Identifier: MIT */
/*
 * Tests of the totals of a run, against what the program is known to do and against getrusage(2).
 */
#include <criterion/criterion.h>

#include "run.h"

/* The largest difference of page faults in starting a program, from run to run. AddressSanitizer
 * touches one page for every eight pages of the program. */
#ifdef __SANITIZE_ADDRESS__
#define START_NOISE 4000
#else
#define START_NOISE 100
#endif

#define assert_near(value, expected)                                            \
	cr_assert((int64_t)(value) > (int64_t)(expected)-START_NOISE &&         \
			  (int64_t)(value) < (int64_t)(expected) + START_NOISE, \
		"%lld is not near %lld", (long long)(value), (long long)(expected))

static uint64_t faults_at_start(void)
{
	return test_page_faults(ACTOR("touch=0"));
}

Test(totals, count_what_the_program_does)
{
	uint64_t faults = test_page_faults(ACTOR("touch=20000"));
	cr_assert_geq(faults, 20000);
	assert_near(faults, 20000 + faults_at_start());
}

Test(totals, agree_with_getrusage)
{
	test_run_init(TEST_TASK_CLOCK + 1, ACTOR("forks=3x4000"));
	const struct rusage *usage = &run.outcome.usage;
	assert_near(
		run.outcome.totals[TEST_PAGE_FAULTS].value, usage->ru_minflt + usage->ru_majflt);
	/* The kernel counts a thread's time in two ways, which differ by its ticks. So this is only
	 * an upper bound. */
	uint64_t elapsed_ns = run.outcome.end.monotonic_ns - run.outcome.begin.monotonic_ns;
	cr_assert(run.outcome.totals[TEST_TASK_CLOCK].counted);
	cr_assert_gt(run.outcome.totals[TEST_TASK_CLOCK].value, 0);
	cr_assert_lt(run.outcome.totals[TEST_TASK_CLOCK].value, elapsed_ns);
	test_run_finish();
}

Test(totals, are_inherited_by_threads_and_children)
{
	uint64_t faults = test_page_faults(ACTOR("threads=4x2000", "forks=4x2000"));
	cr_assert_geq(faults, 8 * 2000);
	/* After a fork, each child copies some pages that it writes. */
	cr_assert_lt(faults, 8 * 2000 + faults_at_start() + 4 * START_NOISE);
}

Test(totals, are_of_the_first_thread_alone_without_inherit)
{
	run.options.no_inherit = true;
	uint64_t faults = test_page_faults(ACTOR("threads=2x2000", "touch=1000"));
	cr_assert_geq(faults, 1000);
	cr_assert_lt(faults, 2000);
}

Test(totals, one_event_that_cannot_be_opened_leaves_the_others)
{
	test_run_init(TEST_IMPOSSIBLE + 1, ACTOR("touch=1000"));
	cr_assert(run.outcome.totals[TEST_PAGE_FAULTS].counted);
	cr_assert_geq(run.outcome.totals[TEST_PAGE_FAULTS].value, 1000);
	cr_assert(run.outcome.totals[TEST_TASK_CLOCK].counted);
	cr_assert_not(run.outcome.totals[TEST_IMPOSSIBLE].counted);
	cr_assert_not_null(strstr(run.outcome.warnings, "cannot count 'impossible'"));
	cr_assert_null(strstr(run.outcome.warnings, "page-faults"));
	test_run_finish();
}

Test(totals, stop_in_a_pause)
{
	uint64_t without = test_page_faults(ACTOR("touch=500", "pause", "resume"));
	uint64_t with = test_page_faults(
		ACTOR("touch=200", "pause", "touch=20000", "resume", "touch=300"));
	assert_near(with, without);
	cr_assert_geq(with, 500);
}

Test(totals, stop_in_threads_and_children_too)
{
	uint64_t without = test_page_faults(ACTOR("pause", "resume", "forks=1x1000"));
	uint64_t with = test_page_faults(
		ACTOR("pause", "threads=2x4000", "forks=2x4000", "resume", "forks=1x1000"));
	assert_near(with, without);
}

Test(totals, nested_pauses_end_with_the_last)
{
	uint64_t faults = test_page_faults(ACTOR(
		"pause", "pause", "touch=4000", "resume", "touch=4000", "resume", "touch=700"));
	cr_assert_geq(faults, 700);
	assert_near(faults, 700 + faults_at_start());
}

Test(totals, go_on_when_the_pausing_process_died)
{
	uint64_t faults = test_page_faults(ACTOR("die-paused", "touch=3000"));
	cr_assert_geq(faults, 3000);
}

Test(totals, wait_for_a_resume_when_the_delay_has_no_end)
{
	run.options.delay_ms = -1;
	uint64_t nothing = test_page_faults(ACTOR("touch=9000", "resume"));
	uint64_t faults = test_page_faults(ACTOR("touch=9000", "resume", "touch=1500"));
	cr_assert_lt(nothing, 9000);
	assert_near(faults, nothing + 1500);
}

Test(totals, a_pause_does_not_end_a_delay_but_its_resume_does)
{
	run.options.delay_ms = -1;
	uint64_t nothing = test_page_faults(ACTOR("pause", "touch=9000", "resume"));
	uint64_t faults = test_page_faults(ACTOR("pause", "touch=9000", "resume", "touch=1500"));
	cr_assert_lt(nothing, 9000);
	assert_near(faults, nothing + 1500);
}

Test(totals, nothing_is_counted_when_the_delay_outlasts_the_program)
{
	run.options.delay_ms = 1000000;
	test_run_init(TEST_PAGE_FAULTS + 1, ACTOR("touch=100"));
	cr_assert_eq(run.status, 0);
	cr_assert_not(run.outcome.totals[TEST_PAGE_FAULTS].counted);
	cr_assert(run.outcome.never_began);
	test_run_finish();
}

Test(totals, counting_begins_without_a_delay_or_with_a_resume)
{
	for (int delay_ms = 0; delay_ms >= -1; delay_ms--) {
		run.options.delay_ms = delay_ms;
		test_run_init(TEST_PAGE_FAULTS + 1, ACTOR("resume", "touch=100"));
		cr_assert_eq(run.status, 0);
		cr_assert(run.outcome.totals[TEST_PAGE_FAULTS].counted);
		cr_assert_not(run.outcome.never_began);
		test_run_finish();
	}
}
