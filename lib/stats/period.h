/* SPDX-License-Identifier: MIT */
/*
 * Periods of a run: what was added between two collections of one segment, as a run of its own. The
 * merged periods of a run equal the run, field by field, but for the number of threads: each period
 * counts the threads that were there.
 */
#ifndef RS_STATS_PERIOD_H
#define RS_STATS_PERIOD_H

#include "stats/run.h"

/*
 * Make part, which is new in now since before. before: an earlier collection; NULL: the start of the
 * run. Open calls belong to the last period only, so that they add up. The slowest call of a region is
 * known if it ended in this period.
 *
 * part borrows from now, which must outlive it. Release it with rs_run_finish(). Return false if memory
 * runs out.
 */
bool rs_period_make(
	struct rs_run *part, const struct rs_run *now, const struct rs_run *before, bool is_last);

/*
 * Let now be the sum of before and of what is new in it. No count and no bucket becomes smaller then,
 * and periods add up. Later collections know overhead and ticks better; what earlier ones had stays as
 * it was. now then borrows nothing from before. Return false if memory runs out.
 */
bool rs_period_add_up(struct rs_run *now, const struct rs_run *before);

#endif
