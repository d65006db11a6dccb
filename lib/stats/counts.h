/* SPDX-License-Identifier: MIT */
/*
 * Counts about the measurement, added up over all threads and processes. They say how many calls
 * are missing and why, how many calls each group of events counted, and how evenly threads share
 * the work. Warnings are made from them.
 */
#ifndef RS_STATS_COUNTS_H
#define RS_STATS_COUNTS_H

#include "stats/run.h"

/* How evenly threads share a time. Times are in ns. */
struct rs_balance {
	uint64_t n_threads; /* number of threads that are compared */
	double average;
	double most; /* largest time of one thread */
	/* twice the standard error of the difference between `most` and `average`; NAN: unknown */
	double error;
	/* false: the balance is unknown, for example because threads may have run one after
	 * another */
	bool is_known;
	uint32_t tid; /* thread with the largest time */
};

/* Counts of one region of the program. */
struct rs_region_counts {
	bool is_called; /* at least one thread has an accumulator for this region */
	uint64_t calls; /* measured calls */
	uint64_t skipped;
	/* Counts by enum rs_accumulator_diag. The count OPEN contains open calls whose thread has
	 * ended, the count EXIT open calls whose process has ended. */
	uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	uint64_t pending; /* number of asynchronous calls that were never stopped */
	uint64_t running; /* number of open calls that can still end */
	uint64_t clamped_counters;
	bool is_incomplete; /* some calls are missing in a histogram */
	uint64_t work_unmatched;
	/* for each group: number of measured calls in which the group was counted from begin to
	 * end */
	uint64_t *counted;
	/* for each group: above 0 if the group was on its PMU during any call, otherwise 0 */
	uint64_t *running_ns;
	/* balance of self time that was not preempted, without threads that were blocked for most
	 * of theirs */
	struct rs_balance self;
};

struct rs_counts {
	struct rs_region_counts *regions; /* one for each region of the run */
	size_t n_regions;
	uint64_t measured; /* measured calls of all regions */
	uint64_t skipped;
	uint64_t process_diag[RS_PROCESS_DIAG_N];
	/* Balance of the on-CPU time in regions. It compares the thread that has the most on-CPU
	 * time with similar threads: all of them have most of their on-CPU time in region
	 * cpu_region. */
	struct rs_balance cpu;
	uint32_t cpu_region;
	/* Time that threads with open calls spent in no region. A part of this time was in the open
	 * calls. */
	uint64_t unended_ns;
};

/* Add up the counts of a run and fill counts. Arrays are in arena. */
void rs_counts_make(struct rs_counts *counts, struct rs_arena *arena, const struct rs_run *run);

#endif
