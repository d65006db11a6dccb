/* SPDX-License-Identifier: MIT */
/*
 * These functions estimate the ratio of a value between two sides, each of which consists of
 * several runs. The result has a confidence interval. The input is the logarithm of the value in
 * each run.
 */
#ifndef RS_COMPARE_ESTIMATE_H
#define RS_COMPARE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* The side of a run (0: old, 1: new), and its round. */
struct rs_compared_run {
	unsigned side;
	/* Runs with the same round belong together, one on each side. The number of a round is less
	 * than the count of runs. */
	unsigned round;
};

/* The runs in the order in which they were made. If is_paired is true, both sides ran in each
 * round, and only the differences within a round count. */
struct rs_design {
	const struct rs_compared_run *runs;
	size_t n_runs;
	bool is_paired;
};

/* The median and the error of a value over the runs of one side. The values are not logarithms. */
struct rs_level {
	double median, low, high; /* median with its 95 % interval */
	double error; /* standard error of the mean, relative to the mean, as perf stat prints it */
};

/* Return the level of values[n], which this sorts. n may be 0. */
struct rs_level rs_level_make(double *values, size_t n);

/* The statistics of one region from its own runs, before they are combined with those of other
 * regions. */
struct rs_sums {
	bool is_known; /* enough runs have the value to compute the other members */
	double location; /* estimate of the logarithm of the ratio: a trimmed mean */
	/* estimated variance of a single pair, or of a single run if runs are not paired */
	double variance;
	/* Lower limit of the variance from which rs_estimate.p is computed. The caller sets it; the
	 * default is 0. */
	double least;
	double scale; /* variance * scale is the variance of location. */
	double df; /* degrees of freedom of variance */
	/* largest difference between the trimmed means of two halves of the runs of one side */
	double spread;
	double old, new; /* medians of the logarithms on each side */
};

/* The distribution of variances over all regions. It improves the estimated variance of each single
 * region. */
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
	double p; /* probability of a difference at least as large if both sides are equal */
	double spread; /* rs_sums.spread */
	struct rs_level old, new; /* medians of the two sides; the caller sets them */
	/* The value is constant within each side, so there is no p and no interval. */
	bool is_exact;
};

#define RS_SUMS_ROOM 5u

/*
 * Compute the statistics of one region. logs[design->n_runs] are natural logarithms, NAN for a run
 * without the value. At least two runs on each side, or two pairs, must have it; otherwise is_known
 * is false.
 *
 * The location is a trimmed mean: it ignores the lowest and the highest fifth of the runs, so that
 * a few noisy runs do not change it. Its variance is estimated from winsorized values (Yuen, "The
 * two-sample trimmed t for unequal population variances", Biometrika 61, 1974).
 * room: scratch memory, RS_SUMS_ROOM elements for each run.
 */
struct rs_sums rs_sums_make(const struct rs_design *design, const double *logs, double *room);

/*
 * Find the distribution of variances over the regions in sums[n] for which is_used is true. Source:
 * Smyth, "Linear models and empirical Bayes methods for assessing differential expression",
 * Statistical Applications in Genetics and Molecular Biology 3, 2004, section 6.2.
 */
struct rs_prior rs_prior_find(const struct rs_sums *sums, const bool *is_used, size_t n);

/*
 * Set prior->between so that the median t of regions that did not change equals the median of
 * Student's t. Even these regions differ by more than the spread of their runs, because the machine
 * affects each region differently. Source of this empirical null: Efron, "Large-scale simultaneous
 * hypothesis testing: the choice of a null hypothesis", 2004. is_control[n] marks the regions that
 * did not change. room[n] is scratch memory.
 */
void rs_prior_find_between(struct rs_prior *prior, const struct rs_sums *sums,
	const bool *is_control, size_t n, double *room);

/* Estimate the ratio. Combine the region's variance with the variance of the prior (Smyth, section
 * 3). */
struct rs_estimate rs_estimate_make(const struct rs_sums *sums, const struct rs_prior *prior);

/*
 * Return a limit: a difference is to be shown if its probability p[i] is at most this limit. The
 * limit is one of p[n], or -1 if no difference is to be shown. p[i] is NAN for a difference to
 * ignore. At most the share q of the shown differences is expected to be chance: Benjamini and
 * Hochberg, "Controlling the false discovery rate", 1995. sorted[n] is scratch memory.
 */
double rs_false_discovery_limit(const double *p, size_t n, double q, double *sorted);

struct rs_weighted {
	double value, weight;
};

/* Return the weighted median: the first value in ascending order at which the added weights reach
 * half of their sum. Return NAN if n is 0. The function sorts values. */
double rs_weighted_median(struct rs_weighted *values, size_t n);

double rs_median(double *values, size_t n); /* Return the median of values, which this sorts. */

#endif
