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

#endif
