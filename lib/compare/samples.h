/* SPDX-License-Identifier: MIT */
/*
 * Converts a summary to an array of samples: the values of each region and event in one run. All
 * code that compares runs uses only this array.
 */
#ifndef RS_COMPARE_SAMPLES_H
#define RS_COMPARE_SAMPLES_H

#include "compare/compare.h"
#include "stats/density.h"
#include "stats/summary.h"

struct rs_sample {
	const char *region; /* NULL for the whole run */
	const char *parent; /* the parent region, or NULL */
	struct rs_compared_event event;
	struct rs_point point;
	/* distribution of a region's time; NULL for other events */
	const struct rs_density *density;
};

struct rs_samples {
	struct rs_sample *items; /* all events of one region are adjacent */
	size_t n;
};

/* Make the samples of a summary. Arrays and copies of all strings are in arena. */
void rs_samples_make(
	struct rs_samples *samples, const struct rs_summary *summary, struct rs_arena *arena);

#endif
