/* SPDX-License-Identifier: MIT */
/*
 * Shared by estimate.c (the totals of sampled calls) and estimate_bounds.c (which of them go too
 * far).
 */
#ifndef RS_STATS_ESTIMATE_H
#define RS_STATS_ESTIMATE_H

#include "stats/collector.h"

/* One event of a region on a slot. */
struct rs_estimate_part {
	double raw; /* total, before it is estimated */
	double nested; /* what calls had within those of the region: they are its `children` ... */
	double nested_total; /* ... and by the factors of their own regions */
	double total;
	double self;
	double taken; /* from both, since a region around it or the thread has no more */
	double given; /* to self, which was below 0: taken from those within */
};

/* A region of the program on the current slot, all of its cells together. */
struct rs_estimate_node {
	bool is_estimated; /* not every call was measured */
	bool nests; /* some calls are not asynchronous */
	double calls;
	double weights;
	double factor;
	struct rs_estimate_part *parts; /* one a value */
};

struct rs_estimator {
	struct rs_collector *collector;
	const struct rs_collection *out;
	uint32_t n_values;
	struct rs_estimate_node *nodes; /* one a region */
	double *calls; /* of each region, on all slots, and what measured ones represent */
	double *weights;
	bool *is_scattered; /* of some slot no call was measured */
	size_t first; /* the slot's cells: first <= index < end */
	size_t end;
	double lifetime_ns; /* of the slot's threads; 0: unknown */
};

static inline uint32_t rs_estimator_owner(
	const struct rs_estimator *estimator, const struct rs_cell_copy *cell)
{
	return rs_collection_owner(estimator->out, cell->region);
}

static inline struct rs_estimate_node *rs_estimator_node(
	const struct rs_estimator *estimator, const struct rs_cell_copy *cell)
{
	return &estimator->nodes[rs_estimator_owner(estimator, cell)];
}

/* No thread has more than its lifetime, and no region less than those within it. The excess of a
 * value is taken from the regions within, and from those within these, so that self values still
 * add up. */
void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value);

#endif
