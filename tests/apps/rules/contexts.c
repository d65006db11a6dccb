/* SPDX-License-Identifier: MIT */
/*
 * Several stacks on one thread. Coroutines by swapcontext(3) use markers, each on its own stack.
 * One coroutine also begins regions that another one ends. Regions belong to the thread.
 */
#include <stdlib.h>
#include <ucontext.h>

#include "rules.h"

#define STACK_BYTES (256 * 1024)
#define N_COROUTINES 2

static ucontext_t main_context, contexts[N_COROUTINES];
static unsigned long n_rounds;

/* Begin "ping" on one stack; the other one ends it. */
static void ping(void)
{
	for (unsigned long i = 0; i < n_rounds; i++) {
		REGIONSTAT_BEGIN("own");
		REGIONSTAT_END("own");
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

static int coroutines(char **arguments)
{
	static void (*const bodies[N_COROUTINES])(void) = {ping, pong};
	n_rounds = number_of(arguments[0]);
	for (int i = 0; i < N_COROUTINES; i++) {
		require(getcontext(&contexts[i]) == 0, "getcontext");
		contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &main_context;
		require(contexts[i].uc_stack.ss_sp != NULL, "malloc");
		makecontext(&contexts[i], bodies[i], 0);
	}
	require(swapcontext(&main_context, &contexts[0]) == 0, "swapcontext");
	return 0;
}

const struct rule context_rules[] = {
	{"coroutines", "N", 1, coroutines},
	{0},
};
