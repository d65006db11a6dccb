/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers with markers. If a handler interrupts a marker, its own markers are skipped and
 * counted. Otherwise its calls are measured. After a handler jumped out of a marker, the thread
 * must still measure calls.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

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

static void install(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	CHECK(sigaction(number, &action, NULL) == 0);
}

static void set_timer_us(suseconds_t period_us)
{
	struct itimerval period = {{0, period_us}, {0, period_us}};
	CHECK(setitimer(ITIMER_REAL, &period, NULL) == 0);
}

/* Raise n signals between markers, inside a region. Nothing is skipped. */
static void handler_between(void)
{
	unsigned long n = number(0);
	install(SIGUSR1, handle_and_mark, 0);
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
	install(SIGALRM, handle_and_mark, number(1) ? SA_ONSTACK : 0);
	set_timer_us(50);
	while ((unsigned long)n_handled < n) {
		CALL_ONCE("main");
		n_calls++;
	}
	set_timer_us(0);
	printf("main %lu handler %lu\n", n_calls, (unsigned long)n_handled);
}

/* Let a timer's handler jump out of the interrupted code n times. The m calls after that must
 * count. */
static void jump_out(void)
{
	unsigned long n = number(0), m = number(1);
	install(SIGALRM, handle_and_jump, 0);
	/* The handler jumps back here, and the signal mask is restored. */
	sigsetjmp(jump, 1);
	if ((unsigned long)n_handled < n) {
		set_timer_us(50);
		for (;;)
			CALL_ONCE("interrupted");
	}
	set_timer_us(0);
	for (unsigned long i = 0; i < m; i++)
		CALL_ONCE("afterwards");
}

const struct how signal_rules[] = {
	{"handler", handler_between},
	{"handler-anywhere", handler_anywhere},
	{"siglongjmp", jump_out},
	{0},
};
