/* SPDX-License-Identifier: MIT */
/*
 * This file gets a region's values from the runs of a comparison: logarithms, levels and medians.
 */
#include <math.h>

#include "compare/judge.h"

double *rs_judge_take_logs(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors)
{
	bool is_a_call = measure == RS_MEASURE_SELF || measure == RS_MEASURE_AVG;
	bool is_count = comparison->events[event].kind != RS_KIND_METRIC;
	bool has_zero = false;
	double *logs = comparison->room;
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
	return logs;
}

struct rs_sums rs_judge_sums(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors)
{
	double *logs = rs_judge_take_logs(comparison, event, region, measure, factors);
	return rs_sums_make(&comparison->design, logs, logs + comparison->design.n_runs);
}

double rs_judge_median(const struct rs_comparison *comparison, size_t event, size_t region,
	unsigned side, enum rs_measure measure)
{
	double median = rs_comparison_level(comparison, event, region, side, measure).median;
	return isnan(median) ? 0 : median;
}
