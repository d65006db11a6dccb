/* SPDX-License-Identifier: MIT */
/*
 * Tests of launching programs: the results of exec and of the program's end, and a program that
 * overwrites the segment.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/directory.h"
#include "run.h"

static int status_of(const char *const *argv)
{
	test_run_init(TEST_PAGE_FAULTS + 1, argv);
	test_run_finish();
	return run.status;
}

static int exec_errno_of(const char *path)
{
	const char *argv[] = {path, NULL};
	test_run_init(0, argv);
	cr_assert_eq(run.outcome.started, run.outcome.exec_errno == 0);
	test_run_finish();
	return run.outcome.exec_errno;
}

Test(launch, passes_the_exit_status_on)
{
	cr_assert_eq(status_of(ACTOR("exit=0")), 0);
	cr_assert_eq(status_of(ACTOR("exit=1")), 1);
	cr_assert_eq(status_of(ACTOR("exit=255")), 255);
}

Test(launch, tells_death_by_a_signal)
{
	cr_assert_eq(status_of(ACTOR("kill=9")), 128 + 9);
	cr_assert_eq(status_of(ACTOR("kill=15")), 128 + 15);
}

Test(launch, looks_programs_up_in_the_path)
{
	const char *found[] = {"true", NULL}, *missing[] = {"no-such-program-here", NULL};
	cr_assert_eq(status_of(found), 0);
	cr_assert_eq(status_of(missing), 127);
}

Test(launch, tells_why_exec_failed, .init = directory_init, .fini = directory_finish)
{
	const char *plain = directory_write("plain", "", 0), *refused[] = {plain, NULL};
	cr_assert_eq(exec_errno_of("/no/such/program"), ENOENT);
	cr_assert_eq(exec_errno_of(directory), EACCES);
	cr_assert_eq(exec_errno_of(plain), EACCES);
	cr_assert_eq(exec_errno_of(""), ENOENT);
	cr_assert_eq(status_of(refused), 126);
}

Test(launch, ends_a_program_after_the_time_out)
{
	run.options.timeout_ms = 50;
	test_run_init(0, ACTOR("wait"));
	cr_assert_eq(run.status, 124);
	cr_assert(run.outcome.timed_out);
	cr_assert(WIFSIGNALED(run.outcome.wait_status));
	cr_assert_eq(WTERMSIG(run.outcome.wait_status), SIGTERM);
	test_run_finish();
}

Test(launch, kills_a_program_that_ignores_the_time_out)
{
	run.options.timeout_ms = 50;
	test_run_init(0, ACTOR("ignore=15", "wait"));
	cr_assert_eq(run.status, 124);
	cr_assert_eq(WTERMSIG(run.outcome.wait_status), SIGKILL);
	test_run_finish();
}

Test(launch, a_program_that_ends_in_time_has_no_time_out)
{
	run.options.timeout_ms = 600000;
	test_run_init(0, ACTOR("exit=3"));
	cr_assert_eq(run.status, 3);
	cr_assert_not(run.outcome.timed_out);
	test_run_finish();
}

Test(launch, survives_an_ignored_sigchld)
{
	signal(SIGCHLD, SIG_IGN);
	cr_assert_eq(status_of(ACTOR("exit=7")), 7);
}

Test(launch, survives_a_program_that_writes_over_the_segment)
{
	cr_assert_eq(status_of(ACTOR("scribble", "exit=5")), 5);
	run.segment_flags = RS_SEGMENT_PER_PROCESS;
	test_run_init(TEST_PAGE_FAULTS + 1, ACTOR("pause", "scribble", "touch=100", "exit=6"));
	cr_assert_eq(run.status, 6);
	test_run_finish();
}

Test(launch, the_caller_gets_its_signal_mask_back)
{
	sigset_t before, after;
	sigprocmask(SIG_SETMASK, NULL, &before);
	status_of(ACTOR("exit=0"));
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int number = 1; number <= SIGRTMAX; number++)
		cr_assert_eq(sigismember(&before, number), sigismember(&after, number));
}

Test(launch, leaves_no_descriptor_open)
{
	status_of(ACTOR("exit=0"));
	int lowest = dup(0);
	close(lowest);
	status_of(ACTOR("exit=0"));
	const char *missing[] = {"/no/such/program", NULL};
	status_of(missing);
	int again = dup(0);
	close(again);
	cr_assert_eq(again, lowest);
}

Test(launch, the_program_keeps_its_limit_of_descriptors)
{
	struct rlimit limit = {.rlim_cur = 64, .rlim_max = 4096};
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	const char *argv[] = {"sh", "-c", "test $(ulimit -n) = 64", NULL};
	cr_assert_eq(status_of(argv), 0);
}

Test(launch, begins_and_ends_around_the_program)
{
	struct rs_clock_point before = rs_clock_point_now(RS_CLOCK_MONOTONIC);
	test_run_init(0, ACTOR("touch=1"));
	struct rs_clock_point after = rs_clock_point_now(RS_CLOCK_MONOTONIC);
	cr_assert_leq(before.monotonic_ns, run.outcome.begin.monotonic_ns);
	cr_assert_lt(run.outcome.begin.monotonic_ns, run.outcome.end.monotonic_ns);
	cr_assert_leq(run.outcome.end.monotonic_ns, after.monotonic_ns);
	test_run_finish();
}
