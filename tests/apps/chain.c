/* SPDX-License-Identifier: MIT */
/*
 * chain NS CALLS: calls of a region "chain" with NS ns of dependent work. Its multiplications wait
 * for each other, so only a clock that waits for them measures it correctly. Groups of these calls
 * alternate with groups of calls without markers, which the thread's CPU clock measures. The
 * program prints the median time of a call without markers in ns.
 */
#include <regionstat.h>

#include "check.h"
#include "clock.h"

/* Marked and unmarked work alternate in this many parts, because the machine's speed changes. */
#define N_PARTS 100

static uint64_t value = 1;

/* The work is not inlined, so that it is the same code with markers and without. */
static __attribute__((noinline)) void chain(uint64_t rounds)
{
	uint64_t last = value;
	for (uint64_t i = 0; i < rounds; i++) {
		last = last * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		__asm__ volatile("" : "+r"(last));
	}
	value = last;
}

static double unmarked_ns(uint64_t rounds, unsigned long calls)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (unsigned long i = 0; i < calls; i++)
		chain(rounds);
	return (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)calls;
}

static __attribute__((noinline)) void marked(uint64_t rounds, unsigned long calls)
{
	for (unsigned long i = 0; i < calls; i++) {
		REGIONSTAT_BEGIN("chain");
		chain(rounds);
		REGIONSTAT_END("chain");
	}
}

/* Return the number of rounds with which a call takes this time. */
static uint64_t rounds_of(double target_ns)
{
	double call_ns = unmarked_ns(0, 1000000);
	double round_ns = (unmarked_ns(1000, 10000) - call_ns) / 1000;
	double rounds = (target_ns - call_ns) / round_ns;
	return rounds < 1 ? 1 : (uint64_t)(rounds + 0.5);
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	unsigned long calls = strtoul(argv[2], NULL, 10) / N_PARTS;
	uint64_t rounds = rounds_of(strtod(argv[1], NULL));
	double times_ns[N_PARTS];
	for (int i = 0; i < N_PARTS; i++) {
		marked(rounds, calls);
		times_ns[i] = unmarked_ns(rounds, calls);
	}
	qsort(times_ns, N_PARTS, sizeof(times_ns[0]), compare);
	printf("%.3f\n", times_ns[N_PARTS / 2]);
	return 0;
}
