/* SPDX-License-Identifier: MIT */
/*
 * Several stacks on one thread. Coroutines by swapcontext(3) use markers, each on its own stack.
 * One coroutine also begins regions that another one ends. Regions belong to the thread.
 */
#include <ucontext.h>

#include "pages.h"
#include "rules.h"

#define STACK_BYTES (256 * 1024)
#define N_COROUTINES 2

static ucontext_t main_context, contexts[N_COROUTINES];
static unsigned long n_rounds, n_pages;
static volatile unsigned char *pages;

/* Begin "ping" on one stack; the other one ends it. */
static void ping(void)
{
	for (unsigned long i = 0; i < n_rounds; i++) {
		CALL_ONCE("own");
		REGIONSTAT_BEGIN("handed over");
		swapcontext(&contexts[0], &contexts[1]);
	}
}

static void pong(void)
{
	for (unsigned long i = 0; i < n_rounds; i++) {
		REGIONSTAT_END("handed over");
		swapcontext(&contexts[1], &contexts[0]);
	}
}

static void swap(int from)
{
	swapcontext(&contexts[from], &contexts[1 - from]);
}

static void step(int id)
{
	for (unsigned long i = 0; i < n_rounds; i++) {
		REGIONSTAT_BEGIN("step");
		pages = touch_pages(pages, n_pages);
		REGIONSTAT_BEGIN("yield");
		swap(id);
		REGIONSTAT_END("yield");
		REGIONSTAT_END("step");
	}
}

static void first_fiber(void)
{
	step(0);
	swap(0);
}

static void second_fiber(void)
{
	step(1);
}

static void run(void (*const *bodies)(void))
{
	for (int i = 0; i < N_COROUTINES; i++) {
		CHECK(getcontext(&contexts[i]) == 0);
		contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &main_context;
		CHECK(contexts[i].uc_stack.ss_sp != NULL);
		memset(contexts[i].uc_stack.ss_sp, 1, STACK_BYTES);
		makecontext(&contexts[i], bodies[i], 0);
	}
	CHECK(swapcontext(&main_context, &contexts[0]) == 0);
}

static void coroutines(void)
{
	static void (*const bodies[N_COROUTINES])(void) = {ping, pong};
	n_rounds = number(0);
	run(bodies);
}

/* Two fibers run alternately and have regions of the same names. Each makes N calls of "step" with K
 * faults; "yield" within it runs the other fiber. */
static void faults_fibers(void)
{
	static void (*const bodies[N_COROUTINES])(void) = {first_fiber, second_fiber};
	n_rounds = number(0);
	n_pages = number(1);
	pages = map_pages(N_COROUTINES * n_rounds * n_pages);
	warm_up_faults();
	run(bodies);
}

const struct how context_rules[] = {
	{"coroutines", coroutines},
	{"faults-fibers", faults_fibers},
	{0},
};
