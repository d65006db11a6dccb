/* SPDX-License-Identifier: MIT */
/*
 * The parts of a summary that are of all regions together. In comes a summary with its rows; out it
 * comes with the merged regions as a tree, their shares and spreads, and the distributions that the
 * reader wants.
 */
#include <errno.h>
#include <stdlib.h>

#include "stats/arena.h"
#include "stats/builder.h"
#include "stats/distribution.h"
#include "stats/glance.h"
#include "stats/spread.h"

/* The different regions in which calls of each began, none being one as well. rows: of each region.
 * False: no memory. */
static bool count_parents(struct builder *builder, const struct rs_merge *merge, const size_t *rows)
{
	const struct rs_collection *collection = builder->collection;
	size_t n_words = collection->n_regions / 64 + 1;
	uint64_t *seen = calloc(merge->n_rows + 1, n_words * sizeof(*seen));
	for (size_t i = 0; seen && i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		uint32_t region = rs_collection_owner(collection, cell->region);
		for (uint32_t p = 0; rows[region] != RS_NO_ROW && p < cell->n_parents; p++) {
			uint16_t parent = cell->parents[p];
			size_t bit = parent == RS_NO_REGION ? 0 : parent;
			uint64_t *word = &seen[rows[region] * n_words + bit / 64];
			if (parent == region || *word >> bit % 64 & 1)
				continue;
			*word |= UINT64_C(1) << bit % 64;
			builder->summary->merged[rows[region]].n_parents++;
		}
	}
	free(seen);
	return seen;
}

/* The row of each merged region's parent. False: no memory. */
static bool find_parent_rows(struct builder *builder, const struct rs_merge *merge)
{
	struct rs_summary *summary = builder->summary;
	size_t *rows = rs_arena_array(
		builder->arena, builder->collection->n_regions, sizeof(*rows));
	if (!rows)
		return false;
	for (size_t i = 0; i < builder->collection->n_regions; i++)
		rows[i] = RS_NO_ROW;
	for (size_t i = 0; i < merge->n_rows; i++)
		rows[merge->rows[i].region] = i;
	for (size_t i = 0; i < merge->n_rows; i++)
		if (merge->rows[i].parent != RS_NO_REGION)
			summary->merged[i].parent_row = rows[merge->rows[i].parent];
	return count_parents(builder, merge, rows);
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

/* ---- time of threads ---- */

static uint64_t add_off(uint64_t off[RS_OFF_N], const struct rs_ticks *rate, const uint64_t *ticks)
{
	uint64_t sum = 0;
	for (int k = 0; k < RS_OFF_N; k++) {
		uint64_t ns = rs_ticks_to_ns(rate, ticks[k]);
		rs_add_saturating(&off[k], ns);
		rs_add_saturating(&sum, ns);
	}
	return sum;
}

/* Parts of a whole, the first before the others, go no further than it. Returns what is left. */
static uint64_t limit(uint64_t *parts, size_t n, uint64_t whole)
{
	for (size_t i = 0; i < n; i++) {
		parts[i] = parts[i] < whole ? parts[i] : whole;
		whole -= parts[i];
	}
	return whole;
}

/* Time in no region is off the CPU as far as a switch was seen, and where the program has no CPU time
 * left for it: a thread that never came back to a marker was waiting. */
static void split_unmarked(struct rs_summary *summary, uint64_t regions_cpu_ns)
{
	struct rs_summary_whole *whole = &summary->whole;
	uint64_t program_ns = summary->run.user_ns + summary->run.system_ns;
	uint64_t used[2] = {regions_cpu_ns, whole->overhead_ns};
	uint64_t on = limit(whole->unmarked_off_ns, RS_OFF_N, whole->unmarked_ns);
	uint64_t left = limit(used, 2, program_ns);
	if (program_ns > 0 && on > left) {
		whole->unmarked_off_ns[RS_OFF_BLOCKED] += on - left;
		on = left;
	}
	whole->unmarked_cpu_ns = on;
	whole->cpu_ns = regions_cpu_ns + whole->overhead_ns + on;
}

static void make_whole(struct builder *builder)
{
	struct rs_summary *summary = builder->summary;
	struct rs_summary_whole *whole = &summary->whole;
	const struct rs_own_cost *cost = &summary->run.own_cost;
	uint64_t selves = 0, cpu_ns = 0;
	uint64_t lifetimes = 0;
	for (size_t i = 0; builder->collection && i < builder->collection->n_slots; i++) {
		const struct rs_slot_copy *slot = &builder->collection->slots[i];
		rs_add_saturating(&lifetimes, slot->lifetime_ticks);
		whole->n_threads += slot->n_threads;
		add_off(whole->unmarked_off_ns, &builder->rate, slot->unmarked_off_ticks);
	}
	whole->lifetimes_ns = rs_ticks_to_ns(&builder->rate, lifetimes);
	whole->has_cpu = summary->n_merged > 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		if (region->is_apart || region->calls == 0)
			continue;
		whole->has_cpu &= rs_value_has_total(&region->cpu_time);
		rs_add_saturating(&selves, rs_value_self(&region->values[0]));
		rs_add_saturating(&cpu_ns, rs_value_self(&region->cpu_time));
		for (int k = 0; k < RS_OFF_N; k++)
			rs_add_saturating(&whole->off_ns[k], rs_value_self(&region->off[k]));
	}
	if (cost->known && cost->total_ns > (double)summary->run.own_setup_ns)
		whole->overhead_ns = (uint64_t)(cost->total_ns - (double)summary->run.own_setup_ns);
	if (whole->overhead_ns < whole->lifetimes_ns / 100)
		whole->overhead_ns = 0; /* so little has no row, but shares add up */
	limit(&selves, 1, whole->lifetimes_ns);
	limit(&whole->overhead_ns, 1, whole->lifetimes_ns - selves);
	whole->unmarked_ns = whole->lifetimes_ns - selves - whole->overhead_ns;
	split_unmarked(summary, cpu_ns);
	for (int k = 0; k < RS_OFF_N; k++)
		rs_add_saturating(&whole->off_ns[k], whole->unmarked_off_ns[k]);
}

/* What the regions of one place had, and which of them most. */
static void add_regions(struct rs_summary_place *place, const struct rs_summary *summary)
{
	uint64_t most = 0;
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[i];
		const struct rs_value *cpu = &region->cpu_time;
		if (region->process != place->process || region->thread != place->thread)
			continue;
		rs_add_saturating(&place->calls, region->calls);
		if (region->is_apart || region->calls == 0)
			continue;
		place->has_cpu &= rs_value_has_total(cpu);
		for (int k = 0; k < RS_OFF_N; k++)
			rs_add_saturating(&place->off_ns[k], rs_value_self(&region->off[k]));
		uint64_t self = rs_value_has_total(cpu) ? rs_value_self(cpu)
							: rs_value_self(&region->values[0]);
		if (self >= most)
			place->busiest = region->name;
		most = self > most ? self : most;
	}
}

/* Rows of threads or of processes: each of them. False: no memory. */
static bool make_places(struct builder *builder, bool per_thread)
{
	struct rs_summary *summary = builder->summary;
	const struct rs_collection *collection = builder->collection;
	size_t n = per_thread ? summary->n_threads : summary->n_processes;
	summary->places = rs_arena_array(builder->arena, n, sizeof(*summary->places));
	if (!summary->places)
		return false;
	summary->n_places = n;
	for (size_t i = 0; i < n; i++) {
		struct rs_summary_place *place = &summary->places[i];
		uint64_t lifetime = 0;
		place->thread = per_thread ? &summary->threads[i] : NULL;
		place->process = per_thread ? place->thread->process : &summary->processes[i];
		place->has_cpu = true;
		for (size_t s = 0; collection && s < collection->n_slots; s++) {
			const struct rs_slot_copy *slot = &collection->slots[s];
			if (per_thread ? slot->index != place->thread->index
				       : slot->process != place->process->index)
				continue;
			rs_add_saturating(&lifetime, slot->lifetime_ticks);
			add_off(place->off_ns, &builder->rate, slot->unmarked_off_ticks);
		}
		place->lifetime_ns = rs_ticks_to_ns(&builder->rate, lifetime);
		add_regions(place, summary);
		place->cpu_ns = limit(place->off_ns, RS_OFF_N, place->lifetime_ns);
	}
	return true;
}

/* What lets all regions be seen at one glance. */
bool rs_builder_make_glance(struct builder *builder, bool per_process, bool per_thread)
{
	struct rs_summary *summary = builder->summary;
	make_whole(builder);
	summary->cpu_column = rs_glance_cpu_column(summary, builder->plan);
	return rs_glance_make(summary, builder->arena) &&
	       (!(per_process || per_thread) || make_places(builder, per_thread)) &&
	       (!per_thread || rs_spread_make(summary, builder->arena));
}

/* ---- distributions ---- */

bool rs_builder_make_distributions(
	struct builder *builder, const struct rs_summary_options *options)
{
	struct rs_summary *summary = builder->summary;
	summary->distributions = rs_arena_array(
		builder->arena, options->n_distributions, sizeof(*summary->distributions));
	for (size_t i = 0; summary->distributions && i < options->n_distributions; i++) {
		if (!rs_distribution_make(&summary->distributions[i], builder->arena, summary,
			    builder->collection, options->distributions[i]))
			return false;
		summary->n_distributions++;
	}
	return summary->distributions;
}
