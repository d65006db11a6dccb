/* SPDX-License-Identifier: MIT */
/*
 * Interface between the files that judge a comparison. judge.c finds differences and the effect of
 * the machine, verdict.c finds the causes of differences, and compare.c provides the values for
 * them.
 */
#ifndef RS_COMPARE_JUDGE_H
#define RS_COMPARE_JUDGE_H

#include "compare/compare.h"

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
 * until comparison->room is used again. If the value is 0 in any run, add half an event in all
 * runs, because 0 has no logarithm. Unless factors is NULL, subtract the factor of each run. */
double *rs_judge_take_logs(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors);

/* Return the statistics of these logarithms. */
struct rs_sums rs_judge_sums(const struct rs_comparison *comparison, size_t event, size_t region,
	enum rs_measure measure, const double *factors);

/* Return the median of a measure over the runs of one side, or 0 if none of them has the region. */
double rs_judge_median(const struct rs_comparison *comparison, size_t event, size_t region,
	unsigned side, enum rs_measure measure);

/* Set the verdict of each region, and its effect on the whole run. */
void rs_judge_give_verdicts(struct rs_comparison *comparison);

#endif
