/* SPDX-License-Identifier: MIT */
/*
 * What one run has of each region and event, as a flat array. It is made of a summary, here and nowhere
 * else; all that compares runs sees this array alone.
 */
#ifndef RS_COMPARE_SAMPLES_H
#define RS_COMPARE_SAMPLES_H

#include "compare/compare.h"
#include "stats/summary.h"

struct rs_sample {
	const char *region; /* NULL: the whole run */
	const char *parent; /* the region under which it stands; NULL: none */
	struct rs_compared_event event;
	struct rs_point point;
};

struct rs_samples {
	struct rs_sample *items; /* all events of a region stand together */
	size_t n;
};

/* Make them. Strings are copied; all lies in arena. False: no memory. */
bool rs_samples_make(
	struct rs_samples *samples, const struct rs_summary *summary, struct rs_arena *arena);

#endif
