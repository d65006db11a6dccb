/* SPDX-License-Identifier: MIT */
/*
 * Intervals of a run: what was added between two summaries of the same run. Sums of intervals equal
 * the last summary, field by field.
 */
#ifndef RS_STATS_INTERVAL_H
#define RS_STATS_INTERVAL_H

#include "stats/summary.h"

/*
 * What ended in one interval. Values have the members of any value of a row. Min and max are the
 * middles of the least and of the greatest bucket, unless the values themselves are known.
 *
 * Later estimates may be smaller than earlier ones, because sampling and the length of a tick are
 * known better. Such a value is 0 until it exceeds what earlier intervals had. In the last interval,
 * calls, total, self, counted and times may then be negative, as two's complements.
 */
struct rs_interval {
	const struct rs_summary *summary; /* the run up to the end of the interval; borrowed */
	uint64_t begin_ns; /* after the start of the program, as end_ns */
	uint64_t end_ns;
	/* the run: values, and metrics */
	struct rs_summary_region total;
	/* For each merged region of the summary: calls, values, work, metrics, and the members that do
	 * not change. Without calls the values are 0: they are in a later interval. */
	struct rs_summary_region *regions;
	struct rs_arena arena; /* owns the arrays above */
};

/* The sum of all intervals so far. A zeroed struct is the start of a run. Its size depends on the
 * number of regions and buckets only. */
struct rs_intervals {
	struct rs_summary_region total;
	struct rs_summary_region *regions; /* indexed by the region's index in the run */
	size_t n_regions;
	struct rs_arena arena; /* owns all this */
};

/*
 * Make the interval from the end of the last one to the end of summary, and add it to intervals. All
 * summaries must be of the same run, in the order of time. is_last: the sum of all intervals must
 * equal summary. The interval must be released with rs_interval_finish(), before the summary. Return
 * false if memory runs out.
 */
bool rs_interval_make(struct rs_interval *interval, struct rs_intervals *intervals,
	const struct rs_summary *summary, bool is_last);

/* Release memory. interval and intervals may be zeroed. */
void rs_interval_finish(struct rs_interval *interval);
void rs_intervals_finish(struct rs_intervals *intervals);

#endif
