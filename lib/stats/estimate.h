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

/* A region of the program on the current slot, all of its results together. */
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
	const struct rs_run *out;
	uint32_t n_values;
	struct rs_estimate_node *nodes; /* one a region */
	double *calls; /* of each region, on all slots, and what measured ones represent */
	double *weights;
	bool *is_scattered; /* of some slot no call was measured */
	size_t first; /* the slot's results: first <= index < end */
	size_t end;
	double lifetime_ns; /* of the slot's threads; 0: unknown */
};

static inline uint32_t rs_estimator_owner(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_owner(estimator->out, result->region);
}

/* Whether its calls are those of a region that did the same work. */
static inline bool rs_estimator_is_of_work(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_work_of(estimator->out, result->region) != RS_NO_REGION;
}

static inline struct rs_estimate_node *rs_estimator_node(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return &estimator->nodes[rs_estimator_owner(estimator, result)];
}

/* No thread has more than its lifetime, and no region less than those within it. The excess of a
 * value is taken from the regions within, and from those within these, so that self values still
 * add up. */
void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value);

#endif
