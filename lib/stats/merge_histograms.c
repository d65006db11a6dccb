/* SPDX-License-Identifier: MIT */
/*
 * The distributions of a row, where adding up numbers is not enough: the histograms of a quantity are
 * added up bucket by bucket in one place, which is emptied once its quantiles are known.
 */
#include "stats/merge_histograms.h"

#include <stdlib.h>

bool rs_merge_histograms_init(struct rs_merge_histograms *histograms, struct rs_arena *arena,
	const struct rs_percentiles *wanted)
{
	*histograms = (struct rs_merge_histograms){.arena = arena, .wanted = wanted};
	histograms->sum = calloc(1, sizeof(*histograms->sum));
	return histograms->sum;
}

void rs_merge_histograms_finish(struct rs_merge_histograms *histograms)
{
	if (histograms)
		free(histograms->sum);
}

void rs_merge_histograms_add(
	struct rs_merge_histograms *histograms, const struct rs_histogram *histogram)
{
	rs_histogram_sum_merge(histograms->sum, histogram);
}

bool rs_merge_histograms_find(
	struct rs_merge_histograms *histograms, struct rs_merged_quantity *quantity)
{
	const struct rs_percentiles *wanted = histograms->wanted;
	struct rs_histogram_sum *sum = histograms->sum;
	uint64_t min = quantity->moments.min, max = quantity->moments.max;
	size_t n_wanted = wanted ? wanted->n : 0;
	quantity->n_histogram = sum->n;
	if (n_wanted > 0)
		quantity->percentiles = rs_arena_array(
			histograms->arena, n_wanted, sizeof(*quantity->percentiles));
	if (n_wanted > 0 && !quantity->percentiles)
		return false;
	if (sum->n > 0) {
		quantity->p50 = rs_histogram_sum_quantile(sum, 50, min, max);
		quantity->p90 = rs_histogram_sum_quantile(sum, 90, min, max);
		quantity->p99 = rs_histogram_sum_quantile(sum, 99, min, max);
	}
	if (sum->n > 1)
		quantity->second = rs_histogram_sum_second(sum);
	for (size_t i = 0; i < n_wanted && sum->n > 0; i++)
		quantity->percentiles[i] = rs_histogram_sum_millionths(
			sum, wanted->items[i].millionths, min, max);
	rs_histogram_sum_clear(sum);
	return true;
}

bool rs_merge_octaves_make(struct rs_merged_row *row, struct rs_arena *arena, uint32_t n_events)
{
	if (n_events == 0)
		return true;
	row->octaves = rs_arena_array(arena, RS_BLOCKS, sizeof(*row->octaves));
	rs_u128 *sums = rs_arena_array(arena, RS_BLOCKS * n_events, sizeof(*sums));
	for (uint32_t block = 0; row->octaves && sums && block < RS_BLOCKS; block++)
		row->octaves[block].sums = sums + block * n_events;
	return row->octaves && sums;
}

void rs_merge_octaves_add(
	struct rs_merged_row *row, const struct rs_cell_copy *cell, uint32_t n_events)
{
	for (uint32_t i = 0; row->octaves && i < cell->n_octaves; i++) {
		const struct rs_octave *from = &cell->octaves[i];
		struct rs_merged_octave *into = &row->octaves[from->block];
		into->weights += from->weights;
		for (uint32_t e = 0; e < n_events; e++)
			into->sums[e] += from->sums[e];
	}
}
