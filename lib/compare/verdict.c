/* SPDX-License-Identifier: MIT */
/*
 * This file finds the causes of the differences that are shown, and each region's effect and
 * self total as shares of the whole run.
 */
#include <math.h>

#include "compare/judge.h"

/* Work moved between a region and its parent if their changes cancel out, except for at most this
 * share of the parent's change. */
#define MOST_LOST 0.25

const struct rs_verdict_name rs_verdict_names[RS_VERDICT_N] = {
	[RS_VERDICT_UNKNOWN] = {"too few runs", "unknown"},
	[RS_VERDICT_NONE] = {"no difference", "same"},
	[RS_VERDICT_WORK] = {"work changed", "work"},
	[RS_VERDICT_SPEED] = {"only speed changed", "speed"},
	[RS_VERDICT_CALLS] = {"calls changed", "calls"},
	[RS_VERDICT_MOVED] = {"cost moved", "moved"},
	[RS_VERDICT_COUNT] = {"events changed", "events"},
	[RS_VERDICT_OLD] = {"only in the old runs", "old-only"},
	[RS_VERDICT_NEW] = {"only in the new runs", "new-only"},
};

static double change_of(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure)
{
	return rs_judge_median(comparison, event, region, 1, measure) -
	       rs_judge_median(comparison, event, region, 0, measure);
}

/* Return the total of the old side: the total of the whole run, or the sum of all regions if that
 * is larger. */
static double whole_of(const struct rs_comparison *comparison, size_t event)
{
	double sum = 0;
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run)
			sum += rs_judge_median(comparison, event, r, 0, RS_MEASURE_SELF_TOTAL);
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (comparison->regions[r].is_run)
			sum = fmax(sum, rs_judge_median(comparison, event, r, 0, RS_MEASURE_TOTAL));
	return sum;
}

/* Return the event of this kind with the largest relative difference that is shown, or RS_NONE. */
static size_t find_shown(
	const struct rs_comparison *comparison, size_t region, enum rs_compared_kind kind)
{
	size_t found = RS_NONE;
	double most = 0;
	for (size_t e = 0; e < comparison->n_events; e++) {
		const struct rs_difference *difference = rs_comparison_difference(
			comparison, e, region);
		double effect = fabs(difference->estimate.log_ratio);
		if (comparison->events[e].kind == kind && difference->is_shown && effect > most) {
			found = e;
			most = effect;
		}
	}
	return found;
}

static bool is_anything_known(const struct rs_comparison *comparison, size_t region)
{
	for (size_t e = 0; e < comparison->n_events; e++)
		if (rs_is_judged(comparison->events[e].kind) &&
			comparison->events[e].kind != RS_KIND_CALLS &&
			rs_comparison_difference(comparison, e, region)->estimate.is_known)
			return true;
	return false;
}

static void give_verdict(const struct rs_comparison *comparison, size_t r)
{
	struct rs_compared_region *region = &comparison->regions[r];
	region->event = region->partner = RS_NONE;
	region->verdict = RS_VERDICT_UNKNOWN;
	if (!region->is_in[0] || !region->is_in[1]) {
		region->verdict = region->is_in[0] ? RS_VERDICT_OLD : RS_VERDICT_NEW;
		return;
	}
	if (!is_anything_known(comparison, r))
		return;
	static const struct {
		enum rs_compared_kind kind;
		enum rs_verdict verdict;
	} order[] = {{RS_KIND_WORK, RS_VERDICT_WORK}, {RS_KIND_CALLS, RS_VERDICT_CALLS},
		{RS_KIND_SPEED, RS_VERDICT_SPEED}, {RS_KIND_COUNT, RS_VERDICT_COUNT}};
	region->verdict = RS_VERDICT_NONE;
	if (rs_judge_has_shown(comparison, comparison->work, r)) {
		region->verdict = RS_VERDICT_WORK;
		region->event = comparison->work;
	}
	for (size_t i = 0; region->verdict == RS_VERDICT_NONE && i < sizeof(order) / sizeof(*order);
		i++) {
		size_t event = find_shown(comparison, r, order[i].kind);
		if (event == RS_NONE)
			continue;
		region->verdict = order[i].verdict;
		region->event = event;
	}
	/* Instructions show that the work is the same, so the difference of on-CPU time is a
	 * difference in speed. */
	if (region->verdict == RS_VERDICT_SPEED &&
		rs_judge_has_shown(comparison, comparison->speed, r))
		region->event = comparison->speed;
}

static bool is_changed(const struct rs_compared_region *region)
{
	return region->verdict == RS_VERDICT_WORK || region->verdict == RS_VERDICT_OLD ||
	       region->verdict == RS_VERDICT_NEW || region->verdict == RS_VERDICT_CALLS ||
	       region->verdict == RS_VERDICT_SPEED;
}

/* Set the verdict of region r and its parent to RS_VERDICT_MOVED if work moved between them. The
 * self work of the parent then changed by about as much in the other direction. */
static void find_move(const struct rs_comparison *comparison, size_t r)
{
	struct rs_compared_region *child = &comparison->regions[r];
	if (child->is_run || child->parent == RS_NONE)
		return;
	struct rs_compared_region *parent = &comparison->regions[child->parent];
	size_t event = comparison->work;
	if (event == RS_NONE || !is_changed(child) || parent->verdict != RS_VERDICT_WORK)
		return;
	double own = change_of(comparison, event, child->parent, RS_MEASURE_SELF_TOTAL);
	double childs = change_of(comparison, event, r, RS_MEASURE_TOTAL);
	if (own * childs >= 0 || fabs(own + childs) > MOST_LOST * fabs(own))
		return;
	child->verdict = parent->verdict = RS_VERDICT_MOVED;
	child->partner = child->parent;
	parent->partner = r;
	child->event = parent->event = event;
}

void rs_judge_give_verdicts(struct rs_comparison *comparison)
{
	size_t speed = comparison->speed;
	for (size_t r = 0; r < comparison->n_regions; r++)
		give_verdict(comparison, r);
	for (size_t r = 0; r < comparison->n_regions; r++)
		find_move(comparison, r);
	double whole = speed == RS_NONE ? NAN : whole_of(comparison, speed);
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		region->effect = region->share = NAN;
		if (!(whole > 0))
			continue;
		region->effect = change_of(comparison, speed, r, RS_MEASURE_SELF_TOTAL) / whole;
		region->share = rs_judge_median(comparison, speed, r, 0, RS_MEASURE_SELF_TOTAL) /
				whole;
	}
}
