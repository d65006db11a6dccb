/* SPDX-License-Identifier: MIT */
/*
 * From the numbers of all runs to differences and verdicts. Regions whose work is the same are the
 * control group: what they have in common in a run is the machine's, and is taken out of that run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

#define LEAST_CONTROL 5u /* regions */
#define LEAST_EXACT 3u /* runs a side that are equal before that is believed */
#define LARGE_COUNT 1000.0
#define EXACT_FALSE_ALARMS 1e-3
/* A part of the moved cost that may be lost on the way. */
#define MOST_LOST 0.25

/* How much is a difference, and how many of those shown may be none. Differences below `least` matter
 * to nobody: instructions differ by as much with the length of a path. */
static const struct rule {
	double least, q;
} rules[] = {
	[RS_KIND_WORK] = {0.001, 0.001},
	[RS_KIND_SPEED] = {0.01, 0.01},
	[RS_KIND_WALL] = {0.01, 0}, /* none is shown */
	[RS_KIND_COUNT] = {0.01, 0.001},
	[RS_KIND_CALLS] = {0.001, 0.001},
};
#define MACHINE_P 0.001
#define MACHINE_LEAST 0.01

const char *const rs_verdict_texts[RS_VERDICT_N] = {
	[RS_VERDICT_UNKNOWN] = "too few runs",
	[RS_VERDICT_NONE] = "no difference",
	[RS_VERDICT_WORK] = "work changed",
	[RS_VERDICT_SPEED] = "only speed changed",
	[RS_VERDICT_CALLS] = "calls changed",
	[RS_VERDICT_MOVED] = "cost moved",
	[RS_VERDICT_COUNT] = "events changed",
	[RS_VERDICT_OLD] = "only in the old runs",
	[RS_VERDICT_NEW] = "only in the new runs",
};
const char *const rs_verdict_words[RS_VERDICT_N] = {
	[RS_VERDICT_UNKNOWN] = "unknown",
	[RS_VERDICT_NONE] = "same",
	[RS_VERDICT_WORK] = "work",
	[RS_VERDICT_SPEED] = "speed",
	[RS_VERDICT_CALLS] = "calls",
	[RS_VERDICT_MOVED] = "moved",
	[RS_VERDICT_COUNT] = "events",
	[RS_VERDICT_OLD] = "old-only",
	[RS_VERDICT_NEW] = "new-only",
};

/* Where judging stands. */
struct judge {
	struct rs_comparison *comparison;
	double *logs; /* one a run */
	double *factors; /* one a run: the logarithm of the machine's part */
	double *centers; /* one a region: the logarithm of its median over all runs */
	double *weights; /* one a region */
	double *values, *value_weights; /* room for a region each */
	double *p, *sorted; /* one a region */
	bool *is_control; /* one a region */
	struct rs_sums *sums; /* one a region */
};

static bool is_judged(enum rs_compared_kind kind)
{
	return kind != RS_KIND_OFF && kind != RS_KIND_METRIC;
}

static bool needs_control(enum rs_compared_kind kind)
{
	return kind == RS_KIND_SPEED || kind == RS_KIND_WALL;
}

/* The logarithms of a number. Where it is 0 in any run, half an event more in each, so that all have one.
 * factors: to be taken out; NULL for none. */
static void take_logs(double *logs, const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure, const double *factors)
{
	bool is_a_call = measure == RS_MEASURE_SELF || measure == RS_MEASURE_AVG;
	bool is_count = comparison->events[event].kind != RS_KIND_METRIC;
	bool has_zero = false;
	for (size_t k = 0; k < comparison->design.n_runs; k++)
		has_zero |= rs_point_get(rs_comparison_point(comparison, event, region, k),
				    measure) == 0;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		const struct rs_point *point = rs_comparison_point(comparison, event, region, k);
		double value = rs_point_get(point, measure);
		if (has_zero && is_count)
			value += is_a_call ? 0.5 / point->calls : 0.5;
		logs[k] = value > 0 ? log(value) - (factors ? factors[k] : 0) : NAN;
	}
}

/* ---- the control group ---- */

/* A region's level over all runs, and a weight by how far its runs are from it. */
static bool find_level(struct judge *judge, size_t event, size_t region)
{
	const struct rs_comparison *comparison = judge->comparison;
	size_t n_runs = comparison->design.n_runs;
	double *sides = judge->logs + n_runs; /* room */
	double center[2], spread = 0;
	take_logs(judge->logs, comparison, event, region, RS_MEASURE_SELF, NULL);
	for (unsigned side = 0; side < 2; side++) {
		size_t n = 0;
		for (size_t k = 0; k < n_runs; k++)
			if (comparison->runs[k].side == side && !isnan(judge->logs[k]))
				sides[n++] = judge->logs[k];
		center[side] = rs_median(sides, n);
		for (size_t i = 0; i < n; i++)
			sides[i] = fabs(sides[i] - center[side]);
		spread += rs_median(sides, n) / 2;
	}
	judge->centers[region] = (center[0] + center[1]) / 2;
	judge->weights[region] = spread;
	return !isnan(judge->centers[region]);
}

/* What the control group has in common in each run. False: the group is too small. */
static bool find_factors(struct judge *judge, size_t event)
{
	struct rs_comparison *comparison = judge->comparison;
	size_t n_control = 0;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		judge->centers[r] = NAN;
		if (!region->is_control || !find_level(judge, event, r))
			continue;
		judge->values[n_control++] = judge->weights[r];
	}
	double usual = rs_median(judge->values, n_control);
	if (n_control < LEAST_CONTROL)
		return false;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		size_t n = 0;
		for (size_t r = 0; r < comparison->n_regions; r++) {
			const struct rs_point *point = rs_comparison_point(comparison, event, r, k);
			double value = rs_point_get(point, RS_MEASURE_SELF);
			if (isnan(judge->centers[r]) || isnan(value) || value <= 0)
				continue;
			judge->values[n] = log(value) - judge->centers[r];
			judge->value_weights[n++] =
				1 / (judge->weights[r] * judge->weights[r] + usual * usual + 1e-12);
		}
		judge->factors[k] = rs_weighted_median(judge->values, judge->value_weights, n);
	}
	if (event == comparison->speed)
		comparison->n_control = n_control;
	return true;
}

/* A common part of the runs that differs between the sides, or between the halves of the series. */
static bool is_shift(const struct rs_estimate *estimate)
{
	return estimate->p < MACHINE_P && fabs(estimate->log_ratio) > MACHINE_LEAST;
}

static bool judge_machine(struct judge *judge)
{
	struct rs_comparison *comparison = judge->comparison;
	const struct rs_design *design = &comparison->design;
	const struct rs_prior none = {0};
	struct rs_compared_run *halves = calloc(design->n_runs, sizeof(*halves));
	if (!halves)
		return false;
	/* rounds count, so that a round is in one half */
	unsigned most = 0;
	for (size_t k = 0; k < design->n_runs; k++)
		most = design->runs[k].round > most ? design->runs[k].round : most;
	for (size_t k = 0; k < design->n_runs; k++)
		halves[k] = (struct rs_compared_run){.side = 2 * design->runs[k].round > most};
	struct rs_design by_half = {halves, design->n_runs, false};
	struct rs_sums sums = rs_sums_make(design, judge->factors);
	comparison->machine_ratio = rs_estimate_make(&sums, &none);
	sums = rs_sums_make(&by_half, judge->factors);
	comparison->drift = rs_estimate_make(&sums, &none);
	comparison->has_drift = design->is_paired && is_shift(&comparison->drift);
	bool has_shift = is_shift(&comparison->machine_ratio) &&
			 fabs(comparison->machine_ratio.log_ratio) >
				 comparison->machine_ratio.spread;
	comparison->machine = !has_shift	  ? RS_MACHINE_SAME
			      : design->is_paired ? RS_MACHINE_ALL_ALIKE
						  : RS_MACHINE_CHANGED;
	free(halves);
	return true;
}

/* ---- differences ---- */

/* A side's numbers as they were measured. room: one a run. */
static struct rs_level level_of(const struct rs_comparison *comparison, size_t event, size_t region,
	unsigned side, enum rs_measure measure, double *room)
{
	size_t n = 0;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		double value = rs_point_get(
			rs_comparison_point(comparison, event, region, k), measure);
		if (comparison->runs[k].side == side && !isnan(value))
			room[n++] = value;
	}
	return rs_level_make(room, n);
}

static void set_levels(
	struct judge *judge, size_t event, size_t region, struct rs_difference *difference)
{
	struct rs_estimate *const estimates[] = {&difference->estimate, &difference->whole};
	static const enum rs_measure measures[] = {RS_MEASURE_SELF, RS_MEASURE_AVG};
	for (size_t i = 0; i < 2; i++) {
		estimates[i]->old = level_of(
			judge->comparison, event, region, 0, measures[i], judge->logs);
		estimates[i]->new = level_of(
			judge->comparison, event, region, 1, measures[i], judge->logs);
	}
}

/* The median over a side's runs; 0 where the region is not in them. */
static double median_of(
	struct judge *judge, size_t event, size_t region, unsigned side, enum rs_measure measure)
{
	double median =
		level_of(judge->comparison, event, region, side, measure, judge->logs).median;
	return isnan(median) ? 0 : median;
}

/* Whether all runs of a side have the same number, and which. */
static bool is_constant(const struct rs_comparison *comparison, const double *logs, unsigned side,
	size_t *n, double *value)
{
	*n = 0;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		if (comparison->runs[k].side != side || isnan(logs[k]))
			continue;
		if ((*n)++ == 0)
			*value = logs[k];
		/* a sum by a number of calls: equal but for rounding */
		else if (fabs(logs[k] - *value) > 1e-14 * fabs(*value))
			return false;
	}
	return *n > 0;
}

/* The chance that runs which are alike happen to be split so that each side is equal in itself: one of the
 * ways to choose the old ones, and the same with the sides exchanged. */
static double chance_of_split(size_t n_old, size_t n_new)
{
	double n = (double)(n_old + n_new);
	return 2 * exp(lgamma((double)n_old + 1) + lgamma((double)n_new + 1) - lgamma(n + 1));
}

/* Few calls and small counts may be equal by chance, and take more runs to be believed. How often a region is
 * called is exact by itself. */
static bool is_sure(enum rs_compared_kind kind, size_t n_old, size_t n_new, double whole)
{
	return kind == RS_KIND_CALLS ||
	       (n_old >= LEAST_EXACT && n_new >= LEAST_EXACT &&
		       (whole >= LARGE_COUNT ||
			       chance_of_split(n_old, n_new) < EXACT_FALSE_ALARMS));
}

/* Counts that are the same in all runs of either side need no statistics. */
static bool try_exact(struct judge *judge, size_t event, size_t region)
{
	struct rs_comparison *comparison = judge->comparison;
	enum rs_compared_kind kind = comparison->events[event].kind;
	size_t n_old, n_new;
	double old = 0, new = 0;
	double whole = median_of(judge, event, region, 0, RS_MEASURE_SELF_TOTAL);
	take_logs(judge->logs, comparison, event, region, RS_MEASURE_SELF, NULL);
	if (needs_control(kind) || !is_constant(comparison, judge->logs, 0, &n_old, &old) ||
		!is_constant(comparison, judge->logs, 1, &n_new, &new) || n_old < 2 || n_new < 2)
		return false;
	double step = fabs(expm1(new - old)) * exp(old), least = rules[kind].least * exp(old);
	struct rs_difference *difference = rs_comparison_difference(comparison, event, region);
	struct rs_estimate *estimate = &difference->estimate;
	estimate->is_known = estimate->is_exact = true;
	estimate->log_ratio = new - old;
	estimate->ratio = estimate->low = estimate->high = exp(new - old);
	estimate->p = NAN;
	bool is_large = step > 0 && step >= least;
	difference->is_shown = is_large && is_sure(kind, n_old, n_new, whole);
	return true;
}

/* Small counts are often equal by chance, and then their variance says nothing: it is at least half of that of
 * a Poisson process, whose logarithm has a variance of 1 by the count. */
static double least_variance(struct judge *judge, size_t event, size_t region)
{
	const struct rs_comparison *comparison = judge->comparison;
	if (comparison->events[event].kind != RS_KIND_COUNT)
		return 0;
	double count = fmax(median_of(judge, event, region, 0, RS_MEASURE_SELF_TOTAL), 1);
	return (comparison->design.is_paired ? 1 : 0.5) / count;
}

static void judge_event(struct judge *judge, size_t event, bool has_control)
{
	struct rs_comparison *comparison = judge->comparison;
	enum rs_compared_kind kind = comparison->events[event].kind;
	const double *factors = has_control && needs_control(kind) ? judge->factors : NULL;
	const struct rule *rule = is_judged(kind) ? &rules[kind] : NULL;
	const struct rs_prior none = {0};
	size_t n_regions = comparison->n_regions;
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		bool is_run = comparison->regions[r].is_run;
		*difference = (struct rs_difference){.is_shown = false};
		take_logs(
			judge->logs, comparison, event, r, RS_MEASURE_AVG, is_run ? NULL : factors);
		struct rs_sums whole = rs_sums_make(&comparison->design, judge->logs);
		difference->whole = rs_estimate_make(&whole, &none);
		take_logs(judge->logs, comparison, event, r, RS_MEASURE_SELF,
			is_run ? NULL : factors);
		judge->sums[r] = rs_sums_make(&comparison->design, judge->logs);
		judge->sums[r].least = least_variance(judge, event, r);
		difference->estimate = rs_estimate_make(&judge->sums[r], &none);
		bool is_exact = rule && try_exact(judge, event, r);
		if (is_exact || is_run || !is_judged(kind))
			judge->sums[r].is_known = false;
	}
	struct rs_prior prior = rs_prior_find(judge->sums, n_regions);
	for (size_t r = 0; r < n_regions; r++)
		judge->is_control[r] = comparison->regions[r].is_control;
	if (factors)
		rs_prior_find_between(
			&prior, judge->sums, judge->is_control, n_regions, judge->sorted);
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		if (judge->sums[r].is_known)
			difference->estimate = rs_estimate_make(&judge->sums[r], &prior);
		judge->p[r] = judge->sums[r].is_known ? difference->estimate.p : NAN;
	}
	double limit = rule ? rs_false_discovery_limit(judge->p, n_regions, rule->q, judge->sorted)
			    : -1;
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		double effect = fabs(difference->estimate.log_ratio);
		set_levels(judge, event, r, difference);
		if (judge->sums[r].is_known)
			difference->is_shown = rule && rule->q > 0 && judge->p[r] <= limit &&
					       effect > rule->least &&
					       effect > difference->estimate.spread;
	}
}

/* ---- verdicts ---- */

static double change_of(struct judge *judge, size_t event, size_t region, enum rs_measure measure)
{
	return median_of(judge, event, region, 1, measure) -
	       median_of(judge, event, region, 0, measure);
}

/* What the whole of the old side is: that of the run, or the sum of all regions. */
static double whole_of(struct judge *judge, size_t event)
{
	const struct rs_comparison *comparison = judge->comparison;
	double sum = 0;
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run)
			sum += median_of(judge, event, r, 0, RS_MEASURE_SELF_TOTAL);
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (comparison->regions[r].is_run)
			sum = fmax(sum, median_of(judge, event, r, 0, RS_MEASURE_TOTAL));
	return sum;
}

static bool is_shown(const struct rs_comparison *comparison, size_t event, size_t region)
{
	return event != RS_NONE && rs_comparison_difference(comparison, event, region)->is_shown;
}

/* The shown difference of a kind with the largest ratio; RS_NONE: there is none. */
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
		if (is_judged(comparison->events[e].kind) &&
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
	if (is_shown(comparison, comparison->work, r)) {
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
	/* instructions say that the work is the same: all of the on-CPU time is speed */
	if (region->verdict == RS_VERDICT_SPEED && is_shown(comparison, comparison->speed, r))
		region->event = comparison->speed;
}

static bool is_changed(const struct rs_compared_region *region)
{
	return region->verdict == RS_VERDICT_WORK || region->verdict == RS_VERDICT_OLD ||
	       region->verdict == RS_VERDICT_NEW || region->verdict == RS_VERDICT_CALLS ||
	       region->verdict == RS_VERDICT_SPEED;
}

/* A region's cost fell by what its parent's own cost rose, or the other way round: both together are what they
 * were. */
static void find_move(struct judge *judge, size_t r)
{
	struct rs_comparison *comparison = judge->comparison;
	struct rs_compared_region *child = &comparison->regions[r];
	if (child->is_run || child->parent == RS_NONE)
		return;
	struct rs_compared_region *parent = &comparison->regions[child->parent];
	size_t event = comparison->work;
	if (event == RS_NONE || !is_changed(child) || parent->verdict != RS_VERDICT_WORK)
		return;
	double own = change_of(judge, event, child->parent, RS_MEASURE_SELF_TOTAL);
	double childs = change_of(judge, event, r, RS_MEASURE_TOTAL);
	if (own * childs >= 0 || fabs(own + childs) > MOST_LOST * fabs(own))
		return;
	child->verdict = parent->verdict = RS_VERDICT_MOVED;
	child->partner = child->parent;
	parent->partner = r;
	child->event = parent->event = event;
}

/* ---- all of it ---- */

static void find_sides(struct rs_comparison *comparison)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		for (size_t k = 0; k < comparison->design.n_runs; k++)
			for (size_t e = 0; e < comparison->n_events; e++)
				comparison->regions[r].is_in[comparison->runs[k].side] |=
					rs_comparison_point(comparison, e, r, k)->is_known;
}

/* Instructions say whose work changed. Without them each region counts, since the median of the group has
 * no ear for the few that did. */
static void choose_control(struct rs_comparison *comparison)
{
	size_t work = comparison->work;
	bool is_exact = work != RS_NONE && comparison->events[work].kind == RS_KIND_WORK;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		region->is_control = !region->is_run && region->is_in[0] && region->is_in[1] &&
				     !(is_exact && is_shown(comparison, work, r));
	}
}

/* Whether any region has an event. */
static bool is_known(const struct rs_comparison *comparison, size_t event)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		for (size_t k = 0; k < comparison->design.n_runs && !comparison->regions[r].is_run;
			k++)
			if (rs_comparison_point(comparison, event, r, k)->is_known)
				return true;
	return false;
}

static void find_events(struct rs_comparison *comparison)
{
	size_t cpu = rs_comparison_find_event(comparison, "cpu-time");
	size_t time = rs_comparison_find_event(comparison, "time");
	comparison->work = RS_NONE;
	comparison->speed = cpu != RS_NONE && is_known(comparison, cpu) ? cpu : time;
	if (time != RS_NONE && comparison->speed == cpu)
		comparison->events[time].kind = RS_KIND_WALL;
	for (size_t e = 0; e < comparison->n_events && comparison->work == RS_NONE; e++)
		if (comparison->events[e].kind == RS_KIND_WORK)
			comparison->work = e;
}

static bool judge_all(struct judge *judge)
{
	struct rs_comparison *comparison = judge->comparison;
	find_sides(comparison);
	find_events(comparison);
	comparison->machine = RS_MACHINE_UNKNOWN;
	for (size_t e = 0; e < comparison->n_events; e++)
		if (!needs_control(comparison->events[e].kind))
			judge_event(judge, e, false);
	choose_control(comparison);
	if (comparison->work == RS_NONE)
		comparison->work = comparison->speed;
	for (size_t e = 0; e < comparison->n_events; e++) {
		if (!needs_control(comparison->events[e].kind))
			continue;
		bool has_control = find_factors(judge, e);
		if (has_control && e == comparison->speed && !judge_machine(judge))
			return false;
		judge_event(judge, e, has_control);
	}
	for (size_t r = 0; r < comparison->n_regions; r++)
		give_verdict(comparison, r);
	for (size_t r = 0; r < comparison->n_regions; r++)
		find_move(judge, r);
	double whole = comparison->speed == RS_NONE ? NAN : whole_of(judge, comparison->speed);
	for (size_t r = 0; r < comparison->n_regions; r++)
		comparison->regions[r].effect = whole > 0 ? change_of(judge, comparison->speed, r,
								    RS_MEASURE_SELF_TOTAL) /
								    whole
							  : NAN;
	return true;
}

bool rs_comparison_judge(struct rs_comparison *comparison)
{
	size_t n_runs = comparison->design.n_runs, n_regions = comparison->n_regions;
	double *room = calloc(3 * n_runs + 6 * n_regions + 1, sizeof(*room));
	struct rs_sums *sums = calloc(n_regions + 1, sizeof(*sums));
	struct judge judge = {.comparison = comparison, .logs = room, .sums = sums};
	judge.factors = room + 2 * n_runs;
	judge.centers = judge.factors + n_runs;
	judge.weights = judge.centers + n_regions;
	judge.values = judge.weights + n_regions;
	judge.value_weights = judge.values + n_regions;
	judge.p = judge.value_weights + n_regions;
	judge.sorted = judge.p + n_regions;
	judge.is_control = calloc(n_regions + 1, sizeof(*judge.is_control));
	bool done = room && sums && judge.is_control && judge_all(&judge);
	free(judge.is_control);
	free(room);
	free(sums);
	return done;
}

struct rs_estimate rs_comparison_estimate(const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure)
{
	const struct rs_prior none = {0};
	struct rs_estimate estimate = {.is_known = false};
	double *logs = calloc(comparison->design.n_runs + 1, sizeof(*logs));
	if (!logs)
		return estimate;
	take_logs(logs, comparison, event, region, measure, NULL);
	struct rs_sums sums = rs_sums_make(&comparison->design, logs);
	estimate = rs_estimate_make(&sums, &none);
	estimate.old = level_of(comparison, event, region, 0, measure, logs);
	estimate.new = level_of(comparison, event, region, 1, measure, logs);
	free(logs);
	return estimate;
}

bool rs_comparison_has_difference(const struct rs_comparison *comparison)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run &&
			comparison->regions[r].verdict > RS_VERDICT_NONE)
			return true;
	return comparison->machine > RS_MACHINE_SAME;
}
