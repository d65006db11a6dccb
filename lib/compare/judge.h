/* SPDX-License-Identifier: MIT */
/*
 * Common state of the files that judge a comparison. judge.c finds differences, control.c finds the
 * effect of the machine, and verdict.c finds the causes of differences. numbers.c provides the
 * values for them.
 */
#ifndef RS_COMPARE_JUDGE_H
#define RS_COMPARE_JUDGE_H

#include "compare/compare.h"

/* Arrays that are used while a comparison is judged. */
struct rs_judge {
	struct rs_comparison *comparison;
	double *factors; /* one for each run: the logarithm of the change that the machine caused */
	double *centers; /* one for each region: the logarithms of both sides' medians, averaged */
	double *weights; /* one per region */
	struct rs_weighted *values; /* scratch memory with one element per region */
	double *p, *sorted; /* one per region */
	bool *is_control; /* one per region */
	struct rs_sums *sums; /* one per region */
};

/* Return true if a difference in this kind of event can be shown; see rs_difference.is_shown. */
static inline bool rs_is_judged(enum rs_compared_kind kind)
{
	return kind != RS_KIND_OFF && kind != RS_KIND_METRIC;
}

/* Return true if the difference of a region and event is shown. event may be RS_NONE. */
static inline bool rs_judge_has_shown(
	const struct rs_comparison *comparison, size_t event, size_t region)
{
	return event != RS_NONE && rs_comparison_difference(comparison, event, region)->is_shown;
}

/* Return the logarithms of a measure, one per run. They are in comparison->room, and are valid
 * until the next use of it. If the value is 0 in any run, add half an event in all runs, because 0 has no
 * logarithm. Unless factors is NULL, subtract the factor of each run. */
double *rs_judge_take_logs(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors);

/* Return the statistics of these logarithms. */
struct rs_sums rs_judge_sums(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors);

/* Return the median of a measure over the runs of one side, or 0 if none of them has the region. */
double rs_judge_median(const struct rs_comparison *comparison, size_t event, size_t region,
	unsigned side, enum rs_measure measure);

/* Choose the regions of the control group. Call this after the differences of instructions are
 * known. */
void rs_judge_choose_control(struct rs_comparison *comparison);

/* Find the change that the control group shares in each run, and store it in judge->factors. Return
 * false if the group is too small. */
bool rs_judge_find_factors(struct rs_judge *judge, size_t event);

/* Decide from judge->factors whether the machine changed. */
void rs_judge_machine(struct rs_judge *judge);

/* Set the verdict of each region, and its effect on the whole run. */
void rs_judge_give_verdicts(struct rs_comparison *comparison);

#endif
