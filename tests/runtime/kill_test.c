/* SPDX-License-Identifier: MIT */
/*
 * A program killed at any instruction leaves every finished call wholly in or wholly out of its
 * row, and of its slot's memory nothing to others that is not the slot's. Proven by stepping a
 * marked child one instruction at a time and reading the segment after each, which is what a
 * launcher would find had the child been killed there.
 */
#include "fixture.h"
#include "runtime/state.h"

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

static void call_again(void)
{
	for (int i = 0; i < STEPPED_CALLS; i++)
		call();
}

/* Each region takes memory of the slot: some pieces in all. */
static void call_others(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		regionstat_begin(names[i]);
		regionstat_end(names[i]);
	}
}

/* A child that stops before and after the calls that are to be stepped through. */
static pid_t start_child(void (*stepped)(void))
{
	int status;
	fixture_make(&fixture, 2);
	pid_t pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		regionstat_table_3_ = regionstat_join(REGIONSTAT_ABI, NULL);
		for (int i = 0; i < WARM_CALLS; i++)
			call();
		raise(SIGSTOP);
		stepped();
		raise(SIGSTOP);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	return pid;
}

/* One instruction of the child; false: it has stopped after the last. */
static bool step(pid_t pid)
{
	int status;
	cr_assert_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status));
	if (WSTOPSIG(status) == SIGSTOP)
		return false;
	cr_assert_eq(WSTOPSIG(status), SIGTRAP);
	return true;
}

static void end_child(pid_t pid)
{
	int status;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
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

Test(kill, at_every_instruction)
{
	uint64_t steps = 0, calls = WARM_CALLS;
	pid_t pid = start_child(call_again);
	cr_assert_eq(check_row(), WARM_CALLS);
	for (; step(pid); steps++) {
		uint64_t now = check_row();
		cr_assert(now == calls || now == calls + 1);
		calls = now;
	}
	cr_assert_eq(calls, WARM_CALLS + STEPPED_CALLS);
	cr_assert_gt(steps, 100 * STEPPED_CALLS);
	end_child(pid);
}

/* What is left of a slot's piece never reaches into another piece, which may be another slot's. */
Test(kill, with_memory_of_its_own_alone)
{
	struct rs_slot slot;
	uint64_t n_pieces = 0, latest = 0;
	pid_t pid = start_child(call_others);
	do {
		cr_assert_eq(pread(fixture.segment.fd, &slot, sizeof(slot), RS_SLOTS_OFFSET),
			(ssize_t)sizeof(slot));
		cr_assert(slot.piece_next >= slot.piece_end ||
			  slot.piece_end - slot.piece_next <= RS_PIECE_BYTES);
		n_pieces += slot.piece_end > latest;
		latest = slot.piece_end > latest ? slot.piece_end : latest;
	} while (step(pid));
	cr_assert_gt(n_pieces, 3);
	end_child(pid);
}
