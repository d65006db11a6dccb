/* SPDX-License-Identifier: MIT */
/*
 * The parts of a summary in the making, for the files that make them.
 */
#ifndef RS_STATS_BUILDER_H
#define RS_STATS_BUILDER_H

#include "stats/columns.h"
#include "stats/merge.h"
#include "stats/metrics.h"
#include "stats/places.h"
#include "stats/summary.h"

struct builder {
	struct rs_summary *summary;
	struct rs_arena *arena;
	const struct rs_run *run;
	struct rs_columns columns;
	const bool *are_short; /* one a region of the run */
};

/* ---- regions.c ---- */

/* The regions of rows[n_rows]. places: NULL where rows are of all. False: no memory. */
bool rs_builder_make_rows(struct builder *builder, const struct rs_result *rows, size_t n_rows,
	const struct rs_places *places, struct rs_summary_region **regions, size_t *n);

/* The source of the metrics of a region of which so many calls were measured or, where it is NULL,
 * of the run. */
struct rs_metrics_source rs_builder_metrics_source(
	const struct builder *builder, const struct rs_summary_region *region, uint64_t measured);

/* ---- whole.c ---- */

/* The time of all threads together, once the summary has its merged regions; and of each thread or
 * process. False: no memory. */
void rs_builder_make_whole(struct builder *builder);
bool rs_builder_make_places(struct builder *builder, bool per_thread);

#endif
