/* SPDX-License-Identifier: MIT */
/*
 * work KIND ...: calls with bytes and floating-point operations, which follow from the arguments by
 * arithmetic. KIND:
 *
 *   triad N REPEATS    a = b + s * c over N doubles: 24 N bytes and 2 N operations per call;
 *                      it prints bytes and operations per second, by a clock of its own within all
 *                      calls
 *   calls N            call i of "told", from 1 to N, has i bytes and 2 i operations, each in two
 *                      parts, but every third call has none; "silent" is called as often
 *   sizes N REPEATS    call i of "sized" has 64 i bytes and i operations, for i from 1 to N
 *   threads T N        as calls N, on T threads at once
 *   fork N             as calls N, also in a child; a region that is open across the fork has 5
 *                      bytes in the parent, and ignored ones in the child
 *   unmatched N        work of regions that are not open, by site and by name
 */
#include <regionstat.h>

#include "check.h"
#include "clock.h"

static uint64_t within_ns; /* time within the region's calls, by the program's own clock */

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
	double elements = (double)(n * repeats), ns = (double)within_ns;
	printf("%.9g %.9g\n", 24 * elements / ns, 2 * elements / ns);
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

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t m = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	if (strcmp(kind, "triad") == 0)
		run_triad(n, m);
	else if (strcmp(kind, "calls") == 0)
		run_calls(n);
	else if (strcmp(kind, "sizes") == 0)
		run_sizes(n, m);
	else if (strcmp(kind, "threads") == 0)
		run_threads(n, m);
	else if (strcmp(kind, "fork") == 0)
		run_fork(n);
	else if (strcmp(kind, "unmatched") == 0)
		run_unmatched(n);
	else
		return 2;
	return 0;
}
