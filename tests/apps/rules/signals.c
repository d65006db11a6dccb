/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers with markers. If a handler interrupts a marker, its own markers are skipped and
 * counted. Otherwise its calls are measured. After a handler jumped out of a marker, the thread
 * must still measure calls.
 */
#include <setjmp.h>

#include "rules.h"

static volatile sig_atomic_t n_handled;
static sigjmp_buf jump;

static void handle_and_mark(int number)
{
	(void)number;
	REGIONSTAT_SCOPE("handler"); /* if its BEGIN is skipped, its END does nothing */
	n_handled++;
}

static void handle_and_jump(int number)
{
	(void)number;
	n_handled++;
	siglongjmp(jump, 1);
}

/* Raise n signals between markers, inside a region. Nothing is skipped. */
static void handler_between(void)
{
	unsigned long n = number(0);
	CHECK(signal(SIGUSR1, handle_and_mark) != SIG_ERR);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("main");
		raise(SIGUSR1);
		REGIONSTAT_END("main");
	}
}

/* Use markers in the main loop and in a timer's handler, until n signals came. The handler runs on
 * the alternate stack if the second argument is 1. Print how often both ran. */
static void handler_anywhere(void)
{
	static char memory[1 << 16];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	unsigned long n = number(0), n_calls = 0;
	CHECK(sigaltstack(&stack, NULL) == 0);
	interrupt_every_us(50, handle_and_mark, number(1) ? SA_ONSTACK : 0);
	while ((unsigned long)n_handled < n) {
		CALL_ONCE("main");
		n_calls++;
	}
	interrupt_no_more();
	printf("main %lu handler %lu\n", n_calls, (unsigned long)n_handled);
}

/* Let a timer's handler jump out of the interrupted code n times. The m calls after that must
 * count. */
static void jump_out(void)
{
	unsigned long n = number(0), m = number(1);
	/* The handler jumps back here, and the signal mask is restored. */
	sigsetjmp(jump, 1);
	if ((unsigned long)n_handled < n) {
		interrupt_every_us(50, handle_and_jump, 0);
		for (;;)
			CALL_ONCE("interrupted");
	}
	interrupt_no_more();
	for (unsigned long i = 0; i < m; i++)
		CALL_ONCE("afterwards");
}

const struct how signal_rules[] = {
	{"handler", handler_between},
	{"handler-anywhere", handler_anywhere},
	{"siglongjmp", jump_out},
	{0},
};
