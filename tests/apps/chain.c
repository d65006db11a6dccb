/* SPDX-License-Identifier: MIT */
/*
 * chain NS CALLS: a region "chain" whose calls are so much of dependent work: multiplications that
 * wait for each other, so that only a clock that waits for them sees how long they take. Between
 * some of them as many without a marker, measured by CLOCK_MONOTONIC. Prints "BEFORE AFTER", in ns
 * a call: those before the marked ones and those after.
 */
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

#include "truth.h"

/* A machine's speed changes: marked and unmarked work take turns. */
#define N_PARTS 100

static uint64_t value = 1;

/* Not inlined: the same code with markers and without. */
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
	uint64_t begin_ns = truth_now_ns();
	for (unsigned long i = 0; i < calls; i++)
		chain(rounds);
	return (double)(truth_now_ns() - begin_ns) / (double)calls;
}

static __attribute__((noinline)) void marked(uint64_t rounds, unsigned long calls)
{
	for (unsigned long i = 0; i < calls; i++) {
		REGIONSTAT_BEGIN("chain");
		chain(rounds);
		REGIONSTAT_END("chain");
	}
}

/* How many rounds take about so long: a call has a cost of its own, which they have too. */
static uint64_t rounds_of(double target_ns)
{
	double call_ns = unmarked_ns(0, 1000000);
	double round_ns = (unmarked_ns(1000, 10000) - call_ns) / 1000;
	double rounds = (target_ns - call_ns) / round_ns;
	return rounds < 1 ? 1 : (uint64_t)(rounds + 0.5);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: chain NS CALLS\n", stderr);
		return 2;
	}
	unsigned long calls = strtoul(argv[2], NULL, 10) / N_PARTS;
	uint64_t rounds = rounds_of(strtod(argv[1], NULL));
	double before_ns = 0, after_ns = 0;
	for (int i = 0; i < N_PARTS; i++) {
		before_ns += unmarked_ns(rounds, calls) / N_PARTS;
		marked(rounds, calls);
		after_ns += unmarked_ns(rounds, calls) / N_PARTS;
	}
	printf("%.3f %.3f\n", before_ns, after_ns);
	return 0;
}
