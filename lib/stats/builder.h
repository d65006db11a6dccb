/* SPDX-License-Identifier: MIT */
/*
 * The state that is shared by the files that make a summary.
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
void rs_builder_make_rows(struct builder *builder, const struct rs_result *rows, size_t n_rows,
	const struct rs_places *places, struct rs_summary_region **regions, size_t *n);

/* Return the source of the metrics of a region. measured: its measured calls. region NULL: the
 * whole run. */
struct rs_metrics_source rs_builder_metrics_source(
	const struct builder *builder, const struct rs_summary_region *region, uint64_t measured);

/* ---- whole.c ---- */

/* Compute the time of all threads together, once the summary has its merged regions; and the time
 * of each thread or process. */
void rs_builder_make_whole(struct builder *builder);
void rs_builder_make_places(struct builder *builder, bool per_thread);

#endif
