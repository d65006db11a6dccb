/* SPDX-License-Identifier: MIT */
/*
 * Made-up series whose truth is known: runs of regions on a machine with noise.
 */
#ifndef RS_TEST_COMPARE_SIMULATION_H
#define RS_TEST_COMPARE_SIMULATION_H

#include <stdint.h>

#include "compare/compare.h"

#define SIMULATED_REGIONS 100u
#define SIMULATED_ROUNDS 10u /* runs a side */

/* Events of a series, in this order. */
enum simulated_event {
	SIMULATED_TIME,
	SIMULATED_CPU_TIME,
	SIMULATED_CALLS,
	SIMULATED_FAULTS, /* a count with noise of its own */
	SIMULATED_INSTRUCTIONS, /* the last, so that a series may do without */
	SIMULATED_EVENTS,
};

struct simulation {
	uint64_t state; /* of the random numbers */
	bool is_paired; /* ABBA, else all old runs before all new ones */
	bool has_instructions;
	size_t changed; /* a region, or RS_NONE */
	double work; /* its factor of instructions and time in new runs */
	double speed; /* its factor of time only */
	double machine; /* factor of times on the machine ... */
	double machine_from; /* ... from this part of the runs on, 0 to 1 */
};

/* One series. Release with rs_comparison_finish(). */
void simulation_make(struct simulation *simulation, struct rs_comparison *comparison);

double simulation_uniform(struct simulation *simulation); /* in (0, 1) */

#endif
