/* SPDX-License-Identifier: MIT */
/*
 * This file limits the estimates of sampled calls. By chance, the estimated times of all regions
 * can exceed the lifetime of their thread, and nested regions can exceed their parent. This file
 * then reduces totals and self values of the thread slot.
 */
#include <math.h>

#include "stats/collector.h"

/* Largest share of the nested regions' values that is subtracted. If the rest still exceeds the
 * parent, it is kept, because then the parent's value must be wrong. For example, a context switch
 * was counted twice. */
#define MOST_TAKEN 0.5

/* Limit of steps for each result. In a damaged segment, regions can be nested in each other, and
 * the search would not end. */
#define MOST_LOOKS 4

/* These two functions return the total and the self value of a region after the subtractions so
 * far. */
static double rest_of(const struct rs_estimate_part *part)
{
	return fmax(part->total - part->taken, 0);
}
static double self_of(const struct rs_estimate_part *part)
{
	return part->self - part->taken + part->given;
}

/* Return true if calls of a result began in the region `parent`. Return false for the result of one
 * kind of work, since the region's own result has the same parents. */
static bool has_parent(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t parent)
{
	if (rs_estimator_is_of_work(estimator, result))
		return false;
	for (uint32_t p = 0; p < result->n_parents; p++)
		if (result->parents[p] == parent)
			return true;
	return false;
}

/* Subtract an excess from the estimated regions nested in `parent`, in proportion to their values.
 * If parent is RS_NO_REGION, subtract it from the outermost regions. Return how much was
 * subtracted. */
static double take_from_children(
	struct rs_estimator *estimator, uint32_t parent, uint32_t value, double excess)
{
	double sum = 0;
	for (int takes = 0; takes < 2; takes++) {
		for (size_t i = estimator->first; i < estimator->end; i++) {
			const struct rs_result *result = &estimator->out->results[i];
			struct rs_estimate_node *node = rs_estimator_node(estimator, result);
			struct rs_estimate_part *part = &node->parts[value];
			if (!node->is_estimated || !has_parent(estimator, result, parent))
				continue;
			if (takes) {
				double part_of = rest_of(part) / sum *
						 fmin(excess, sum * MOST_TAKEN);
				part->taken += part_of;
			} else {
				sum += rest_of(part);
			}
		}
		if (sum <= 0)
			return 0;
	}
	return fmin(excess, sum * MOST_TAKEN);
}

/* Return by how much the sum of self times of all regions exceeds the lifetime of the slot's
 * threads. */
static double excess_of_slot(const struct rs_estimator *estimator, uint32_t value)
{
	const struct rs_run *out = estimator->out;
	double sum = 0;
	if (value >= RS_EVENT_FIRST)
		return 0;
	for (size_t i = estimator->first; i < estimator->end; i++) {
		const struct rs_result *result = &out->results[i];
		struct rs_estimate_node *node = rs_estimator_node(estimator, result);
		if (!node->nests)
			continue;
		if (value == RS_EVENT_CPU_TIME)
			sum += (double)result->values[RS_EVENT_BLOCKED].self +
			       (double)result->values[RS_EVENT_PREEMPTED].self;
		if (!rs_estimator_is_of_work(estimator, result))
			sum += self_of(&node->parts[value]);
	}
	return estimator->lifetime_ns > 0 ? sum - estimator->lifetime_ns : 0;
}

void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value)
{
	double excess = excess_of_slot(estimator, value);
	size_t n_results = estimator->end - estimator->first, n_left = MOST_LOOKS * n_results;
	bool changes = true;
	if (excess > 0)
		take_from_children(estimator, RS_NO_REGION, value, excess);
	while (changes && n_left > 0) {
		changes = false;
		for (size_t i = estimator->first; i < estimator->end; i++) {
			uint32_t region = rs_estimator_owner(
				estimator, &estimator->out->results[i]);
			struct rs_estimate_part *part = &estimator->nodes[region].parts[value];
			if (self_of(part) >= 0 || n_left == 0)
				continue;
			n_left--;
			double taken = take_from_children(estimator, region, value, -self_of(part));
			part->given += taken;
			changes |= taken > 0;
		}
	}
}
