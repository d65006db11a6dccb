/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of estimate.c, which estimates the totals of sampled calls, and
 * estimate_bounds.c, which limits them.
 */
#ifndef RS_STATS_ESTIMATE_H
#define RS_STATS_ESTIMATE_H

#include "stats/collector.h"

/* One value of a region on a slot. */
struct rs_estimate_part {
	double raw; /* total before it is estimated */
	double nested; /* raw totals of nested calls, which are in the region's `children` */
	double nested_total; /* the same, each times the factor of its own region */
	double total;
	double self;
	/* subtracted from total and self, since the parent or the thread has no more */
	double taken;
	double given; /* added to self, which was below 0, and taken from nested regions */
};

/* One region on the current slot, with all of its results there. */
struct rs_estimate_node {
	bool is_estimated; /* some calls were not measured */
	bool nests; /* not all calls are asynchronous */
	double calls;
	double weights;
	double factor;
	struct rs_estimate_part *parts; /* one for each value */
};

struct rs_estimator {
	struct rs_collector *collector;
	const struct rs_run *out;
	uint32_t n_values;
	struct rs_estimate_node *nodes; /* one for each region */
	/* for each region: calls on all slots, and the weights of the measured ones */
	double *calls;
	double *weights;
	bool *is_scattered; /* for each region: on some slot no call was measured */
	size_t first; /* results of the slot: first <= index < end */
	size_t end;
	double lifetime_ns; /* sum over the threads of the slot; 0: unknown */
};

static inline uint32_t rs_estimator_owner(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_owner(estimator->out, result->region);
}

/* Return true if a result has the calls of a region that did the same work. */
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

/* Limit the estimates of a slot: threads have at most their lifetime, and nested regions at most
 * the value of their parent. The excess is taken from nested regions, and then from those nested in
 * them, so that self values still add up. */
void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value);

#endif
