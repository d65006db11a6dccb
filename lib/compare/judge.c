/* SPDX-License-Identifier: MIT */
/*
 * This file finds the differences between two sides that are larger than chance explains. It also
 * finds the control group, which consists of the regions whose work is the same on both sides. If
 * all of these regions change together in a run, the machine caused the change.
 */
#include <math.h>
#include <string.h>

#include "compare/judge.h"

#define LEAST_EXACT 3u /* if a side has fewer runs, equal values may be chance */
#define LEAST_CONTROL 5u /* if the group has fewer regions, the effect of the machine is unknown */
/* If runs alternated, the machine affects both sides alike. The median of a few regions would then
 * add more random error to a difference than it removes. */
#define LEAST_CONTROL_PAIRED 12u
/* The overhead of markers differs by some ns a call from run to run. Therefore differences of a
 * time below LEAST_NS are not shown, and regions with calls below LEAST_CONTROL_NS are not in the
 * control group. */
#define LEAST_NS 5.0
#define LEAST_CONTROL_NS 100.0
#define MACHINE_P 0.001
#define MACHINE_LEAST 0.01
#define LARGE_COUNT 1000.0
#define EXACT_FALSE_ALARMS 1e-3

/* Arrays that are used while a comparison is judged. */
struct judge {
	struct rs_comparison *comparison;
	double *factors; /* one for each run: the logarithm of the change that the machine caused */
	/* one for each region: the mean of the logarithms of both sides' medians */
	double *centers;
	double *weights; /* one per region */
	struct rs_weighted *values; /* scratch memory with one element per region */
	double *p, *sorted; /* one per region */
	bool *is_used; /* one per region: true if an estimate uses the region */
	struct rs_sums *sums; /* one per region */
};

/* For each kind of event: the smallest difference to show, and the largest share of the shown
 * differences that may be chance. Smaller differences are not worth a report. Even a program path
 * of another length changes the count of instructions by as much. */
static const struct rule {
	double least, q;
} rules[] = {
	[RS_KIND_WORK] = {0.001, 0.001},
	[RS_KIND_SPEED] = {0.01, 0.01},
	[RS_KIND_WALL] = {0.01, 0}, /* because the share is 0, no difference is shown */
	[RS_KIND_COUNT] = {0.01, 0.001},
	[RS_KIND_CALLS] = {0.001, 0.001},
};

/* If instructions were counted, the work is known, so a difference of speed must be more
 * certain. */
#define SPEED_FALSE_ALARMS 1e-3

static bool needs_control(enum rs_compared_kind kind)
{
	return kind == RS_KIND_SPEED || kind == RS_KIND_WALL;
}

/* ---- differences ---- */

static void set_levels(const struct rs_comparison *comparison, size_t event, size_t region,
	struct rs_difference *difference)
{
	struct rs_estimate *const estimates[] = {&difference->estimate, &difference->whole};
	static const enum rs_measure measures[] = {RS_MEASURE_SELF, RS_MEASURE_AVG};
	for (size_t i = 0; i < 2; i++) {
		estimates[i]->old = rs_comparison_level(comparison, event, region, 0, measures[i]);
		estimates[i]->new = rs_comparison_level(comparison, event, region, 1, measures[i]);
	}
}

/* Return true if all runs of a side have the same value. Set *value to this value, and *n to the
 * count of runs. */
static bool is_constant(const struct rs_comparison *comparison, const double *logs, unsigned side,
	size_t *n, double *value)
{
	*n = 0;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		if (comparison->runs[k].side != side || isnan(logs[k]))
			continue;
		if ((*n)++ == 0)
			*value = logs[k];
		/* Sums divided by a count of calls can differ by rounding. */
		else if (fabs(logs[k] - *value) > 1e-14 * fabs(*value))
			return false;
	}
	return *n > 0;
}

/* Suppose that the runs of both sides have only two different values. Return the chance that a
 * random choice of the old runs makes each side constant. Of all choices, only two do so: the
 * actual one, and the one with the sides exchanged. */
static double chance_of_split(size_t n_old, size_t n_new)
{
	double n = (double)(n_old + n_new);
	return 2 * exp(lgamma((double)n_old + 1) + lgamma((double)n_new + 1) - lgamma(n + 1));
}

/* Return true if chance does not explain that each side is constant. Small counts may be equal by
 * chance, so they need more runs. The count of calls is always exact. */
static bool is_sure(enum rs_compared_kind kind, size_t n_old, size_t n_new, double whole)
{
	return kind == RS_KIND_CALLS ||
	       (n_old >= LEAST_EXACT && n_new >= LEAST_EXACT &&
		       (whole >= LARGE_COUNT ||
			       chance_of_split(n_old, n_new) < EXACT_FALSE_ALARMS));
}

/* Judge a difference without statistics if all runs of each side have the same value. Return false
 * if they do not. */
static bool try_exact(const struct rs_comparison *comparison, size_t event, size_t region)
{
	enum rs_compared_kind kind = comparison->events[event].kind;
	size_t n_old, n_new;
	double old = 0, new = 0;
	double whole = rs_judge_median(comparison, event, region, 0, RS_MEASURE_SELF_TOTAL);
	const double *logs = rs_judge_take_logs(comparison, event, region, RS_MEASURE_SELF, NULL);
	if (needs_control(kind) || !is_constant(comparison, logs, 0, &n_old, &old) ||
		!is_constant(comparison, logs, 1, &n_new, &new) || n_old < 2 || n_new < 2)
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

/* Return the lower limit of the variance to assume. Small counts are often equal by chance, so
 * their measured variance is too small. Assume at least half the variance of a Poisson process: the
 * logarithm of its count has the variance 1 / count. */
static double least_variance(const struct rs_comparison *comparison, size_t event, size_t region)
{
	if (comparison->events[event].kind != RS_KIND_COUNT)
		return 0;
	double count = fmax(
		rs_judge_median(comparison, event, region, 0, RS_MEASURE_SELF_TOTAL), 1);
	return (comparison->design.is_paired ? 1 : 0.5) / count;
}

/* Return true if a difference is larger than the differences between the runs of one side. A
 * difference of times must also not be too small. */
static bool is_large(
	const struct rs_comparison *comparison, size_t event, const struct rs_estimate *estimate)
{
	bool is_time = strcmp(comparison->events[event].unit, "ns") == 0;
	return fabs(estimate->log_ratio) > estimate->spread &&
	       !(is_time && fabs(estimate->new.median - estimate->old.median) < LEAST_NS);
}

static void judge_event(struct judge *judge, size_t event, bool has_control)
{
	struct rs_comparison *comparison = judge->comparison;
	enum rs_compared_kind kind = comparison->events[event].kind;
	const double *factors = has_control && needs_control(kind) ? judge->factors : NULL;
	const struct rule *rule = rs_is_judged(kind) ? &rules[kind] : NULL;
	const struct rs_prior none = {0};
	size_t n_regions = comparison->n_regions;
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		bool is_run = comparison->regions[r].is_run;
		*difference = (struct rs_difference){.is_shown = false};
		struct rs_sums whole = rs_judge_sums(
			comparison, event, r, RS_MEASURE_AVG, is_run ? NULL : factors);
		difference->whole = rs_estimate_make(&whole, &none);
		judge->sums[r] = rs_judge_sums(
			comparison, event, r, RS_MEASURE_SELF, is_run ? NULL : factors);
		judge->sums[r].least = least_variance(comparison, event, r);
		difference->estimate = rs_estimate_make(&judge->sums[r], &none);
		bool is_exact = rule && try_exact(comparison, event, r);
		if (is_exact || is_run || !rs_is_judged(kind))
			judge->sums[r].is_known = false;
	}
	for (size_t r = 0; r < n_regions; r++)
		judge->is_used[r] = !(needs_control(kind) && comparison->regions[r].is_short);
	struct rs_prior prior = rs_prior_find(judge->sums, judge->is_used, n_regions);
	for (size_t r = 0; r < n_regions; r++)
		judge->is_used[r] = comparison->regions[r].is_control;
	if (factors)
		rs_prior_find_between(
			&prior, judge->sums, judge->is_used, n_regions, judge->sorted);
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		if (judge->sums[r].is_known)
			difference->estimate = rs_estimate_make(&judge->sums[r], &prior);
		/* A difference that is too small to show counts as chance, however certain it is. */
		bool is_small = rule && fabs(difference->estimate.log_ratio) <= rule->least;
		judge->p[r] = !judge->sums[r].is_known ? NAN
			      : is_small	       ? 1
						       : difference->estimate.p;
	}
	double q = rule ? rule->q : 0;
	if (kind == RS_KIND_SPEED && rs_comparison_counts_instructions(comparison))
		q = SPEED_FALSE_ALARMS;
	double limit = rs_false_discovery_limit(judge->p, n_regions, q, judge->sorted);
	for (size_t r = 0; r < n_regions; r++) {
		struct rs_difference *difference = rs_comparison_difference(comparison, event, r);
		set_levels(comparison, event, r, difference);
		if (judge->sums[r].is_known)
			difference->is_shown = q > 0 && judge->p[r] <= limit &&
					       is_large(comparison, event, &difference->estimate);
	}
}

/* ---- the control group ---- */

/* Choose the regions of the control group, once the differences of instructions are known. Regions
 * whose instructions differ are not in the group. If instructions were not counted, every
 * region is in the group: a few regions whose work changed hardly move the group's median. */
static void choose_control(struct rs_comparison *comparison)
{
	bool is_exact = rs_comparison_counts_instructions(comparison);
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		region->is_control = !region->is_run && region->is_in[0] && region->is_in[1] &&
				     !region->is_short &&
				     !(is_exact &&
					     rs_judge_has_shown(comparison, comparison->work, r));
	}
}

/* Set centers and weights of a region: the average of both sides' median logarithms, and the spread
 * of the runs around each side's median. Regions with a smaller spread have more weight in the
 * control group. Return false if a side has no values. */
static bool find_level(struct judge *judge, size_t event, size_t region)
{
	const struct rs_comparison *comparison = judge->comparison;
	size_t n_runs = comparison->design.n_runs;
	const double *logs = rs_judge_take_logs(comparison, event, region, RS_MEASURE_SELF, NULL);
	double *sides = comparison->room + n_runs; /* memory for the values of one side */
	double center[2], spread = 0;
	for (unsigned side = 0; side < 2; side++) {
		size_t n = 0;
		for (size_t k = 0; k < n_runs; k++)
			if (comparison->runs[k].side == side && !isnan(logs[k]))
				sides[n++] = logs[k];
		center[side] = rs_median(sides, n);
		for (size_t i = 0; i < n; i++)
			sides[i] = fabs(sides[i] - center[side]);
		spread += rs_median(sides, n) / 2;
	}
	judge->centers[region] = (center[0] + center[1]) / 2;
	judge->weights[region] = spread;
	return !isnan(judge->centers[region]);
}

/* Find the change that the control group shares in each run, and store it in judge->factors. Return
 * how many regions the group has. */
static size_t find_factors(struct judge *judge, size_t event)
{
	struct rs_comparison *comparison = judge->comparison;
	size_t n_control = 0;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		judge->centers[r] = NAN;
		if (!region->is_control || !find_level(judge, event, r))
			continue;
		judge->sorted[n_control++] = judge->weights[r];
	}
	double usual = rs_median(judge->sorted, n_control);
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		size_t n = 0;
		for (size_t r = 0; r < comparison->n_regions; r++) {
			const struct rs_point *point = rs_comparison_point(comparison, event, r, k);
			double value = rs_point_get(point, RS_MEASURE_SELF);
			if (isnan(judge->centers[r]) || isnan(value) || value <= 0)
				continue;
			judge->values[n++] = (struct rs_weighted){log(value) - judge->centers[r],
				1 / (judge->weights[r] * judge->weights[r] + usual * usual +
					    1e-12)};
		}
		judge->factors[k] = rs_weighted_median(judge->values, n);
	}
	return n_control;
}

/* Return true if the group's common change differs between the sides, or between the halves of the
 * series. */
static bool is_shift(const struct rs_estimate *estimate)
{
	return estimate->p < MACHINE_P && fabs(estimate->log_ratio) > MACHINE_LEAST;
}

/* Find out whether the machine changed. corrects: the control group's change is subtracted from the
 * differences of all regions. */
static void judge_machine(struct judge *judge, bool corrects)
{
	struct rs_comparison *comparison = judge->comparison;
	const struct rs_design *design = &comparison->design;
	const struct rs_prior none = {0};
	struct rs_compared_run *halves = rs_arena_array(
		&comparison->arena, design->n_runs, sizeof(*halves));
	/* Split the runs into halves by rounds, so that no round is in both halves. */
	unsigned most = 0;
	for (size_t k = 0; k < design->n_runs; k++)
		most = design->runs[k].round > most ? design->runs[k].round : most;
	for (size_t k = 0; k < design->n_runs; k++)
		halves[k] = (struct rs_compared_run){.side = 2 * design->runs[k].round > most};
	struct rs_design by_half = {halves, design->n_runs, false};
	struct rs_sums sums = rs_sums_make(design, judge->factors, comparison->room);
	comparison->machine_ratio = rs_estimate_make(&sums, &none);
	sums = rs_sums_make(&by_half, judge->factors, comparison->room);
	comparison->drift = rs_estimate_make(&sums, &none);
	comparison->has_drift = design->is_paired && is_shift(&comparison->drift);
	bool has_shift = corrects && is_shift(&comparison->machine_ratio) &&
			 fabs(comparison->machine_ratio.log_ratio) >
				 comparison->machine_ratio.spread;
	comparison->machine = !has_shift	  ? RS_MACHINE_SAME
			      : design->is_paired ? RS_MACHINE_ALL_ALIKE
						  : RS_MACHINE_CHANGED;
}

/* ---- the whole comparison ---- */

static void find_sides(struct rs_comparison *comparison)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		for (size_t k = 0; k < comparison->design.n_runs; k++)
			for (size_t e = 0; e < comparison->n_events; e++)
				comparison->regions[r].is_in[comparison->runs[k].side] |=
					rs_comparison_point(comparison, e, r, k)->is_known;
}

/* Return true if an event is known of a region of each side that has regions. */
static bool is_known(const struct rs_comparison *comparison, size_t event)
{
	bool has_regions[2] = {false}, knows[2] = {false};
	for (size_t r = 0; r < comparison->n_regions; r++)
		for (size_t k = 0; k < comparison->design.n_runs && !comparison->regions[r].is_run;
			k++) {
			unsigned side = comparison->runs[k].side;
			has_regions[side] |= comparison->regions[r].is_in[side];
			knows[side] |= rs_comparison_point(comparison, event, r, k)->is_known;
		}
	return (knows[0] || knows[1]) && knows[0] == has_regions[0] && knows[1] == has_regions[1];
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
		if (comparison->events[e].kind == RS_KIND_WORK && is_known(comparison, e))
			comparison->work = e;
}

static void find_short(struct rs_comparison *comparison)
{
	for (size_t r = 0; r < comparison->n_regions && comparison->speed != RS_NONE; r++)
		for (unsigned side = 0; side < 2; side++)
			comparison->regions[r].is_short |=
				rs_comparison_level(
					comparison, comparison->speed, r, side, RS_MEASURE_SELF)
					.median < LEAST_CONTROL_NS; /* false if unknown */
}

static void judge_init(struct judge *judge, struct rs_comparison *comparison)
{
	struct rs_arena *arena = &comparison->arena;
	size_t n_runs = comparison->design.n_runs, n = comparison->n_regions;
	*judge = (struct judge){.comparison = comparison,
		.factors = rs_arena_array(arena, n_runs, sizeof(*judge->factors)),
		.centers = rs_arena_array(arena, n, sizeof(*judge->centers)),
		.weights = rs_arena_array(arena, n, sizeof(*judge->weights)),
		.values = rs_arena_array(arena, n, sizeof(*judge->values)),
		.p = rs_arena_array(arena, n, sizeof(*judge->p)),
		.sorted = rs_arena_array(arena, n, sizeof(*judge->sorted)),
		.is_used = rs_arena_array(arena, n, sizeof(*judge->is_used)),
		.sums = rs_arena_array(arena, n, sizeof(*judge->sums))};
}

void rs_comparison_judge(struct rs_comparison *comparison)
{
	struct judge judge;
	judge_init(&judge, comparison);
	find_sides(comparison);
	find_events(comparison);
	find_short(comparison);
	comparison->machine = RS_MACHINE_UNKNOWN;
	for (size_t e = 0; e < comparison->n_events; e++)
		if (!needs_control(comparison->events[e].kind))
			judge_event(&judge, e, false);
	choose_control(comparison);
	if (comparison->work == RS_NONE)
		comparison->work = comparison->speed;
	size_t least_to_correct = comparison->design.is_paired ? LEAST_CONTROL_PAIRED
							       : LEAST_CONTROL;
	for (size_t e = 0; e < comparison->n_events; e++) {
		if (!needs_control(comparison->events[e].kind))
			continue;
		size_t n_control = find_factors(&judge, e);
		bool corrects = n_control >= least_to_correct;
		if (n_control >= LEAST_CONTROL && e == comparison->speed)
			judge_machine(&judge, corrects);
		if (corrects && e == comparison->speed)
			comparison->n_control = n_control;
		judge_event(&judge, e, corrects);
	}
	rs_judge_give_verdicts(comparison);
}

struct rs_estimate rs_comparison_estimate(const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure)
{
	const struct rs_prior none = {0};
	struct rs_sums sums = rs_judge_sums(comparison, event, region, measure, NULL);
	struct rs_estimate estimate = rs_estimate_make(&sums, &none);
	estimate.old = rs_comparison_level(comparison, event, region, 0, measure);
	estimate.new = rs_comparison_level(comparison, event, region, 1, measure);
	return estimate;
}

bool rs_comparison_lacks_runs(const struct rs_comparison *comparison)
{
	bool is_any_unknown = false;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		const struct rs_compared_region *region = &comparison->regions[r];
		if (region->is_run || !region->is_in[0] || !region->is_in[1])
			continue;
		if (region->verdict != RS_VERDICT_UNKNOWN)
			return false;
		is_any_unknown = true;
	}
	return is_any_unknown;
}

bool rs_comparison_has_difference(const struct rs_comparison *comparison)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run &&
			comparison->regions[r].verdict > RS_VERDICT_NONE)
			return true;
	return comparison->machine > RS_MACHINE_SAME;
}
