/* SPDX-License-Identifier: MIT */
/*
 * The rule for a program killed at any instruction. After an instruction a collector reads from the
 * segment the same as before, or one whole call more, of one region on one thread. It is arithmetic
 * on the results of rs_collect(), independent of the segment's layout. A call has one value of each
 * statistic. That value is in the sum, the square, the extremes, the histogram, the octave of its
 * time, and the slowest call.
 */
#ifndef RS_TESTS_STEPS_ORACLE_H
#define RS_TESTS_STEPS_ORACLE_H

#include <sys/types.h>

#include "stats/collect.h"

struct oracle {
	/* in */
	pid_t pid; /* of the stepped program; of others more than one call may end at a time */
	bool is_sampled;
	bool adds_up; /* every call ends: self times add up to the time of the outermost calls */
	void (*tell)(const char *text); /* gets each failure, a line at a time */
	/* kept */
	uint64_t n_calls; /* seen to end, skipped calls, too */
	uint64_t
		n_uncounted; /* of them, calls with an event that was not on the PMU all the time */
	uint64_t n_failures;
	uint64_t rec_values[RS_MAX_EVENTS + 1]; /* of the latest call of "rec" */
	uint64_t n_rec;
};

/* Compare two collections of a segment. before: NULL for one where nothing has been marked. */
void oracle_compare(struct oracle *oracle, const struct rs_run *before, const struct rs_run *after);

#endif
