/* SPDX-License-Identifier: MIT */
/*
 * Tests of the regions in which calls begin, and of the tree that follows. Expected values are the
 * nesting in this file's code.
 */
#include "fixture.h"

#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/calls/frame.h"
#include "stats/merge.h"

static struct fixture fixture;

static uint32_t index_of(const char *name)
{
	for (uint32_t i = 1; i < fixture.collection.n_regions; i++)
		if (!strcmp(fixture.collection.regions[i].name, name))
			return i;
	cr_assert(false, "no region '%s'", name);
	return 0;
}

/* Return the region that contains another in the tree; "" if none does. */
static const char *parent_of(const char *name)
{
	uint16_t parents[RS_MAX_REGIONS];
	rs_parents_make(parents, &fixture.collection);
	uint16_t parent = parents[index_of(name)];
	return parent == RS_NO_REGION ? "" : fixture.collection.regions[parent].name;
}

/* Return true if calls of the n-th accumulator of a region began in another region, or in none if
 * parent is "". */
static bool began_in(const char *name, uint32_t n, const char *parent)
{
	const struct rs_result *accumulator = fixture_accumulator(&fixture, name, n);
	cr_assert_not_null(accumulator);
	for (uint32_t i = 0; i < accumulator->n_parents; i++)
		if (accumulator->parents[i] == (*parent ? index_of(parent) : RS_NO_REGION))
			return true;
	return false;
}

static size_t count_parents(const char *name)
{
	return fixture_accumulator(&fixture, name, 0)->n_parents;
}

static void leaf(void)
{
	REGIONSTAT_SCOPE("leaf");
}

static void left(void)
{
	REGIONSTAT_SCOPE("left");
	leaf();
}

static void right(void)
{
	REGIONSTAT_SCOPE("right");
	leaf();
}

/* Calls of one region in two others alternately, with markers of sites, markers with names, and
 * NEXT. */
Test(parents, in_two_that_are_in_one)
{
	fixture_start(&fixture, 0);
	for (int i = 0; i < 100; i++) {
		REGIONSTAT_BEGIN("main");
		left();
		right();
		regionstat_begin("named");
		leaf();
		regionstat_end("named");
		REGIONSTAT_BEGIN("link");
		REGIONSTAT_NEXT("link", "next");
		leaf();
		regionstat_next("next", "last");
		leaf();
		regionstat_end("last");
		REGIONSTAT_END("main");
	}
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 500);
	const char *const around[] = {"left", "right", "named", "next", "last"};
	for (int i = 0; i < 5; i++) {
		cr_expect(began_in("leaf", 0, around[i]), "%s", around[i]);
		cr_expect_str_eq(parent_of(around[i]), "main");
	}
	cr_expect_eq(count_parents("leaf"), 5);
	cr_expect_str_eq(parent_of("leaf"), "main");
	cr_expect_str_eq(parent_of("link"), "main");
	cr_expect_str_eq(parent_of("main"), "");
	cr_expect(began_in("main", 0, ""));
	cr_expect_eq(count_parents("main"), 1);
}

static void descend(int depth)
{
	REGIONSTAT_SCOPE("descend");
	if (depth > 1)
		descend(depth - 1);
	else
		leaf();
}

static void odd(int depth);
static void even(int depth)
{
	REGIONSTAT_SCOPE("even");
	if (depth > 0)
		odd(depth - 1);
}
static void odd(int depth)
{
	REGIONSTAT_SCOPE("odd");
	if (depth > 0)
		even(depth - 1);
}

Test(parents, recursion)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("main");
	for (int i = 0; i < 10; i++) {
		descend(4);
		even(5);
	}
	REGIONSTAT_END("main");
	fixture_collect(&fixture);
	cr_expect_eq(count_parents("descend"), 1);
	cr_expect_str_eq(parent_of("descend"), "main");
	cr_expect_str_eq(parent_of("leaf"), "descend");
	cr_expect_str_eq(parent_of("even"), "main");
	cr_expect_str_eq(parent_of("odd"), "even");
}

/* B begins inside A, and ends after A. */
Test(parents, overlap)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("A");
	REGIONSTAT_BEGIN("B");
	REGIONSTAT_END("A");
	leaf();
	REGIONSTAT_END("B");
	fixture_collect(&fixture);
	cr_expect_str_eq(parent_of("B"), "A");
	cr_expect(began_in("leaf", 0, "B"));
	cr_expect_eq(count_parents("leaf"), 1);
}

static __attribute__((noinline)) void jump_out(const char *name, jmp_buf before)
{
	regionstat_begin(name);
	longjmp(before, 1);
}

/* A call that longjmp() has left is not around later calls, after an END or a new BEGIN in the
 * stack frame of an earlier call. */
Test(parents, jumps)
{
	jmp_buf before;
	fixture_start(&fixture, 0);
	for (volatile int i = 0; i < 3; i++) {
		REGIONSTAT_BEGIN("passed");
		if (setjmp(before) == 0)
			jump_out("inner", before);
		REGIONSTAT_END("passed");
		REGIONSTAT_BEGIN("after");
		REGIONSTAT_END("after");
	}
	for (volatile int i = 0; i < 3; i++) {
		REGIONSTAT_BEGIN("left");
		if (setjmp(before) == 0)
			jump_out("within left", before);
	}
	fixture_collect(&fixture);
	cr_expect_str_eq(parent_of("inner"), "passed");
	cr_expect_str_eq(parent_of("within left"), "left");
	for (int i = 0; i < 3; i++) {
		const char *name = (const char *[]){"passed", "after", "left"}[i];
		cr_expect_eq(count_parents(name), 1, "%s", name);
		cr_expect(began_in(name, 0, ""), "%s", name);
	}
}

/* Return true if the fast path may begin a call of `leaf` in a region. */
static bool is_fast_in(const char *name)
{
	return rs_parents_change(fixture_region("leaf"), fixture_region(name));
}

/* The fast path knows 64 parents whose indices follow each other. */
Test(parents, many_in_turn_on_the_fast_path)
{
	enum { N = 64 };
	char name[16];
	fixture_start(&fixture, 0);
	leaf(); /* Now the index of "leaf" is before those of its parents. */
	/* Call it twice in each parent, because a call that is a probe does not note its parent. */
	for (int i = 0; i < 2 * N; i++) {
		snprintf(name, sizeof(name), "in %d", i % N);
		regionstat_begin(name);
		leaf();
		regionstat_end(name);
	}
	cr_expect_not(is_fast_in("never"));
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "in %d", i);
		cr_expect(is_fast_in(name), "%s", name);
	}
}

/* More parent regions than an accumulator can store. */
static void call_in_many(const char *extra)
{
	char name[16];
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "around %d", i);
		regionstat_begin(name);
		leaf();
		regionstat_end(name);
	}
	if (extra)
		regionstat_begin(extra);
	leaf();
	if (extra)
		regionstat_end(extra);
}

Test(parents, more_than_a_accumulator_has_places_for)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("main");
	leaf(); /* A call directly in main, so that this parent is known. */
	call_in_many("extra");
	REGIONSTAT_END("main");
	fixture_collect(&fixture);
	cr_expect_eq(count_parents("leaf"), RS_PARENTS);
	cr_expect(began_in("leaf", 0, "main"));
	cr_expect_not(began_in("leaf", 0, ""));
	cr_expect_str_eq(parent_of("leaf"), "main");
}

Test(parents, more_than_that_and_nothing_around)
{
	fixture_start(&fixture, 0);
	call_in_many(NULL);
	fixture_collect(&fixture);
	cr_expect_eq(count_parents("leaf"), RS_PARENTS);
	cr_expect(began_in("leaf", 0, ""));
	cr_expect_str_eq(parent_of("leaf"), "");
}

/* A forked child inherits open calls: its own calls began in them. */
Test(parents, children)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("main");
	left();
	pid_t child = fork();
	if (child == 0) {
		left();
		REGIONSTAT_END("main");
		right();
		_exit(0);
	}
	fixture_wait(child);
	REGIONSTAT_END("main");
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "left"), 2);
	cr_expect_str_eq(parent_of("left"), "main");
	cr_expect_str_eq(parent_of("right"), "");
}

/* Asynchronous calls have no parent and no children. */
Test(parents, asynchronous_calls)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("main");
	struct regionstat_call call = REGIONSTAT_START("call");
	leaf();
	regionstat_stop(call);
	REGIONSTAT_END("main");
	fixture_collect(&fixture);
	cr_expect_eq(count_parents("call"), 0);
	cr_expect_str_eq(parent_of("call"), "");
	cr_expect_str_eq(parent_of("leaf"), "main");
}

/* A BEGIN while counting is paused begins no call. */
Test(parents, paused)
{
	fixture_start(&fixture, 0);
	left();
	atomic_store(&fixture.segment.header->control, RS_CONTROL_PAUSED | RS_CONTROL_GENERATION);
	right();
	leaf();
	atomic_store(&fixture.segment.header->control, 2 * RS_CONTROL_GENERATION);
	left();
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "leaf"), 2);
	cr_expect_eq(count_parents("leaf"), 1);
	cr_expect_str_eq(parent_of("leaf"), "left");
}

/* ---- many calls that longjmp() has left ---- */

#define N_LEFT 8000

static jmp_buf out;

static void __attribute__((noinline)) leave(void)
{
	REGIONSTAT_BEGIN("left");
	longjmp(out, 1);
}

static void leave_many(void)
{
	for (volatile int i = 0; i < N_LEFT; i++)
		if (!setjmp(out))
			leave();
}

static void call_and_stop(void)
{
	leave_many();
	call_in_many(NULL);
	regionstat_begin("another");
	raise(SIGSTOP);
	leaf();
	raise(SIGSTOP);
	_exit(0);
}

/* Return how many instructions a traced child runs until it stops. */
static uint64_t count_steps(pid_t pid)
{
	int status;
	for (uint64_t n = 0;; n++) {
		cr_assert_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert(WIFSTOPPED(status));
		if (WSTOPSIG(status) == SIGSTOP)
			return n;
	}
}

/* If all places are used and no region contains all calls, a BEGIN searches no open calls. A search
 * compares the region of each open call with each place. */
Test(parents, no_search_if_no_region_is_around)
{
	int status;
	cpu_set_t set;
	/* Tracer and child run on one CPU. If steps are too slow, reading the clock never ends. */
	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	fixture_make(&fixture, 0);
	pid_t pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		regionstat_table_1_ = regionstat_join(REGIONSTAT_ABI, NULL);
		call_and_stop();
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	uint64_t n_steps = count_steps(pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	cr_expect_gt(n_steps, 0);
	cr_expect_lt(n_steps, N_LEFT * RS_PARENTS, "%" PRIu64 " instructions", n_steps);
}
