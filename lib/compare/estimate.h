/* SPDX-License-Identifier: MIT */
/*
 * How much a number differs between two sides, each of several runs: its ratio with an interval, from
 * logarithms of the number, one a run.
 */
#ifndef RS_COMPARE_ESTIMATE_H
#define RS_COMPARE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* Which side a run is of: 0 the old one, 1 the new one. */
struct rs_compared_run {
	unsigned side;
	unsigned round; /* the same in runs that belong together, one a side; less than all runs */
};

/* The runs, in the order in which they were made. is_paired: both sides ran in each round, so that their
 * difference within a round is what counts. */
struct rs_design {
	const struct rs_compared_run *runs;
	size_t n_runs;
	bool is_paired;
};

/* One side's numbers, as measured. */
struct rs_level {
	double median, low, high; /* with its 95 % interval */
	double error; /* the standard error of the mean, as part of it: what perf stat prints */
};

/* values[n]: sorted by the call; n may be 0. */
struct rs_level rs_level_make(double *values, size_t n);

/* Before variances of several regions are put together. */
struct rs_sums {
	bool is_known; /* enough runs have the number */
	double location; /* of the logarithm of the ratio */
	double variance; /* of one pair, or of one run */
	double least; /* that variance is at least so much, set by the caller; 0 by default */
	double scale; /* times that: the variance of location */
	double df; /* degrees of freedom of variance */
	double spread; /* the largest difference between halves of one side */
	double old, new; /* medians of the logarithms */
};

/* What is known of variances before a region is looked at. */
struct rs_prior {
	double variance;
	double df; /* 0: nothing */
	double between; /* variance of locations between regions that did not change */
	double between_df;
};

struct rs_estimate {
	bool is_known;
	double ratio, low, high; /* with its 95 % interval */
	double log_ratio;
	double p; /* the chance of such a difference where there is none */
	double spread; /* as of struct rs_sums */
	struct rs_level old, new; /* as measured; by the caller */
	bool is_exact; /* the number was the same in all runs of either side: no p, no interval */
};

/*
 * logs[design->n_runs]: natural logarithms, NAN where a run does not have the number.
 * The location is a trimmed mean: a fifth of the runs at either end is cut off, so that a few runs with
 * heavy noise have no say. Its variance is of winsorized values (Yuen, "The two-sample trimmed t for
 * unequal population variances", Biometrika 61, 1974).
 * It needs two runs a side, or two pairs.
 */
struct rs_sums rs_sums_make(const struct rs_design *design, const double *logs);

/*
 * The distribution of variances over regions: Smyth, "Linear models and empirical Bayes methods for
 * assessing differential expression", Statistical Applications in Genetics and Molecular Biology 3,
 * 2004, section 6.2. sums[n].
 */
struct rs_prior rs_prior_find(const struct rs_sums *sums, size_t n);

/*
 * Regions that did not change differ by more than their runs say, since each answers in its own way to the
 * machine. Set prior->between so that half of them have a t as small as half of Student's t is: an empirical
 * null as of Efron, "Large-scale simultaneous hypothesis testing: the choice of a null hypothesis", 2004.
 * is_control[n]: those regions. room[n].
 */
void rs_prior_find_between(struct rs_prior *prior, const struct rs_sums *sums,
	const bool *is_control, size_t n, double *room);

/* The ratio, with the variance drawn to that of the prior (the same paper, section 3). */
struct rs_estimate rs_estimate_make(const struct rs_sums *sums, const struct rs_prior *prior);

/*
 * Which of n values p are shown to be differences where a share of at most q of those shown may be none:
 * Benjamini and Hochberg, "Controlling the false discovery rate", 1995. p: NAN are none.
 * Returns the largest p that is shown; -1: none is. sorted[n]: room to sort in.
 */
double rs_false_discovery_limit(const double *p, size_t n, double q, double *sorted);

/* The value below which half of the weight lies. values, weights: of n, sorted together by the call.
 * NAN: there is none. */
double rs_weighted_median(double *values, double *weights, size_t n);

double rs_median(double *values, size_t n); /* values: sorted by the call */

#endif
