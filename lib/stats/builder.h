/* SPDX-License-Identifier: MIT */
/*
 * What a summary is made with, for the files that make parts of it.
 */
#ifndef RS_STATS_BUILDER_H
#define RS_STATS_BUILDER_H

#include "stats/columns.h"
#include "stats/merge.h"
#include "stats/places.h"
#include "stats/summary.h"
#include "stats/ticks.h"

struct builder {
	struct rs_summary *summary;
	struct rs_arena *arena;
	const struct rs_plan *plan;
	const struct rs_collection *collection; /* or NULL */
	const struct rs_outcome *outcome;
	struct rs_ticks rate;
	struct rs_columns columns;
	bool raw;
	const bool *are_short; /* one a region of the collection */
};

/* The regions of rows[n_rows]. places: NULL where rows are of all. False: no memory. */
bool rs_builder_make_rows(struct builder *builder, const struct rs_merged_row *rows, size_t n_rows,
	const struct rs_places *places, struct rs_summary_region **regions, size_t *n);

/* ---- builder_glance.c ---- */

/* The summary's merged regions, once it has its rows. options, merge: of these. False, with err
 * filled: no memory. */
bool rs_builder_make_merged(struct builder *builder, const struct rs_merge_options *options,
	const struct rs_merge *merge, struct rs_err *err);

/* What lets all regions be seen at one glance. False: no memory. */
bool rs_builder_make_glance(struct builder *builder, bool per_process, bool per_thread);

/* The distributions that options wish for. False: no memory. */
bool rs_builder_make_distributions(
	struct builder *builder, const struct rs_summary_options *options);

/* ---- builder_messages.c ---- */

/* The summary's warnings, notes and details, once it has everything else. False: no memory. */
bool rs_builder_make_messages(struct builder *builder, const struct rs_record *record);

#endif
