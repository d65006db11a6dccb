/* SPDX-License-Identifier: MIT */
/*
 * Intervals of a run. An interval is the difference of two summaries of the same run. The sum of
 * all intervals equals the last summary in each field.
 */
#ifndef RS_STATS_INTERVAL_H
#define RS_STATS_INTERVAL_H

#include "stats/summary.h"

/*
 * The calls that ended in one interval. Its values have the same members as those of a summary.
 * `min` and `max` are the middles of the lowest and highest bucket, unless the exact values are
 * known.
 *
 * An estimate may become smaller, because a later summary knows the length of a tick and the
 * weights of sampled calls better. Its interval is then 0, until the estimate exceeds the sum of
 * all earlier intervals. In the last interval, `calls`, `total`, `self`, `counted` and times may
 * therefore be negative, as two's complements.
 */
struct rs_interval {
	/* summary of the run up to the end of the interval; borrowed */
	const struct rs_summary *summary;
	uint64_t begin_ns; /* begin_ns and end_ns are times after the start of the program */
	uint64_t end_ns;
	/* the whole run; only `values` and `metrics` are set */
	struct rs_summary_region total;
	/* One for each merged region of the summary. Only `calls`, `values`, `work`, `metrics` and
	 * the members that never change are set. If no call ended in the interval, all values are
	 * 0, and their increase is added to a later interval. */
	struct rs_summary_region *regions;
	struct rs_arena arena; /* owns the arrays above */
};

/* The sum of all intervals so far. A zeroed struct is the state before the first interval. Its size
 * in memory depends only on the number of regions and buckets. */
struct rs_intervals {
	struct rs_summary_region total;
	struct rs_summary_region *regions; /* indexed by the region's index in the run */
	size_t n_regions;
	struct rs_arena arena; /* owns the arrays above */
};

/*
 * Make the interval from the end of the previous one to the time of `summary`, and add it to
 * `intervals`. All summaries must be of the same run, in the order of time. is_last: make the sum
 * of all intervals equal to `summary`, even if differences are negative. Release interval with
 * rs_interval_finish() before the summary. Return false if memory runs out.
 */
bool rs_interval_make(struct rs_interval *interval, struct rs_intervals *intervals,
	const struct rs_summary *summary, bool is_last);

/* Release memory. interval and intervals may be zeroed. */
void rs_interval_finish(struct rs_interval *interval);
void rs_intervals_finish(struct rs_intervals *intervals);

#endif
