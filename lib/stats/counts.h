/* SPDX-License-Identifier: MIT */
/*
 * Counts of accumulators, added up over threads and processes. They say which calls are missing and
 * why, how many calls each group of events counted, and how evenly threads share the work.
 */
#ifndef RS_STATS_COUNTS_H
#define RS_STATS_COUNTS_H

#include "stats/run.h"

/* How evenly threads share a time, in ns. */
struct rs_balance {
	uint64_t n_threads; /* threads with any of this time */
	double average;
	double most; /* largest time of one thread */
	double error; /* two standard errors of most - average; NAN: unknown */
	bool is_known; /* false if it is unknown, as where several threads used one slot in turn */
	uint32_t tid; /* thread with the largest time */
};

/* Counts of one region of the program. */
struct rs_region_counts {
	bool is_called; /* a thread has an accumulator of it */
	uint64_t calls; /* measured calls */
	uint64_t skipped;
	/* Counts indexed by enum rs_accumulator_diag. OPEN counts calls whose thread ended, EXIT
	 * calls whose process ended. */
	uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	uint64_t pending; /* asynchronous calls that were never stopped */
	uint64_t running; /* open calls that may still end */
	uint64_t clamped_counters;
	bool is_incomplete; /* a histogram lacks calls */
	uint64_t work_unmatched;
	/* for each group: measured calls for whose full length the group was counted */
	uint64_t *counted;
	uint64_t *running_ns; /* for each group; 0: it never ran */
	struct rs_balance self; /* balance of self time */
};

struct rs_counts {
	struct rs_region_counts *regions; /* one for each region of the run */
	size_t n_regions;
	uint64_t measured; /* measured calls of all regions */
	uint64_t skipped;
	uint64_t process_diag[RS_PROCESS_DIAG_N];
	/* Balance of on-CPU time in regions. It compares the thread that has most of it with threads
	 * that do the same: they too have most of their time in cpu_region. */
	struct rs_balance cpu;
	uint32_t cpu_region;
};

/* Add up the counts of a run and fill counts. Arrays lie in arena. */
void rs_counts_make(struct rs_counts *counts, struct rs_arena *arena, const struct rs_run *run);

#endif
