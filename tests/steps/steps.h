/* SPDX-License-Identifier: MIT */
/* The stepped program (victim.c) and the tracer (step.c) share a page. The program counts its own
 * calls there, for comparison with the segment. */
#ifndef RS_TESTS_STEPS_H
#define RS_TESTS_STEPS_H

#include <stdint.h>

#define STEPS_TRUTH_ENV "STEPS_TRUTH_FD"

/* Regions. */
enum steps_region {
	STEPS_LEAF,
	STEPS_OUTER,
	STEPS_INNER,
	STEPS_REC,
	STEPS_FIRST,
	STEPS_SECOND,
	STEPS_ASYNC,
	STEPS_WORK,
	STEPS_CUT, /* counting pauses or resumes during its calls: none is recorded */
	STEPS_HANDLER,
	STEPS_CHILD,
	STEPS_AFTER,
	STEPS_N_REGIONS,
};
#define STEPS_NAMES                                                                         \
	{                                                                                   \
		"leaf", "outer", "inner", "rec", "first", "second", "async", "work", "cut", \
			"handler", "child", "after"                                         \
	}

#define STEPS_REC_DEPTH 3 /* calls of "rec" that end in a row, innermost first */
#define STEPS_WORK_BYTES 8 /* of each call of "work" */
#define STEPS_WORK_FLOPS 3
#define STEPS_AFTERWARDS 100 /* calls of "after", once all is over */
#define STEPS_MOST_SKIPPED 64 /* markers, after a handler jumped out of one */

/* The action of the handler of SIGUSR1. */
enum steps_handler {
	STEPS_HANDLER_NONE,
	STEPS_HANDLER_MARKS,
	STEPS_HANDLER_JUMPS,
	STEPS_HANDLER_FORKS,
	STEPS_N_HANDLERS,
};

struct steps_truth {
	volatile uint32_t stop; /* the tracer's: end after this iteration */
	volatile uint32_t is_armed; /* a handler may run now */
	volatile uint64_t
		ended[STEPS_N_REGIONS]; /* calls, counted after the marker that ends them */
	volatile uint64_t n_handled; /* signals */
};

#endif
