/* SPDX-License-Identifier: MIT */
/*
 * Tests of stacks of open calls. The test replaces the runtime's functions. A call's ticket is the
 * number of its region, so the test knows which call an END has ended.
 */
#include <criterion/criterion.h>

#include <signal.h>
#include <sys/time.h>

#include "adapters/stacks.h"

#define KEY 7u
#define OTHER_KEY 8u
#define N_SIGNALS 2000
#define TOO_DEEP 140000

const enum rs_adapter rs_adapter_self = RS_ADAPTER_NVTX;

static struct regionstat_site_ outer = {"outer", 1, 1}, inner = {"inner", 2, 1},
			       handler = {"handler", 3, 1};
static unsigned int last_ended;
static volatile sig_atomic_t n_handled, n_wrong;

static regionstat_ticket_ begin(struct regionstat_site_ *site)
{
	return site->region_;
}

static void end(regionstat_ticket_ ticket)
{
	last_ended = (unsigned int)ticket;
}

static const struct regionstat_table_29_ table = {.begin_ = begin, .end_ = end};

static void turn_on(void)
{
	regionstat_table_1_ = &table;
}

TestSuite(stacks, .init = turn_on);

Test(stacks, end_the_innermost_call_of_a_key)
{
	cr_assert_eq(rs_stack_pop(KEY), -1);
	cr_assert_eq(rs_stack_push_level(KEY, &outer), 0);
	cr_assert_eq(rs_stack_push_level(OTHER_KEY, &handler), 0);
	cr_assert_eq(rs_stack_push_level(KEY, &inner), 1);
	cr_assert_eq(rs_stack_pop(OTHER_KEY), 0);
	cr_assert_eq(last_ended, handler.region_);
	cr_assert_eq(rs_stack_pop_site(KEY, &outer), 0);
	cr_assert_eq(last_ended, outer.region_);
	cr_assert_eq(rs_stack_pop_site(KEY, &outer), -1);
	cr_assert_eq(rs_stack_pop(KEY), 1);
	cr_assert_eq(last_ended, inner.region_);
	cr_assert_eq(rs_stack_pop(KEY), -1);
}

Test(stacks, replace_a_call_where_it_is)
{
	rs_stack_replace(KEY, &outer);
	rs_stack_push(OTHER_KEY, &inner);
	rs_stack_replace(KEY, &handler);
	cr_assert_eq(last_ended, outer.region_);
	cr_assert_eq(rs_stack_pop(KEY), 0);
	cr_assert_eq(last_ended, handler.region_);
	rs_stack_pop_if_open(KEY);
	cr_assert_eq(last_ended, handler.region_);
	cr_assert_eq(rs_stack_pop(OTHER_KEY), 0);
	cr_assert_eq(last_ended, inner.region_);
}

Test(stacks, end_each_call_at_any_depth)
{
	for (int i = 0; i < TOO_DEEP; i++)
		cr_assert_eq(rs_stack_push_level(KEY, i % 2 ? &inner : &outer), i);
	for (int i = TOO_DEEP; i-- > 0;)
		cr_assert_eq(rs_stack_pop(KEY), i);
	cr_assert_eq(last_ended, outer.region_);
	cr_assert_eq(rs_stack_pop(KEY), -1);
}

/* Push more calls than the interrupted code, so that the stack also grows here. */
static void on_signal(int number)
{
	(void)number;
	int depth = 1 << n_handled % 10;
	unsigned int interrupted = last_ended;
	for (int i = 0; i < depth; i++)
		rs_stack_push(KEY, &handler);
	for (int i = 0; i < depth; i++)
		if (rs_stack_pop_site(KEY, &handler) < 0 || last_ended != handler.region_)
			n_wrong++;
	last_ended = interrupted;
	n_handled++;
}

/* A handler may run between any two instructions of push and pop. */
Test(stacks, are_whole_after_a_signal)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 100}, {0, 100}}, NULL);
	while (n_handled < N_SIGNALS) {
		rs_stack_push(KEY, &outer);
		rs_stack_push(OTHER_KEY, &inner);
		if (rs_stack_pop_site(KEY, &outer) < 0 || last_ended != outer.region_)
			n_wrong++;
		if (rs_stack_pop_site(OTHER_KEY, &inner) < 0 || last_ended != inner.region_)
			n_wrong++;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	cr_assert_eq(n_wrong, 0);
	cr_assert_eq(rs_stack_pop(KEY), -1);
	cr_assert_eq(rs_stack_pop(OTHER_KEY), -1);
}
