/* SPDX-License-Identifier: MIT */
/*
 * The parts of a summary that are of all regions together. In comes a summary with its rows; out it
 * comes with the merged regions as a tree, their shares and spreads, and the distributions that the
 * reader wants.
 */
#include <errno.h>

#include "stats/arena.h"
#include "stats/builder.h"
#include "stats/distribution.h"
#include "stats/glance.h"
#include "stats/spread.h"
#include "stats/values.h"

/* The row of each merged region's parent. False: no memory. */
static bool find_parent_rows(struct builder *builder, const struct rs_merge *merge)
{
	struct rs_summary *summary = builder->summary;
	size_t *rows = rs_arena_array(
		builder->arena, builder->collection->n_regions, sizeof(*rows));
	if (!rows)
		return false;
	for (size_t i = 0; i < merge->n_rows; i++)
		rows[merge->rows[i].region] = i;
	for (size_t i = 0; i < merge->n_rows; i++)
		if (merge->rows[i].parent != RS_NO_REGION)
			summary->merged[i].parent_row = rows[merge->rows[i].parent];
	return true;
}

/* Regions of all processes and threads, beside those that rows are split into. merge: of these. */
bool rs_builder_make_merged(struct builder *builder, const struct rs_merge_options *options,
	const struct rs_merge *merge, struct rs_err *err)
{
	struct rs_summary *summary = builder->summary;
	struct rs_merge_options how = *options;
	struct rs_merge merged = *merge;
	how.by = RS_MERGE_REGION;
	summary->merged = summary->regions;
	summary->n_merged = summary->n_regions;
	if (options->by != how.by) {
		summary->n_merged = 0;
		if (!rs_merge_make(&merged, builder->arena, builder->collection, &how, err))
			return false;
		if (!rs_builder_make_rows(builder, merged.rows, merged.n_rows, NULL,
			    &summary->merged, &summary->n_merged))
			return rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
	}
	return find_parent_rows(builder, &merged) ||
	       rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
}

static uint64_t add_lifetimes(const struct builder *builder)
{
	rs_u128 ticks = 0;
	for (size_t i = 0; builder->collection && i < builder->collection->n_slots; i++)
		ticks += builder->collection->slots[i].lifetime_ticks;
	return rs_ticks_to_ns(&builder->rate, ticks);
}

/* What lets all regions be seen at one glance. */
bool rs_builder_make_glance(struct builder *builder, bool per_thread)
{
	struct rs_summary *summary = builder->summary;
	summary->lifetimes_ns = add_lifetimes(builder);
	summary->cpu_column = rs_glance_cpu_column(summary, builder->plan);
	return rs_glance_make(summary, builder->arena) &&
	       (!per_thread || rs_spread_make(summary, builder->arena));
}

/* One that was wished for. False: no memory. */
static bool make_distribution(
	struct builder *builder, struct rs_distribution *distribution, const char *wish)
{
	const struct rs_collection *collection = builder->collection;
	const struct rs_summary *summary = builder->summary;
	uint32_t region, parts[RS_MAX_CORE_PMUS] = {0};
	size_t n = 1, place = RS_ALL_PARTS;
	distribution->wish = wish;
	if (!collection || !rs_distribution_find(summary, collection, wish, &region, distribution))
		return true;
	distribution->region = collection->regions[region].name;
	if (distribution->column > 0)
		n = rs_builder_find_parts(builder, distribution->column, parts, &place);
	if (n > 0 && place != RS_ALL_PARTS) {
		parts[0] = parts[place];
		n = 1;
	}
	return rs_distribution_make(distribution, builder->arena, collection, region, parts, n);
}

bool rs_builder_make_distributions(
	struct builder *builder, const struct rs_summary_options *options)
{
	struct rs_summary *summary = builder->summary;
	summary->distributions = rs_arena_array(
		builder->arena, options->n_distributions, sizeof(*summary->distributions));
	for (size_t i = 0; summary->distributions && i < options->n_distributions; i++) {
		if (!make_distribution(
			    builder, &summary->distributions[i], options->distributions[i]))
			return false;
		summary->n_distributions++;
	}
	return summary->distributions;
}
