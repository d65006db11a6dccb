/* SPDX-License-Identifier: MIT */
/*
 * Estimating how much a value differs between two sides of several runs: the ratio with an
 * interval. The input is the logarithm of the value in each run.
 */
#ifndef RS_COMPARE_ESTIMATE_H
#define RS_COMPARE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* The side of a run (0: old, 1: new), and its round. */
struct rs_compared_run {
	unsigned side;
	/* Runs with the same round belong together, one on each side. It is less than the count of
	 * runs. */
	unsigned round;
};

/* The runs in the order in which they were made. If is_paired is true, both sides ran in each
 * round, and only the differences within a round count. */
struct rs_design {
	const struct rs_compared_run *runs;
	size_t n_runs;
	bool is_paired;
};

/* The values of one side as measured, without logarithms. */
struct rs_level {
	double median, low, high; /* median with its 95 % interval */
	double error; /* standard error of the mean, relative to the mean, as perf stat prints it */
};

/* Return the level of values[n], which this sorts. n may be 0. */
struct rs_level rs_level_make(double *values, size_t n);

/* The statistics of one region from its own runs, before they are combined with those of other
 * regions. */
struct rs_sums {
	bool is_known; /* Enough runs have the value. */
	double location; /* the estimated logarithm of the ratio, a trimmed mean */
	double variance; /* variance of one pair or of one run */
	/* The variance that rs_estimate.p assumes is at least this. The caller sets it; the default
	 * is 0. */
	double least;
	double scale; /* variance * scale is the variance of location. */
	double df; /* degrees of freedom of variance */
	double spread; /* the largest difference between two halves of one side */
	double old, new; /* medians of the logarithms */
};

/* What the runs of all regions say about the variance of any one region. */
struct rs_prior {
	double variance;
	double df; /* degrees of freedom; 0 if nothing is known */
	double between; /* variance of `location` among regions that did not change */
	double between_df;
};

struct rs_estimate {
	bool is_known;
	double ratio, low, high; /* ratio with its 95 % interval */
	double log_ratio;
	double p; /* the chance of such a difference if the sides are equal */
	double spread; /* see struct rs_sums */
	struct rs_level old, new; /* values of the two sides as measured; the caller sets them */
	/* The value is constant within each side, so there is no p and no interval. */
	bool is_exact;
};

/*
 * Compute the statistics of one region. logs[design->n_runs] are natural logarithms, NAN for a run
 * without the value. The runs must be at least two on each side, or two pairs.
 *
 * The location is a trimmed mean: it cuts off the lowest and the highest fifth of the runs, so that
 * a few noisy runs do not change it. Its variance is estimated from winsorized values (Yuen, "The
 * two-sample trimmed t for unequal population variances", Biometrika 61, 1974).
 */
struct rs_sums rs_sums_make(const struct rs_design *design, const double *logs);

/*
 * Find the distribution of variances over the regions in sums[n]. Source: Smyth, "Linear models and
 * empirical Bayes methods for assessing differential expression", Statistical Applications in
 * Genetics and Molecular Biology 3, 2004, section 6.2.
 */
struct rs_prior rs_prior_find(const struct rs_sums *sums, size_t n);

/*
 * Regions that did not change still differ by more than the spread of their runs, because each
 * reacts differently to the machine. Set prior->between so that the median t of these regions
 * equals the median of Student's t. This is an empirical null as in Efron, "Large-scale
 * simultaneous hypothesis testing: the choice of a null hypothesis", 2004. is_control[n] marks
 * these regions. room[n] is working memory.
 */
void rs_prior_find_between(struct rs_prior *prior, const struct rs_sums *sums,
	const bool *is_control, size_t n, double *room);

/* Estimate the ratio. Combine the region's variance with the variance of the prior (Smyth, section
 * 3). */
struct rs_estimate rs_estimate_make(const struct rs_sums *sums, const struct rs_prior *prior);

/*
 * Decide which of n differences to show, so that at most the share q of them is chance: Benjamini
 * and Hochberg, "Controlling the false discovery rate", 1995. Elements of p that are NAN are
 * ignored. Return the largest p that is shown, or -1 if none is. sorted[n] is memory to sort in.
 */
double rs_false_discovery_limit(const double *p, size_t n, double q, double *sorted);

/* Return the weighted median: the first value in ascending order at which the added weights reach
 * half of their sum. Return NAN if n is 0 or memory runs out. */
double rs_weighted_median(double *values, double *weights, size_t n);

double rs_median(double *values, size_t n); /* Return the median of values, which this sorts. */

#endif
