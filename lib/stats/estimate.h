/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of estimate.c, which estimates the totals of sampled calls, and
 * estimate_bounds.c, which limits them.
 */
#ifndef RS_STATS_ESTIMATE_H
#define RS_STATS_ESTIMATE_H

#include "stats/collector.h"

/* One value of a region on one thread slot, while it is estimated. */
struct rs_estimate_part {
	double raw; /* sum over measured calls, before it is scaled to all calls */
	/* sum of the raw totals of nested calls, which the region's `children` contains */
	double nested;
	/* the same sum, with each raw total multiplied by the factor of its own region */
	double nested_total;
	double total;
	double self;
	/* amount to subtract from total and self, since the parent's value or the thread's lifetime
	 * is smaller than the estimates */
	double taken;
	/* amount to add to self, which was below 0; nested regions lose the same amount */
	double given;
};

/* One region on the current thread slot. It includes the results of its kinds of work
 * (--by-work). */
struct rs_estimate_node {
	bool is_estimated; /* some calls were not measured */
	bool nests; /* some calls are not asynchronous, so the region can be in others */
	double calls;
	double weights;
	double factor; /* calls / weights: multiplying raw sums by it scales them to all calls */
	struct rs_estimate_part *parts; /* one for each value */
};

struct rs_estimator {
	struct rs_collector *collector;
	const struct rs_run *out;
	uint32_t n_values;
	struct rs_estimate_node *nodes; /* one for each region */
	/* for each region, over all slots: the number of calls, and the sum of the weights of
	 * measured calls */
	double *calls;
	double *weights;
	/* for each region: there is a slot on which none of its calls was measured */
	bool *is_scattered;
	size_t first; /* the slot has the results with first <= index < end in out->results */
	size_t end;
	double lifetime_ns; /* sum of the lifetimes of the threads of the slot; 0: unknown */
};

static inline uint32_t rs_estimator_owner(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_owner(estimator->out, result->region);
}

/* Return true if a result contains only the calls of its region that did the same work
 * (--by-work). */
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

/* Limit the estimates of one value on a slot. The sum of all regions' times must not exceed the
 * lifetime of the slot's threads, and nested regions must not exceed their parent. Subtract the
 * excess from nested regions, and then from the regions nested in them, so that self values still
 * add up. */
void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value);

#endif
