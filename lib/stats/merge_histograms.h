/* SPDX-License-Identifier: MIT */
/*
 * The distributions of a row: histograms of its cells come in, the quantiles of their sum go out; and
 * what each octave of time had of the events, added up.
 */
#ifndef RS_STATS_MERGE_HISTOGRAMS_H
#define RS_STATS_MERGE_HISTOGRAMS_H

#include "stats/arena.h"
#include "stats/histogram.h"
#include "stats/merge.h"

/* What quantiles are found with, one quantity after the other. */
struct rs_merge_histograms {
	struct rs_arena *arena;
	const struct rs_percentiles *wanted; /* NULL: none beside those that there always are */
	struct rs_histogram_sum *sum; /* of the quantity that is at hand */
};

/* arena, wanted: borrowed. histograms: filled; release with rs_merge_histograms_finish(). False: no
 * memory. */
bool rs_merge_histograms_init(struct rs_merge_histograms *histograms, struct rs_arena *arena,
	const struct rs_percentiles *wanted);
void rs_merge_histograms_finish(struct rs_merge_histograms *histograms);

/* Add the histogram of a quantity of one cell. */
void rs_merge_histograms_add(
	struct rs_merge_histograms *histograms, const struct rs_histogram *histogram);

/* The quantiles of what was added since the last time, between the extremes that quantity has by now.
 * False: no memory. */
bool rs_merge_histograms_find(
	struct rs_merge_histograms *histograms, struct rs_merged_quantity *quantity);

/* Room in arena for a row's octaves, where there are events; and those of one cell added. False: no
 * memory. */
bool rs_merge_octaves_make(struct rs_merged_row *row, struct rs_arena *arena, uint32_t n_events);
void rs_merge_octaves_add(
	struct rs_merged_row *row, const struct rs_cell_copy *cell, uint32_t n_events);

#endif
