/* SPDX-License-Identifier: MIT */
/*
 * What the parts of judging share: judge.c finds differences, control.c what the machine did, verdict.c what
 * the differences are of. All of them take numbers from numbers.c.
 */
#ifndef RS_COMPARE_JUDGE_H
#define RS_COMPARE_JUDGE_H

#include "compare/compare.h"

/* Where judging stands. */
struct rs_judge {
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

/* Whether differences of an event can be shown at all. */
static inline bool rs_is_judged(enum rs_compared_kind kind)
{
	return kind != RS_KIND_OFF && kind != RS_KIND_METRIC;
}

/* Whether a difference of a region and event is shown. event: RS_NONE for no. */
static inline bool rs_judge_has_shown(
	const struct rs_comparison *comparison, size_t event, size_t region)
{
	return event != RS_NONE && rs_comparison_difference(comparison, event, region)->is_shown;
}

/* The logarithms of a number. Where it is 0 in any run, half an event more in each, so that all have one.
 * logs: filled, one a run. factors: to be taken out; NULL for none. */
void rs_judge_take_logs(double *logs, const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure, const double *factors);

/* A side's numbers as they were measured. room: one a run. */
struct rs_level rs_judge_level(const struct rs_comparison *comparison, size_t event, size_t region,
	unsigned side, enum rs_measure measure, double *room);

/* The median over a side's runs; 0 where the region is not in them. */
double rs_judge_median(struct rs_judge *judge, size_t event, size_t region, unsigned side,
	enum rs_measure measure);

/* Choose the regions of the control group, once differences of instructions are known. */
void rs_judge_choose_control(struct rs_comparison *comparison);

/* What the control group has in common in each run. False: the group is too small. */
bool rs_judge_find_factors(struct rs_judge *judge, size_t event);

/* Whether the machine changed, by these factors. False: no memory. */
bool rs_judge_machine(struct rs_judge *judge);

/* Give each region its verdict, and its effect on the whole. */
void rs_judge_give_verdicts(struct rs_judge *judge);

#endif
