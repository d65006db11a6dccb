/* SPDX-License-Identifier: MIT */
/*
 * Periods of a run. A period is a run that contains only the calls, times and counts that were
 * added between two collections of one segment. If all periods are merged, each field equals the
 * field of the whole run. The counts of threads are an exception: each period counts all threads
 * that existed in it.
 */
#ifndef RS_STATS_PERIOD_H
#define RS_STATS_PERIOD_H

#include "stats/run.h"

/*
 * Set `part` to the difference of two collections, `now` minus `before`. before: an earlier
 * collection; NULL: the period begins with the run. Only the last period (is_last) has open calls,
 * so that their counts add up. The slowest call of a region is set only if it ended in this period.
 *
 * `part` borrows from `now`, which must outlive `part`. Release `part` with rs_run_finish(). Return
 * false if memory runs out.
 */
bool rs_period_make(
	struct rs_run *part, const struct rs_run *now, const struct rs_run *before, bool is_last);

/*
 * Replace `now` by the sum of `before` and of the period from `before` to `now`. So no count or
 * bucket becomes smaller than in `before`, and periods add up. Later collections know overhead and
 * ticks better, but the sum keeps the numbers of earlier periods as they were. Counts of problems,
 * such as lost calls, are those of `now`. Self time can become smaller, unless keeps_self is true:
 * then it grows again when the new self time exceeds the difference. `now` borrows nothing from `before`. Return false if memory runs out.
 */
bool rs_period_add_up(struct rs_run *now, const struct rs_run *before, bool keeps_self);

#endif
