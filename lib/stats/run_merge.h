/* SPDX-License-Identifier: MIT */
/*
 * Merging several runs into one: ranks, hosts, repetitions.
 */
#ifndef RS_STATS_RUN_MERGE_H
#define RS_STATS_RUN_MERGE_H

#include "stats/run.h"

/*
 * Begin a sum of runs, which are none yet. Its plan, label, command and options are those of `first`,
 * which must outlive it. into: zeroed; release it with rs_run_finish(). Return false and set err if
 * memory runs out.
 */
bool rs_run_merge_begin(struct rs_run *into, const struct rs_run *first, struct rs_err *err);

/*
 * Add a run to others. Its processes, threads and results are appended. Regions are the same if
 * their name and object are; calls of one work, if also their work and region are the same. Events
 * are the same if their names are, and each run must count the same events. CPU times and totals of
 * events add up. The elapsed time is the longest, because begins of several hosts have no order; that of
 * periods of one run adds up if each follows the one before. The integers of a region's row do not
 * depend on the order and grouping of runs.
 *
 * into: begun, or zeroed to begin it with this run. No run but that must outlive it.
 *
 * Return false and set err, with into unchanged, if memory runs out or there are too many regions.
 * The same happens if the runs count different events or only one of them has --raw values.
 */
bool rs_run_merge(struct rs_run *into, const struct rs_run *run, struct rs_err *err);

/*
 * Add a run to others as rs_run_merge() does, but collapsed. All its processes become one process with
 * one thread, so that the size of the result does not depend on their number. Each region has one
 * result, whose ranks tell how its time differs between the processes. A run that is collapsed
 * already keeps these. Collapsing the sum of collapsed runs gives the same integers in any order and
 * grouping. into and run must differ. Return false and set err as rs_run_merge() does, or if a region
 * has more than RS_MAX_CALLS calls.
 */
bool rs_run_collapse(struct rs_run *into, const struct rs_run *run, struct rs_err *err);

#endif
