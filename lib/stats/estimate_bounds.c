/* SPDX-License-Identifier: MIT */
/*
 * This file limits the estimates of sampled calls. By chance, nested regions can exceed their
 * parent, and all regions can exceed the lifetime of their thread. The excess is divided between
 * the estimates in proportion to their variances, as least squares do, so an exact value never
 * changes. A first pass, from inner to outer regions, raises parents. A second pass, from outer to
 * inner regions, reduces nested regions until they do not exceed their parent.
 *
 * Limits reduce the estimates that are too high by chance, but do not raise those that are too low.
 * So the sum over all slots would be too low. Therefore the amounts that limits have subtracted on
 * earlier slots are added again on later slots, as far as the limits of the later slots allow.
 */
#include <math.h>

#include "stats/collector.h"

/* Highest number of levels. Two regions can be nested in each other, and without this limit their
 * levels would grow forever. */
#define MOST_LEVELS 64u

/* Return the largest amount that can still be subtracted from the total. */
static double rest_of(const struct rs_estimate_part *part)
{
	return part->variance > 0 ? fmax(part->total - part->taken - part->least, 0) : 0;
}
static double self_of(const struct rs_estimate_part *part)
{
	return part->self - part->taken + part->given;
}

/* Return a pointer to the amount that limits have subtracted from a region's estimates on earlier
 * slots. */
static double *owed_of(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t value)
{
	size_t region = rs_estimator_owner(estimator, result);
	return &estimator->owed[region * estimator->n_values + value];
}

/* Return true if calls of a result began in the region `parent`. Return false for the result of one
 * kind of work (--by-work), since the region's own result has the same parents. */
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

/* Sums over the regions nested in a parent. If the parent is RS_NO_REGION, these are the outermost
 * regions. */
struct children {
	double rest; /* largest amount that can still be subtracted from them */
	double variance; /* sum of the variances of those that can be reduced */
};

/* From each region nested in `parent`, subtract the region's part of `excess`, which may be 0.
 * Return the sums over these regions. variance: the sum of their variances before the call. */
static struct children visit_children(const struct rs_estimator *estimator, uint32_t parent,
	uint32_t value, double excess, double variance)
{
	struct children children = {0};
	for (size_t i = estimator->first; i < estimator->end; i++) {
		const struct rs_result *result = &estimator->out->results[i];
		struct rs_estimate_part *part = &rs_estimator_node(estimator, result)->parts[value];
		if (!has_parent(estimator, result, parent) || rest_of(part) <= 0)
			continue;
		if (excess > 0)
			part->taken += fmin(excess * part->variance / variance, rest_of(part));
		children.rest += rest_of(part);
		children.variance += rest_of(part) > 0 ? part->variance : 0;
	}
	return children;
}

/* Subtract an excess from the regions nested in `parent`. Return how much was subtracted. */
static double take_from_children(
	const struct rs_estimator *estimator, uint32_t parent, uint32_t value, double excess)
{
	struct children children = visit_children(estimator, parent, value, 0, 0);
	double left = fmin(excess, children.rest), taken = left;
	/* each round subtracts all that is left, or reduces at least one region to its smallest
	 * total */
	for (size_t n = estimator->first; n < estimator->end && children.rest > 0 && left > 0;
		n++) {
		double before = children.rest;
		children = visit_children(estimator, parent, value, left, children.variance);
		left -= before - children.rest;
	}
	return taken;
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

/* Add `raised` to a region's total and self value. This amount is then no longer part of the self
 * values of the region's parents. It is not known which parent contains which part of it, so divide
 * it in proportion to the parents' totals. */
static void raise_total(const struct rs_estimator *estimator, const struct rs_result *result,
	uint32_t value, double raised)
{
	double sum = 0;
	rs_estimator_node(estimator, result)->parts[value].taken -= raised;
	for (int gives = 0; gives < 2; gives++)
		for (uint32_t p = 0; p < result->n_parents; p++) {
			if (result->parents[p] == RS_NO_REGION)
				continue;
			struct rs_estimate_part *part =
				&estimator->nodes[result->parents[p]].parts[value];
			if (!gives)
				sum += part->total;
			else if (sum > 0)
				part->given -= raised * part->total / sum;
		}
}

/* Raise the total of a region if the regions nested in it exceed it. */
static void raise_parent(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t value)
{
	struct rs_estimate_part *part = &rs_estimator_node(estimator, result)->parts[value];
	double excess = -self_of(part);
	if (excess > 0 && part->variance > 0) {
		struct children children = visit_children(estimator, result->region, value, 0, 0);
		double sum = part->variance + children.variance;
		/* nested regions can be reduced by at most their rest */
		raise_total(estimator, result, value,
			fmax(excess * part->variance / sum, excess - children.rest));
		part->variance *= children.variance / sum;
	}
	part->least = fmax(part->least, part->nested_least);
	if (result->n_parents == 1 && result->parents[0] != RS_NO_REGION)
		estimator->nodes[result->parents[0]].parts[value].nested_least +=
			part->total - part->taken - rest_of(part);
}

static void reduce_children(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t value)
{
	struct rs_estimate_part *part = &rs_estimator_node(estimator, result)->parts[value];
	if (self_of(part) < 0)
		part->given += take_from_children(estimator, result->region, value, -self_of(part));
}

/* Call `change` for each region of a level, or of all levels if level is ANY_LEVEL. Do not call it
 * for kinds of work (--by-work). */
#define ANY_LEVEL UINT32_MAX
static void visit(const struct rs_estimator *estimator, uint32_t value, uint32_t level,
	void (*change)(const struct rs_estimator *, const struct rs_result *, uint32_t))
{
	for (size_t i = estimator->first; i < estimator->end; i++) {
		const struct rs_result *result = &estimator->out->results[i];
		bool is_there = level == ANY_LEVEL ||
				rs_estimator_node(estimator, result)->level == level;
		if (is_there && !rs_estimator_is_of_work(estimator, result))
			change(estimator, result, value);
	}
}

void rs_estimate_find_levels(struct rs_estimator *estimator)
{
	bool changes = true;
	while (changes) {
		changes = false;
		for (size_t i = estimator->end; i-- > estimator->first;) {
			const struct rs_result *result = &estimator->out->results[i];
			uint32_t least = rs_estimator_node(estimator, result)->level + 1;
			for (uint32_t p = 0; p < result->n_parents && least < MOST_LEVELS; p++) {
				if (result->parents[p] == RS_NO_REGION)
					continue;
				uint32_t *level = &estimator->nodes[result->parents[p]].level;
				changes |= *level < least;
				*level = *level < least ? least : *level;
			}
		}
	}
}

/* Add to a region the amount that limits have subtracted from it on earlier slots, but at most one
 * standard error of its total on this slot. The amount is below 0 if limits have raised the
 * region's estimates. */
static void give_back(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t value)
{
	struct rs_estimate_part *part = &rs_estimator_node(estimator, result)->parts[value];
	double most = sqrt(part->variance), owed = *owed_of(estimator, result, value);
	if (part->variance > 0)
		raise_total(estimator, result, value,
			fmax(fmin(owed, most), -fmin(most, rest_of(part))));
}

static void note_owed(
	const struct rs_estimator *estimator, const struct rs_result *result, uint32_t value)
{
	const struct rs_estimate_part *part = &rs_estimator_node(estimator, result)->parts[value];
	*owed_of(estimator, result, value) += part->taken;
}

void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value)
{
	visit(estimator, value, ANY_LEVEL, give_back);
	for (uint32_t level = 0; level < MOST_LEVELS; level++)
		visit(estimator, value, level, raise_parent);
	double excess = excess_of_slot(estimator, value);
	if (excess > 0)
		take_from_children(estimator, RS_NO_REGION, value, excess);
	for (uint32_t level = MOST_LEVELS; level-- > 0;)
		visit(estimator, value, level, reduce_children);
	visit(estimator, value, ANY_LEVEL, note_owed);
}
