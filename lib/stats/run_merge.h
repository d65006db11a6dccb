/* SPDX-License-Identifier: MIT */
/*
 * Several runs as one: ranks, hosts, repetitions.
 */
#ifndef RS_STATS_RUN_MERGE_H
#define RS_STATS_RUN_MERGE_H

#include "stats/run.h"

/*
 * Add a run to others. Its processes, threads and results are appended. A region is the same where
 * its name and object are, and calls of one work where that work and their region are. An event is
 * the same where its name is; each run must count the same ones. CPU times and totals of events add
 * up, and the elapsed time is the longest. Whatever the order and grouping of runs, rows of regions
 * have the same integers.
 * into: zeroed, or what earlier calls filled; release with rs_run_finish(). Its plan, command and
 * options are those of the first run, which must outlive it; other runs need not. False, with err
 * filled and into as it was: the runs count different events, one has raw values alone, there are
 * too many regions, or no memory.
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
