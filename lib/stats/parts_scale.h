/* SPDX-License-Identifier: MIT */
/*
 * Adding up the parts of an event: what each type of core counted while a thread was on it.
 *
 * Where the parts' groups were never off their PMUs while the thread was on cores of their type,
 * the sum is exact. A part that shared its PMU stands for the time that it was wanted and not
 * there, too: that is what is left of the whole time when what the other parts ran is taken off.
 */
#ifndef RS_STATS_PARTS_SCALE_H
#define RS_STATS_PARTS_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/wide.h"

/* What one part counted, unscaled, and for how long. */
struct rs_part {
	rs_u128 total;
	rs_i128 self;
	rs_u128 enabled_ns; /* of a part that is wanted on its own cores alone: that it ran */
	rs_u128 running_ns;
};

/* How parts are to be scaled. */
struct rs_parts_scale {
	rs_u128 enabled_ns; /* that the event was wanted in all */
	rs_u128 running_ns; /* and that any part of it was on its PMU */
	rs_u128 shared_enabled_ns; /* of that the parts that shared their PMU: scale by */
	rs_u128 shared_running_ns; /* this over that */
	bool scales_all; /* parts that ran throughout, too */
	bool is_exact; /* nothing is to be scaled */
};

/* Find the scale of n parts; one event alone is one part. running_ns 0: nothing was counted. */
struct rs_parts_scale rs_parts_scale(const struct rs_part *parts, size_t n);

/* One part's total and self by that scale; the sum of all of them is the event's. */
rs_u128 rs_parts_total(const struct rs_part *part, const struct rs_parts_scale *scale);
rs_i128 rs_parts_self(const struct rs_part *part, const struct rs_parts_scale *scale);

/* Whether a part needs no scaling. */
bool rs_parts_is_exact(const struct rs_part *part, const struct rs_parts_scale *scale);

/* The share of the time enabled that a time is, 0 to 1. */
double rs_parts_share(rs_u128 running_ns, const struct rs_parts_scale *scale);

#endif
