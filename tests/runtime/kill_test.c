/*
 * A program killed at any instruction leaves every finished call wholly in or wholly out of its
 * row. Proven by stepping a marked child one instruction at a time and reading the segment after
 * each, which is what a launcher would find had the child been killed there.
 */
#include "fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_CALLS 5
#define STEPPED_CALLS 3

static struct fixture fixture;

static void __attribute__((noinline)) call(void)
{
	REGIONSTAT_BEGIN("stepped");
	REGIONSTAT_END("stepped");
}

static void child(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	regionstat_table_ = regionstat_attach(REGIONSTAT_ABI);
	for (int i = 0; i < WARM_CALLS; i++)
		call();
	raise(SIGSTOP);
	for (int i = 0; i < STEPPED_CALLS; i++)
		call();
	raise(SIGSTOP);
	_exit(0);
}

/* Everything in the row speaks of the same number of calls. */
static uint64_t check_row(void)
{
	fixture_collect(&fixture);
	const struct rs_cell_copy *cell = fixture_cell(&fixture, "stepped", 0);
	cr_assert_not_null(cell);
	cr_assert_eq(cell->groups[0].counted, cell->calls);
	for (uint32_t m = 0; m <= fixture.n_events; m++) {
		const struct rs_cell_moments *moments = &cell->moments[m];
		cr_assert_eq(fixture_histogram_sum(&moments->histogram), cell->calls);
		cr_assert_eq(moments->total, moments->sum);
		cr_assert_leq(moments->min, moments->max);
		cr_assert_leq(moments->max, moments->total);
	}
	cr_assert_eq(cell->slowest[0], cell->moments[0].max);
	return cell->calls;
}

static void step_through(pid_t pid)
{
	int status;
	uint64_t steps = 0, calls = WARM_CALLS;
	for (;; steps++) {
		cr_assert_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert(WIFSTOPPED(status));
		if (WSTOPSIG(status) == SIGSTOP)
			break;
		cr_assert_eq(WSTOPSIG(status), SIGTRAP);
		uint64_t now = check_row();
		cr_assert(now == calls || now == calls + 1);
		calls = now;
	}
	cr_assert_eq(calls, WARM_CALLS + STEPPED_CALLS);
	cr_assert_gt(steps, 100 * STEPPED_CALLS);
}

Test(kill, at_every_instruction)
{
	int status;
	fixture_make(&fixture, 2);
	pid_t pid = fork();
	if (!pid)
		child();
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	cr_assert_eq(check_row(), WARM_CALLS);
	step_through(pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}
