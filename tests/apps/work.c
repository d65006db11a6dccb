/* SPDX-License-Identifier: MIT */
/*
 * work KIND ...: calls with bytes and floating-point operations, which follow from the arguments by
 * arithmetic. KIND:
 *
 *   triad N REPEATS    a = b + s * c over N doubles: 24 N bytes and 2 N operations per call
 *   dgemm N REPEATS    C += A * B of N rows: 32 N^2 bytes (C twice) and 2 N^3 operations per call;
 *                      both print bytes and operations per second, by a clock of their own within
 *                      all calls
 *   calls N            call i of "told", from 1 to N, has i bytes and 2 i operations, each in two
 *                      parts, but every third call has none; "silent" is called as often
 *   sizes N REPEATS    call i of "sized" has 64 i bytes and i operations, for i from 1 to N
 *   faults N REPEATS   call i of "faulting" has i operations and touches 3 i, 3 i + 1 or 3 i + 2
 *                      fresh pages in turn, for i from 1 to N
 *   recursion DEPTH    "again" calls itself; call i, from 1 to DEPTH, has i bytes before the call
 *                      within it, and i bytes after that call
 *   shapes N           NEXT, and two overlapping calls, N times each
 *   async N            calls that stop on this thread and on another one
 *   threads T N        as calls N, on T threads at once
 *   fork N             as calls N, also in a child; a region that is open across the fork has 5
 *                      bytes in the parent, and ignored ones in the child
 *   unmatched N        work of regions that are not open, by site and by name
 *   cut N              counting is paused within every call
 *   jump N             a longjmp() leaves every call, so that none ends
 *   huge               sums above 64 bits
 *   kill N             as calls N, then SIGKILL within a call
 */
#include <setjmp.h>
#include <signal.h>

#include <regionstat.h>

#include "check.h"
#include "clock.h"
#include "touch.h"

static uint64_t within_ns; /* time within the region's calls, by the program's own clock */

static void say(double bytes, double flops)
{
	printf("%.9g %.9g\n", bytes / (double)within_ns, flops / (double)within_ns);
}

static double *array(size_t n)
{
	double *values = malloc(n * sizeof(*values));
	for (size_t i = 0; values && i < n; i++)
		values[i] = (double)(i % 7);
	return values ? values : (exit(1), NULL);
}

static void __attribute__((noinline)) triad(double *a, const double *b, const double *c, size_t n)
{
	REGIONSTAT_SCOPE("triad");
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i];
	__asm__ volatile("" : : "r"(a) : "memory");
	REGIONSTAT_WORK("triad", 24 * n, 2 * n);
	within_ns += clock_ns(CLOCK_MONOTONIC) - begin;
}

static void run_triad(size_t n, size_t repeats)
{
	double *a = array(n), *b = array(n), *c = array(n);
	for (size_t r = 0; r < repeats; r++)
		triad(a, b, c, n);
	say(24.0 * (double)(n * repeats), 2.0 * (double)(n * repeats));
	free(a), free(b), free(c);
}

static void __attribute__((noinline)) dgemm(double *c, const double *a, const double *b, size_t n)
{
	REGIONSTAT_SCOPE("dgemm");
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	__asm__ volatile("" : : "r"(c) : "memory");
	REGIONSTAT_WORK("dgemm", 32 * n * n, 2 * n * n * n);
	within_ns += clock_ns(CLOCK_MONOTONIC) - begin;
}

static void run_dgemm(size_t n, size_t repeats)
{
	double *a = array(n * n), *b = array(n * n), *c = array(n * n);
	for (size_t r = 0; r < repeats; r++)
		dgemm(c, a, b, n);
	say(32.0 * (double)(n * n * repeats), 2.0 * (double)(n * n * n * repeats));
	free(a), free(b), free(c);
}

static void run_calls(size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		REGIONSTAT_BEGIN("told");
		if (i % 3 != 0) {
			REGIONSTAT_WORK("told", i - 1, i);
			REGIONSTAT_WORK("told", 1, i);
		}
		REGIONSTAT_END("told");
		REGIONSTAT_BEGIN("silent");
		REGIONSTAT_END("silent");
	}
}

static void run_sizes(size_t n, size_t repeats)
{
	for (size_t r = 0; r < repeats; r++)
		for (size_t i = 1; i <= n; i++) {
			REGIONSTAT_SCOPE("sized");
			REGIONSTAT_WORK("sized", 64 * i, i);
		}
}

static void run_faults(size_t n, size_t repeats)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page = fresh_pages(3 * (n + 1) * n * repeats * page_bytes);
	for (size_t r = 0; r < repeats; r++)
		for (size_t i = 1; i <= n; i++) {
			REGIONSTAT_SCOPE("faulting");
			page = touch(page, 3 * i + r % 3, page_bytes);
			REGIONSTAT_WORK("faulting", 0, i);
		}
}

static void __attribute__((noinline)) again(size_t i, size_t depth)
{
	REGIONSTAT_BEGIN("again");
	REGIONSTAT_WORK("again", i, 0);
	if (i < depth)
		again(i + 1, depth);
	REGIONSTAT_WORK("again", i, 0);
	REGIONSTAT_END("again");
}

static void run_shapes(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("first");
		REGIONSTAT_WORK("first", 3, 1);
		REGIONSTAT_NEXT("first", "second");
		REGIONSTAT_WORK("second", 5, 2);
		REGIONSTAT_END("second");
		REGIONSTAT_BEGIN("outer");
		REGIONSTAT_BEGIN("crossing");
		REGIONSTAT_WORK("outer", 7, 0);
		REGIONSTAT_WORK("crossing", 11, 0);
		REGIONSTAT_END("outer");
		REGIONSTAT_WORK("crossing", 11, 0);
		REGIONSTAT_END("crossing");
	}
}

static void *stop(void *call)
{
	regionstat_stop(*(struct regionstat_call *)call);
	return NULL;
}

static void run_async(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct regionstat_call here = REGIONSTAT_START("here");
		struct regionstat_call there = REGIONSTAT_START("there");
		REGIONSTAT_WORK("here", 13, 4);
		REGIONSTAT_WORK("there", 17, 6);
		regionstat_stop(here);
		on_thread(stop, &there);
	}
}

static void *run_in_thread(void *n)
{
	run_calls(*(size_t *)n);
	return NULL;
}

static void run_threads(size_t n_threads, size_t n)
{
	on_threads(n_threads, run_in_thread, &n, 0);
}

static void run_fork(size_t n)
{
	REGIONSTAT_BEGIN("across");
	pid_t child = fork_flushed();
	run_calls(n);
	REGIONSTAT_WORK("across", 5, 0);
	REGIONSTAT_END("across");
	if (child == 0)
		_exit(0);
	wait_for(child);
}

static void run_unmatched(size_t n)
{
	char name[] = "nobody's";
	for (size_t i = 0; i < n; i++) {
		REGIONSTAT_WORK("closed", 1, 1);
		regionstat_work(name, 1, 1);
	}
}

static void run_cut(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("paused");
		REGIONSTAT_WORK("paused", 100, 100);
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		REGIONSTAT_END("paused");
		REGIONSTAT_BEGIN("paused");
		REGIONSTAT_END("paused");
		REGIONSTAT_BEGIN("paused");
		REGIONSTAT_WORK("paused", 1, 0);
		REGIONSTAT_END("paused");
	}
}

static jmp_buf back;

static void __attribute__((noinline)) leave(void)
{
	REGIONSTAT_BEGIN("left");
	REGIONSTAT_WORK("left", 1000, 1000);
	longjmp(back, 1);
}

static void run_jump(volatile size_t n)
{
	REGIONSTAT_SCOPE("around");
	while (n-- > 0)
		if (setjmp(back) == 0)
			leave();
	REGIONSTAT_WORK("around", 1, 1);
}

static void run_huge(void)
{
	for (int i = 0; i < 2; i++) {
		REGIONSTAT_SCOPE("huge");
		REGIONSTAT_WORK("huge", ~0ull / 3 * 2, 1);
	}
}

static void run_kill(size_t n)
{
	run_calls(n);
	REGIONSTAT_BEGIN("told");
	REGIONSTAT_WORK("told", 1000000, 1000000);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t m = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	if (strcmp(kind, "triad") == 0)
		run_triad(n, m);
	else if (strcmp(kind, "dgemm") == 0)
		run_dgemm(n, m);
	else if (strcmp(kind, "calls") == 0)
		run_calls(n);
	else if (strcmp(kind, "sizes") == 0)
		run_sizes(n, m);
	else if (strcmp(kind, "faults") == 0)
		run_faults(n, m);
	else if (strcmp(kind, "recursion") == 0)
		again(1, n);
	else if (strcmp(kind, "shapes") == 0)
		run_shapes(n);
	else if (strcmp(kind, "async") == 0)
		run_async(n);
	else if (strcmp(kind, "threads") == 0)
		run_threads(n, m);
	else if (strcmp(kind, "fork") == 0)
		run_fork(n);
	else if (strcmp(kind, "unmatched") == 0)
		run_unmatched(n);
	else if (strcmp(kind, "cut") == 0)
		run_cut(n);
	else if (strcmp(kind, "jump") == 0)
		run_jump(n);
	else if (strcmp(kind, "huge") == 0)
		run_huge();
	else if (strcmp(kind, "kill") == 0)
		run_kill(n);
	else
		return 2;
	return 0;
}
