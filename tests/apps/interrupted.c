/* SPDX-License-Identifier: MIT */
/*
 * interrupted MODE MS: for MS ms, the handler of a timer interrupts markers. MODE:
 *
 * - fork: the handler forks. The child continues where the marker was, and ends.
 * - users: the handler switches between user threads, which each mark "common" and an own region.
 * - anywhere: the handler marks and returns, on an alternate stack that the kernel does not report
 *   (SS_AUTODISARM).
 * - inner: in each of many children, the handler jumps out three times, to a stack frame above that
 *   of the markers, which then follow in a frame above that of the interrupted one. 1,000 calls of
 *   "afterwards" come last.
 *
 * It prints its counts as lines "NAME COUNT", each child by itself. For fork these are a lower and
 * an upper bound.
 */
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <regionstat.h>

#include "check.h"
#include "clock.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

#define N_USERS 4
#define STACK_BYTES 65536
#define MOST_FORKS 200
#define PERIOD_US 1000
/* The runtime gives up at most 4 interrupted markers, one of them after the last jump. */
#define JUMPS 3

static uint64_t end_ns;

static char *new_stack(void)
{
	void *stack = mmap(
		NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	return stack;
}

/* ---- fork ---- */

static volatile sig_atomic_t is_child, n_forks;

static void fork_there(int number)
{
	(void)number;
	if (is_child || n_forks == MOST_FORKS)
		return;
	n_forks++;
	if (fork() == 0) {
		is_child = 1;
		interrupt_no_more();
	}
}

static void run_fork(void)
{
	unsigned long n = 0;
	interrupt_every_us(PERIOD_US, fork_there, SA_RESTART);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		for (int i = 0; i < 100; i++) {
			REGIONSTAT_BEGIN("common");
			REGIONSTAT_END("common");
			if (is_child)
				_exit(0);
		}
		n += 100;
	}
	interrupt_no_more();
	if (is_child) /* forked after the last call */
		_exit(0);
	for (int status; wait(&status) > 0;)
		CHECK(!status); /* no child crashed */
	printf("least %lu\nmost %lu\n", n, n + (unsigned long)n_forks);
}

/* ---- user threads ---- */

static ucontext_t user[N_USERS];
static volatile int current;
static unsigned long n_of_user[N_USERS];

static void switch_user(int number)
{
	int from = current;
	(void)number;
	current = (from + 1) % N_USERS;
	swapcontext(&user[from], &user[current]);
}

static void be_user(int self)
{
	char name[8];
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	snprintf(name, sizeof(name), "user %d", self);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	do {
		REGIONSTAT_BEGIN("common");
		regionstat_begin(name);
		for (volatile int i = 0; i < 20; i++)
			;
		regionstat_end(name);
		REGIONSTAT_END("common");
		n_of_user[self]++;
	} while (clock_ns(CLOCK_MONOTONIC) < end_ns);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	for (int i = 0; i < N_USERS; i++)
		printf("user %d %lu\n", i, n_of_user[i]);
	exit(0);
}

static void run_users(void)
{
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL); /* blocked until a user thread can be interrupted */
	static int i; /* static, because getcontext() may return twice */
	for (i = 0; i < N_USERS; i++) {
		getcontext(&user[i]);
		user[i].uc_stack.ss_sp = new_stack();
		user[i].uc_stack.ss_size = STACK_BYTES;
		makecontext(&user[i], (void (*)(void))be_user, 1, i);
	}
	interrupt_every_us(PERIOD_US, switch_user, 0);
	setcontext(user);
}

/* ---- an alternate stack that the kernel does not report ---- */

static volatile unsigned long n_handled;

static void mark_there(int number)
{
	(void)number;
	REGIONSTAT_BEGIN("handler");
	REGIONSTAT_END("handler");
	n_handled++;
}

/* Use markers on a stack that is lower in memory than the alternate stack. */
static void mark_on_lower_stack(int unused)
{
	unsigned long n = 0;
	(void)unused;
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		REGIONSTAT_BEGIN("main");
		REGIONSTAT_END("main");
		n++;
	}
	interrupt_no_more();
	printf("main %lu\nhandler %lu\n", n, n_handled);
	exit(0);
}

static void run_anywhere(void)
{
	char *one = new_stack(), *other = new_stack();
	char *low = one < other ? one : other, *high = one < other ? other : one;
	stack_t stack;
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = high;
	stack.ss_size = STACK_BYTES;
	stack.ss_flags = (int)SS_AUTODISARM;
	if (sigaltstack(&stack, NULL))
		exit(77);
	interrupt_every_us(PERIOD_US, mark_there, SA_ONSTACK);
	getcontext(user);
	user[0].uc_stack.ss_sp = low;
	user[0].uc_stack.ss_size = STACK_BYTES;
	makecontext(user, (void (*)(void))mark_on_lower_stack, 1, 0);
	setcontext(user);
}

/* ---- jumps ---- */

static volatile int is_over;
static volatile unsigned long n_interrupted;
static sigjmp_buf above;

static void jump_there(int number)
{
	(void)number;
	n_handled++;
	siglongjmp(above, 1);
}

/* Frames are so large that the stack of a marker in a frame above does not show that a marker in
 * this one is gone. */
__attribute__((noinline)) static void mark_until_jump(int depth)
{
	char frame[1000];
	__asm__ volatile("" : : "r"(frame) : "memory");
	if (depth) {
		mark_until_jump(depth - 1);
		return;
	}
	while (!is_over) {
		REGIONSTAT_BEGIN("interrupted");
		REGIONSTAT_END("interrupted");
		n_interrupted++;
	}
}

static void mark_afterwards(int n)
{
	for (int i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("afterwards");
		REGIONSTAT_END("afterwards");
	}
}

static void jump_three_times(void)
{
	sigsetjmp(above, 1);
	if (n_handled < JUMPS) {
		interrupt_every_us(PERIOD_US, jump_there, 0);
		mark_until_jump(JUMPS - (int)n_handled);
	}
	interrupt_no_more();
	mark_afterwards(1000);
	printf("interrupted %lu\nafterwards 1000\njumps %lu\nchildren 1\n", n_interrupted,
		n_handled);
}

static void run_inner(void)
{
	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		in_child(jump_three_times);
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {{"fork", run_fork}, {"users", run_users},
		{"anywhere", run_anywhere}, {"inner", run_inner}};
	CHECK(argc == 3);
	end_ns = clock_ns(CLOCK_MONOTONIC) + strtoull(argv[2], NULL, 10) * 1000000;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
