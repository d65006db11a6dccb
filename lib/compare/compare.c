/* SPDX-License-Identifier: MIT */
/*
 * This file allocates comparisons, and finds the elements of a comparison. It also computes values
 * of a region: logarithms, levels and medians.
 */
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "compare/judge.h"

const char *const rs_measure_words[RS_MEASURE_N] = {
	[RS_MEASURE_SELF] = "self",
	[RS_MEASURE_AVG] = "avg",
	[RS_MEASURE_TOTAL] = "total",
	[RS_MEASURE_SELF_TOTAL] = "self-total",
	[RS_MEASURE_CALLS] = "calls",
	[RS_MEASURE_P50] = "p50",
	[RS_MEASURE_P90] = "p90",
	[RS_MEASURE_P99] = "p99",
	[RS_MEASURE_MIN] = "min",
	[RS_MEASURE_MAX] = "max",
};

struct rs_point rs_point_make(double calls, double total, double self)
{
	double n = calls > 0 ? calls : NAN;
	struct rs_point point = {.is_known = !isnan(total),
		.values = {[RS_MEASURE_SELF] = self / n,
			[RS_MEASURE_AVG] = total / n,
			[RS_MEASURE_TOTAL] = total,
			[RS_MEASURE_SELF_TOTAL] = self,
			[RS_MEASURE_CALLS] = calls}};
	for (size_t i = RS_MEASURE_P50; i < RS_MEASURE_N; i++)
		point.values[i] = NAN;
	return point;
}

void rs_comparison_init(
	struct rs_comparison *comparison, size_t n_regions, size_t n_events, size_t n_runs)
{
	*comparison = (struct rs_comparison){.n_regions = n_regions, .n_events = n_events};
	struct rs_arena *arena = &comparison->arena;
	/* the names are in memory, so this product cannot overflow */
	size_t n_rows = n_regions * n_events;
	comparison->runs = rs_arena_array(arena, n_runs, sizeof(*comparison->runs));
	comparison->regions = rs_arena_array(arena, n_regions, sizeof(*comparison->regions));
	comparison->events = rs_arena_array(arena, n_events, sizeof(*comparison->events));
	comparison->points = rs_arena_array(arena, n_rows, n_runs * sizeof(*comparison->points));
	comparison->differences = rs_arena_array(arena, n_rows, sizeof(*comparison->differences));
	comparison->room = rs_arena_array(
		arena, n_runs, RS_COMPARISON_ROOM * sizeof(*comparison->room));
	comparison->design = (struct rs_design){.runs = comparison->runs, .n_runs = n_runs};
	for (size_t r = 0; r < n_regions; r++)
		comparison->regions[r].parent = RS_NONE;
}

void rs_comparison_finish(struct rs_comparison *comparison)
{
	rs_arena_finish(&comparison->arena);
	*comparison = (struct rs_comparison){.n_regions = 0};
}

struct rs_point *rs_comparison_point(
	const struct rs_comparison *comparison, size_t event, size_t region, size_t run)
{
	size_t row = event * comparison->n_regions + region;
	return &comparison->points[row * comparison->design.n_runs + run];
}

struct rs_difference *rs_comparison_difference(
	const struct rs_comparison *comparison, size_t event, size_t region)
{
	return &comparison->differences[event * comparison->n_regions + region];
}

size_t rs_comparison_find_event(const struct rs_comparison *comparison, const char *name)
{
	for (size_t e = 0; e < comparison->n_events; e++)
		if (strcmp(comparison->events[e].name, name) == 0)
			return e;
	return RS_NONE;
}

bool rs_comparison_counts_instructions(const struct rs_comparison *comparison)
{
	return comparison->work != RS_NONE &&
	       comparison->events[comparison->work].kind == RS_KIND_WORK;
}

struct rs_level rs_comparison_level(const struct rs_comparison *comparison, size_t event,
	size_t region, unsigned side, enum rs_measure measure)
{
	size_t n = 0;
	for (size_t k = 0; k < comparison->design.n_runs; k++) {
		double value = rs_point_get(
			rs_comparison_point(comparison, event, region, k), measure);
		if (comparison->runs[k].side == side && !isnan(value))
			comparison->room[n++] = value;
	}
	return rs_level_make(comparison->room, n);
}

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
			value += is_a_call ? 0.5 / point->values[RS_MEASURE_CALLS] : 0.5;
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
