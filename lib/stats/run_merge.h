/* SPDX-License-Identifier: MIT */
/*
 * These functions merge several runs into one: for example the runs of MPI ranks, of several hosts,
 * or repeated runs.
 */
#ifndef RS_STATS_RUN_MERGE_H
#define RS_STATS_RUN_MERGE_H

#include "stats/run.h"

/*
 * Begin a sum of runs in `into`, which must be zeroed. The sum has no run yet. It borrows the plan,
 * label, command and options of `first`. Release it with rs_run_finish(). Return false and set err
 * if memory runs out.
 */
bool rs_run_merge_begin(struct rs_run *into, const struct rs_run *first, struct rs_err *err);

/*
 * Add a run to the sum `into`: append its processes, threads and results. Two regions are the same
 * if they have the same name and object. With --by-work, kinds of work must also have the same
 * bytes and operations. Two events are the same if they have the same name; each run must count the
 * same events. CPU times and totals of events are added. The elapsed time is the longest one,
 * because clocks of different hosts cannot be compared. Elapsed times are added only for successive
 * periods of one run. The integers of a region's row do not depend on the order and grouping of
 * runs.
 *
 * `into` must be initialized by rs_run_merge_begin() or zeroed. If it is zeroed, the sum begins
 * with `run`. Only the run that began the sum must outlive `into`.
 *
 * Return false and set err, with `into` unchanged, if memory runs out or there are too many
 * regions. The same happens if the runs count different events or only one of them has --raw
 * values.
 */
bool rs_run_merge(struct rs_run *into, const struct rs_run *run, struct rs_err *err);

/* Return 0 if the program of a run succeeded, otherwise a number. The larger the number, the more
 * likely this program's end made other programs fail. If one rank of an MPI program fails, the
 * launcher ends the other ranks with SIGTERM, then SIGKILL, so these signals give the smallest
 * numbers. The status of a sum is the status of the run with the largest number. */
int rs_outcome_blame(const struct rs_outcome *outcome);

/*
 * Collapse a run and add it to the sum `into` as rs_run_merge() does. To collapse a run means to
 * merge all its processes into one process with one thread. The size of the sum then does not
 * depend on the number of processes. Each region has one result, whose ranks say how its time
 * differs between the processes. The ranks of a run that is collapsed already are kept. If a sum of
 * collapsed runs is collapsed again, its integers do not depend on the order and grouping of runs.
 * `into` and `run` must differ. Return false and set err as rs_run_merge() does, or if a region has
 * more than RS_MAX_CALLS calls.
 */
bool rs_run_collapse(struct rs_run *into, const struct rs_run *run, struct rs_err *err);

#endif
