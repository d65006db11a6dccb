/* SPDX-License-Identifier: MIT */
/*
 * What the files share that make a summary: their state, and the parts that each of them makes.
 */
#ifndef RS_STATS_BUILDER_H
#define RS_STATS_BUILDER_H

#include "stats/columns.h"
#include "stats/merge.h"
#include "stats/metrics.h"
#include "stats/places.h"
#include "stats/result.h"
#include "stats/summary.h"

struct rs_builder {
	struct rs_summary *summary;
	const struct rs_summary_options *options;
	struct rs_arena *arena;
	const struct rs_run *run;
	struct rs_columns columns;
	/* for each region of the run: its calls are shorter than their markers */
	const bool *are_short;
};

/* ---- regions.c ---- */

/* Make regions of a summary from rows[n_rows]. places is NULL if rows are not split by process or
 * thread. */
void rs_builder_make_rows(struct rs_builder *builder, const struct rs_result *rows, size_t n_rows,
	const struct rs_places *places, struct rs_summary_region **regions, size_t *n);

/* Return the source of the metrics of a region. measured: its measured calls. region NULL: the
 * whole run. */
struct rs_metrics_source rs_builder_metrics_source(const struct rs_builder *builder,
	const struct rs_summary_region *region, uint64_t measured);

/* ---- whole.c ---- */

/* Compute the time of all threads together, once the summary has its merged regions; and the time
 * of each thread or process. */
void rs_builder_make_whole(struct rs_builder *builder);
void rs_builder_make_places(struct rs_builder *builder, bool per_thread);

/* ---- glance.c: shares that add up, and how evenly threads share regions ---- */

/*
 * Fill the shares of a summary. It must have its run, columns, merged regions and whole.
 */
void rs_glance_make(struct rs_summary *summary, struct rs_arena *arena);

/*
 * Fill the spreads of a summary whose rows are split by threads. It must have its regions, merged
 * regions and columns. The rows of a region follow each other, in the order of the merged regions.
 */
void rs_spread_make(struct rs_summary *summary, struct rs_arena *arena);

/* ---- distribution.c: histograms in so few steps that a reader can look at them ---- */

/*
 * Fill distribution for a user's wish: "REGION", "REGION:EVENT" or "REGION:cpu-time". Names may
 * contain colons: a region with the whole name is taken first, then the one with the shortest name.
 * The summary must have its merged regions.
 */
void rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_summary *summary, const char *wish);

/* ---- long_calls.c: the few longest calls of a region, and their part of its time ---- */

/* Fill long_calls from the times of a region's calls, or zero it if no time is known. cpu_time is
 * of the same calls; it is unknown unless its status is ok. */
void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time);

/* ---- marker_overhead.c: what markers took, by what the runtime measured ---- */

/* Set the overhead of the run. The summary must have user_ns and system_ns. */
void rs_marker_overhead_of_run(struct rs_summary *summary);

void rs_marker_overhead_of_row(struct rs_marker_overhead *cost, const struct rs_result *row);

/* Find regions whose calls are shorter on average than the markers around them. Return a flag for
 * each region of the run, in arena. raw: values include the overhead. */
const bool *rs_marker_overhead_find_short(
	struct rs_arena *arena, const struct rs_run *run, bool raw);

/* ---- tails.c: the slowest calls of a row compared with its other calls, in each event ---- */

/* About a tenth and about a hundredth of the calls. */
#define RS_TAILS 2u

/*
 * Find the tails of a row. A tail has the octaves of the longest times. Its share of the calls is
 * as near as possible, as a ratio, to a tenth or to a hundredth. A tail is missing if its share is
 * not within a factor of the square root of 10, or it has too few measured calls. Fill
 * tails[RS_TAILS], the larger tail first. Return their number.
 */
size_t rs_tails_find(struct rs_tail *tails, const struct rs_result *row);

/*
 * Return how much a tail used of an event. `counters`: n numbers of the event's parts. event: the
 * value of all parts together over all calls of the row.
 */
struct rs_tail_event rs_tail_of_event(const struct rs_tail *tail, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *counters, size_t n);

/* Make the tails of a region, with a value for each column, and choose the columns to report. The
 * values of region must be set. row is the row of the region. */
void rs_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_columns *columns, const struct rs_result *row);

#endif
