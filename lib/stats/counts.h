/* SPDX-License-Identifier: MIT */
/*
 * The other numbers of accumulators, added up over threads and processes. They are missing
 * calls and the reasons, how much of the calls each group of events counted, and how evenly threads
 * share the work.
 */
#ifndef RS_STATS_COUNTS_H
#define RS_STATS_COUNTS_H

#include "stats/run.h"

/* How threads share something, in ns. */
struct rs_balance {
	uint64_t n_threads; /* that have any of it */
	double average;
	double most; /* of one thread */
	double error; /* two standard errors of most - average; NAN: unknown */
	bool is_known; /* false: also where several threads had one slot in turn */
	uint32_t tid; /* of the thread with most */
};

/* One region of the program. */
struct rs_region_counts {
	bool is_called; /* some thread has it */
	uint64_t calls; /* measured */
	uint64_t skipped;
	/* of enum rs_cell_diag; OPEN: while the thread ended by itself; EXIT: while the process ended */
	uint64_t diag[RS_CELL_DIAG_N];
	uint64_t pending; /* asynchronous calls that were never stopped */
	uint64_t running; /* calls that may still end */
	uint64_t clamped_quantities;
	bool is_incomplete; /* a histogram lacks calls */
	uint64_t work_unmatched;
	uint64_t *counted; /* n_groups: measured calls that were counted whole */
	uint64_t *running_ns; /* n_groups */
	struct rs_balance self; /* self time */
};

struct rs_counts {
	struct rs_region_counts *regions; /* one each of the run's */
	size_t n_regions;
	uint64_t measured; /* calls of all regions */
	uint64_t skipped;
	uint64_t process_diag[RS_PROCESS_DIAG_N];
	struct rs_balance cpu; /* on-CPU time in regions */
};

/* Add up. counts: filled, in arena. False: no memory. */
bool rs_counts_make(struct rs_counts *counts, struct rs_arena *arena, const struct rs_run *run);

#endif
