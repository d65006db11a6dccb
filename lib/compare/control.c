/* SPDX-License-Identifier: MIT */
/*
 * Finds the control group, which consists of the regions whose work is the same on both sides. If
 * all of these regions change together in a run, the machine caused the change.
 */
#include <math.h>

#include "compare/judge.h"

#define LEAST_CONTROL 5u /* with fewer regions in the group, the effect of the machine is unknown */
#define MACHINE_P 0.001
#define MACHINE_LEAST 0.01

/* Regions whose instructions differ are not in the group. If instructions were not counted, every
 * region is in the group: a few regions whose work changed hardly move the group's median. */
void rs_judge_choose_control(struct rs_comparison *comparison)
{
	bool is_exact = rs_comparison_counts_instructions(comparison);
	for (size_t r = 0; r < comparison->n_regions; r++) {
		struct rs_compared_region *region = &comparison->regions[r];
		region->is_control = !region->is_run && region->is_in[0] && region->is_in[1] &&
				     !(is_exact &&
					     rs_judge_has_shown(comparison, comparison->work, r));
	}
}

/* Set centers and weights of a region: the average of both sides' median logarithms, and the spread
 * of the runs around each side's median. Regions with a smaller spread have more weight in the
 * control group. Return false if a side has no values. */
static bool find_level(struct rs_judge *judge, size_t event, size_t region)
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

bool rs_judge_find_factors(struct rs_judge *judge, size_t event)
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
	if (n_control < LEAST_CONTROL)
		return false;
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
	if (event == comparison->speed)
		comparison->n_control = n_control;
	return true;
}

/* Return true if the group's common change differs between the sides, or between the halves of the
 * series. */
static bool is_shift(const struct rs_estimate *estimate)
{
	return estimate->p < MACHINE_P && fabs(estimate->log_ratio) > MACHINE_LEAST;
}

void rs_judge_machine(struct rs_judge *judge)
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
	bool has_shift = is_shift(&comparison->machine_ratio) &&
			 fabs(comparison->machine_ratio.log_ratio) >
				 comparison->machine_ratio.spread;
	comparison->machine = !has_shift	  ? RS_MACHINE_SAME
			      : design->is_paired ? RS_MACHINE_ALL_ALIKE
						  : RS_MACHINE_CHANGED;
}
