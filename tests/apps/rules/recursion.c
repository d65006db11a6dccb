/* SPDX-License-Identifier: MIT */
/*
 * Recursion: every execution of a region is a call, and calls inside another one also count as
 * recursive. This file is built twice: with real function calls, and with RULES_INLINED for
 * inlining into one frame.
 */
#include "rules.h"

#ifdef RULES_INLINED
#define TABLE inlined_rules
#define NAME(name) name "-inlined"
#define CALLED static inline
#else
#define TABLE recursion_rules
#define NAME(name) name
#define CALLED __attribute__((noinline)) static
#endif

/* This prevents a tail call, which would leave the frame. */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

CALLED void descend(unsigned long depth)
{
	REGIONSTAT_BEGIN("descend");
	if (depth > 1)
		descend(depth - 1);
	KEEP_FRAME();
	REGIONSTAT_END("descend");
	KEEP_FRAME();
}

CALLED void descend_scope(unsigned long depth)
{
	REGIONSTAT_SCOPE("descend");
	if (depth > 1)
		descend_scope(depth - 1);
	KEEP_FRAME();
}

CALLED unsigned long fibonacci(unsigned long n)
{
	REGIONSTAT_SCOPE("fibonacci");
	if (n < 2)
		return n;
	unsigned long sum = fibonacci(n - 1) + fibonacci(n - 2);
	KEEP_FRAME();
	return sum;
}

CALLED void even(unsigned long depth);

CALLED void odd(unsigned long depth)
{
	REGIONSTAT_SCOPE("odd");
	if (depth > 1)
		even(depth - 1);
	KEEP_FRAME();
}

CALLED void even(unsigned long depth)
{
	REGIONSTAT_SCOPE("even");
	if (depth > 1)
		odd(depth - 1);
	KEEP_FRAME();
}

/* Make n calls that recurse to a depth: n * depth calls, of which n * (depth - 1) are recursive. */
static void run_recursion(void)
{
	unsigned long n = number(0), depth = number(1);
	for (unsigned long i = 0; i < n; i++)
		descend(depth);
}

static void run_recursion_scope(void)
{
	unsigned long n = number(0), depth = number(1);
	for (unsigned long i = 0; i < n; i++)
		descend_scope(depth);
}

/* Make a tree of calls: fibonacci(n) makes 2 F(n + 1) - 1 calls. */
static void run_fibonacci(void)
{
	unsigned long n = number(0), depth = number(1);
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += fibonacci(depth);
	CHECK(sum != 1);
}

/* Let two regions call each other: depth calls in total, of which depth - 2 are recursive. */
static void run_mutual(void)
{
	unsigned long n = number(0), depth = number(1);
	for (unsigned long i = 0; i < n; i++)
		odd(depth);
}

const struct how TABLE[] = {
	{NAME("recursion"), run_recursion},
	{NAME("recursion-scope"), run_recursion_scope},
	{NAME("fibonacci"), run_fibonacci},
	{NAME("mutual"), run_mutual},
	{0},
};
