/*
 * Regions on a machine with two types of cores: one on CPU 0 alone, one on CPU 1 alone, one whose
 * calls are on either by turns, and one that moves from the first to the second. A call is 100,000
 * instructions, or twice as many where it moves.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

#include "instructions.h"

#define CALLS 20

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

int main(void)
{
	uint64_t pairs = opaque_number(50000);

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
