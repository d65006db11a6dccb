/* SPDX-License-Identifier: MIT */
/*
 * Calls of a known number of instructions whose markers take slow paths. Most kinds of calls are in
 * an outer region of their own.
 *
 * 	slow_paths PAIRS
 *
 * "first N", with N from 0 to 19, are nested regions that are each called once. Each call of
 * "larger" is longer than all before, so its histograms grow. "recursive" calls itself, and "named"
 * has a name made at run time. A NEXT leads from "chained a" to the new region "chained b", and
 * from there to "chained c". The thread is switched out after each call of "switched".
 */
#include <regionstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "instructions.h"

#define CALLS 8
#define DEPTH 20

static uint64_t pairs;

static __attribute__((noinline)) void nest(int depth)
{
	char name[24];
	snprintf(name, sizeof(name), "first %d", depth);
	regionstat_begin(name);
	if (depth + 1 < DEPTH)
		nest(depth + 1);
	execute_instruction_pairs(opaque_number(pairs));
	regionstat_end(name);
}

static __attribute__((noinline)) void larger(uint64_t count)
{
	REGIONSTAT_BEGIN("larger");
	execute_instruction_pairs(count);
	REGIONSTAT_END("larger");
}

static __attribute__((noinline)) void recurse(int inner)
{
	REGIONSTAT_BEGIN("recursive");
	if (inner)
		recurse(inner - 1);
	else
		execute_instruction_pairs(opaque_number(pairs));
	REGIONSTAT_END("recursive");
}

static __attribute__((noinline)) void named(void)
{
	regionstat_begin("named");
	execute_instruction_pairs(opaque_number(pairs));
	regionstat_end("named");
}

static __attribute__((noinline)) void chain(void)
{
	REGIONSTAT_BEGIN("chained a");
	execute_instruction_pairs(opaque_number(pairs));
	REGIONSTAT_NEXT("chained a", "chained b");
	execute_instruction_pairs(opaque_number(pairs));
	REGIONSTAT_NEXT("chained b", "chained c");
	execute_instruction_pairs(opaque_number(pairs));
	REGIONSTAT_END("chained c");
}

static __attribute__((noinline)) void switched(void)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	REGIONSTAT_BEGIN("switched");
	execute_instruction_pairs(opaque_number(pairs));
	REGIONSTAT_END("switched");
	/* the page changes before the next BEGIN */
	nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	pairs = strtoull(argv[1], NULL, 10);
	nest(0);
	REGIONSTAT_BEGIN("around larger");
	for (int i = 0; i < CALLS; i++)
		larger(opaque_number(pairs << i));
	REGIONSTAT_END("around larger");
	REGIONSTAT_BEGIN("around recursive");
	for (int i = 0; i < CALLS; i++)
		recurse(3);
	REGIONSTAT_END("around recursive");
	REGIONSTAT_BEGIN("around named");
	for (int i = 0; i < CALLS; i++)
		named();
	REGIONSTAT_END("around named");
	REGIONSTAT_BEGIN("around chained");
	chain();
	REGIONSTAT_END("around chained");
	for (int i = 0; i < CALLS; i++)
		switched();
	return 0;
}
