/* SPDX-License-Identifier: MIT */
/*
 * The rule for a program that is killed at any instruction. After each instruction, a collector
 * must read the same from the segment as before, or exactly one whole call more, of one region on
 * one thread. The rule is checked on results of rs_collect(), so it does not depend on the
 * segment's layout. A whole call has one value of each statistic. That value is in the sum, the
 * square, the extremes, the histogram, the octave of its time, and the slowest call.
 */
#ifndef RS_TESTS_STEPS_ORACLE_H
#define RS_TESTS_STEPS_ORACLE_H

#include <sys/types.h>

#include "stats/collect.h"

struct oracle {
	/* Set by the caller. */
	pid_t pid; /* The stepped program. Calls of other processes are not checked one by one. */
	bool is_sampled;
	bool rec_works; /* Calls of "rec" have work. */
	bool is_raw; /* No overhead is subtracted from values. */
	/* Every call ends, so self times add up to the time of the outermost calls. */
	bool adds_up;
	void (*tell)(const char *text); /* Called with each failure, one line at a time. */
	/* Kept by oracle_compare(). */
	uint64_t n_calls; /* Calls that ended, including skipped ones. */
	uint64_t n_uncounted; /* Calls with an event that was off the PMU for some time. */
	uint64_t n_failures;
	uint64_t rec_values[RS_MAX_EVENTS + 1]; /* Values of the latest call of "rec". */
	uint64_t n_rec;
};

/* Compare two collections of a segment. before is NULL if nothing has been marked before. */
void oracle_compare(struct oracle *oracle, const struct rs_run *before, const struct rs_run *after);

#endif
