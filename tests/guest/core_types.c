/* SPDX-License-Identifier: MIT */
/*
 * Regions on a machine with two types of cores: one only on CPU 0, and one only on CPU 1. Every
 * fourth call of a third region is on CPU 1, and the others are on CPU 0. Each call of a fourth
 * region moves from CPU 0 to CPU 1. A call has 100,000 instructions, or twice as many if it moves.
 * With an argument, there is one region instead of these. Its calls move, and contain many calls of
 * an empty region.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

#include "instructions.h"

#define CALLS 20
#define EMPTY_CALLS 200

static void move_to(size_t cpu)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
		perror("sched_setaffinity");
		exit(3);
	}
}

static void mark_empty_regions(void)
{
	for (int i = 0; i < EMPTY_CALLS; i++) {
		REGIONSTAT_BEGIN("empty");
		REGIONSTAT_END("empty");
	}
}

int main(int argc, char **argv)
{
	uint64_t pairs = opaque_number(50000);

	(void)argv;
	for (int i = 0; argc > 1 && i < CALLS; i++) {
		move_to(0);
		REGIONSTAT_BEGIN("around");
		execute_instruction_pairs(pairs);
		mark_empty_regions();
		move_to(1);
		execute_instruction_pairs(pairs);
		mark_empty_regions();
		REGIONSTAT_END("around");
	}
	if (argc > 1)
		return 0;
	for (int i = 0; i < CALLS; i++) {
		move_to(0);
		REGIONSTAT_BEGIN("first");
		execute_instruction_pairs(pairs);
		REGIONSTAT_END("first");
	}
	for (int i = 0; i < CALLS; i++) {
		move_to(1);
		REGIONSTAT_BEGIN("second");
		execute_instruction_pairs(pairs);
		REGIONSTAT_END("second");
	}
	for (int i = 0; i < CALLS; i++) {
		move_to(i % 4 == 0);
		REGIONSTAT_BEGIN("both");
		execute_instruction_pairs(pairs);
		REGIONSTAT_END("both");
	}
	for (int i = 0; i < CALLS; i++) {
		move_to(0);
		REGIONSTAT_BEGIN("moves");
		execute_instruction_pairs(pairs);
		move_to(1);
		execute_instruction_pairs(pairs);
		REGIONSTAT_END("moves");
	}
	return 0;
}
