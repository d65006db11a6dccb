/* SPDX-License-Identifier: MIT */
/*
 * This file estimates the ratio of two sides from the logarithm of a value in each run.
 */
#include "compare/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/student.h"

#define TRIM 0.2
#define BISECTIONS 40
#define LEVEL 0.05 /* intervals have a confidence of 95 % */
#define LEAST_REGIONS 5u /* If there are fewer regions, the distribution of variances is unknown. */
#define MOST_PRIOR_DF 50.0
#define LEAST_RELATIVE_VARIANCE 1e-12 /* relative variance that is due to the rounding of counts */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double rs_median(double *values, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct trimmed {
	size_t kept;
	double mean;
	double squares; /* sum of squares of the winsorized values around their mean */
};

/* Sort values[n], and compute their trimmed mean and the winsorized sum of squares. */
static struct trimmed trim(double *values, size_t n)
{
	struct trimmed trimmed = {.mean = NAN};
	size_t cut = (size_t)(TRIM * (double)n);
	double sum = 0, mean = 0;
	if (n == 0)
		return trimmed;
	qsort(values, n, sizeof(*values), compare_doubles);
	trimmed.kept = n - 2 * cut;
	for (size_t i = cut; i < n - cut; i++)
		sum += values[i];
	trimmed.mean = sum / (double)trimmed.kept;
	for (size_t i = 0; i < n; i++)
		values[i] = fmin(fmax(values[i], values[cut]), values[n - cut - 1]);
	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		trimmed.squares += (values[i] - mean) * (values[i] - mean);
	return trimmed;
}

/* ---- one side ---- */

/* Fill values with the values of one side, in the order of the runs. Return how many values there
 * are. */
static size_t take_side(
	const struct rs_design *design, const double *logs, unsigned side, double *values)
{
	size_t n = 0;
	for (size_t i = 0; i < design->n_runs; i++)
		if (design->runs[i].side == side && !isnan(logs[i]))
			values[n++] = logs[i];
	return n;
}

/* Return the distance between the trimmed means of two halves of the values. The halves are the
 * first and the second half, or, if is_every_other is true, the values at even and at odd
 * indexes. */
static double half_difference(const double *values, size_t n, bool is_every_other, double *room)
{
	size_t n_first = 0, n_second = 0;
	double *second = room + n;
	for (size_t i = 0; i < n; i++)
		if (is_every_other ? i % 2 == 0 : i < n / 2)
			room[n_first++] = values[i];
		else
			second[n_second++] = values[i];
	double difference = trim(room, n_first).mean - trim(second, n_second).mean;
	return isnan(difference) ? 0 : fabs(difference);
}

static double spread_of(const double *values, size_t n, double *room)
{
	return fmax(
		half_difference(values, n, false, room), half_difference(values, n, true, room));
}

/* Return how many of n sorted values are below the 95 % interval of their median; as many are above
 * it. The result is the largest i for which the probability of fewer than i heads in n coin tosses
 * is at most 2.5 %. */
static size_t outside_interval(size_t n)
{
	double below = 0;
	for (size_t i = 0; i < n / 2; i++) {
		below += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			     lgamma((double)(n - i) + 1) - (double)n * M_LN2);
		if (below > LEVEL / 2)
			return i;
	}
	return n > 0 ? (n - 1) / 2 : 0;
}

struct rs_level rs_level_make(double *values, size_t n)
{
	struct rs_level level = {NAN, NAN, NAN, NAN};
	double mean = 0, squares = 0;
	if (n == 0)
		return level;
	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	level.median = rs_median(values, n);
	level.low = values[outside_interval(n)];
	level.high = values[n - 1 - outside_interval(n)];
	if (n > 1)
		level.error = squares > 0 ? sqrt(squares / (double)(n - 1) / (double)n) / mean : 0;
	return level;
}

/* ---- both sides ---- */

/* Fill values with the differences between the sides in each round in which both have a value.
 * values has twice as many elements as there are runs. Return how many differences there are. */
static size_t take_pairs(const struct rs_design *design, const double *logs, double *values)
{
	double *old = values + design->n_runs; /* the old side's value of each round */
	size_t n = 0;
	for (size_t i = 0; i < design->n_runs; i++)
		old[i] = NAN;
	for (size_t i = 0; i < design->n_runs; i++)
		if (design->runs[i].side == 0)
			old[design->runs[i].round] = logs[i];
	for (size_t i = 0; i < design->n_runs; i++)
		if (design->runs[i].side == 1 && !isnan(logs[i] - old[design->runs[i].round]))
			values[n++] = logs[i] - old[design->runs[i].round];
	return n;
}

static void set_paired(struct rs_sums *sums, double *pairs, size_t n)
{
	struct trimmed trimmed = trim(pairs, n);
	if (trimmed.kept < 2)
		return;
	sums->is_known = true;
	sums->location = trimmed.mean;
	sums->df = (double)(trimmed.kept - 1);
	sums->variance = trimmed.squares / sums->df;
	sums->scale = 1 / (double)trimmed.kept;
}

static void set_apart(struct rs_sums *sums, double *old, size_t n_old, double *new, size_t n_new)
{
	struct trimmed a = trim(old, n_old), b = trim(new, n_new);
	if (a.kept < 2 || b.kept < 2)
		return;
	sums->is_known = true;
	sums->location = b.mean - a.mean;
	sums->df = (double)(a.kept + b.kept - 2);
	sums->variance = (a.squares + b.squares) / sums->df;
	sums->scale = 1 / (double)a.kept + 1 / (double)b.kept;
}

struct rs_sums rs_sums_make(const struct rs_design *design, const double *logs, double *room)
{
	struct rs_sums sums = {.location = NAN};
	double *old = room, *new = old + design->n_runs, *pairs = new + design->n_runs;
	size_t n_old = take_side(design, logs, 0, old), n_new = take_side(design, logs, 1, new);
	sums.spread = fmax(spread_of(old, n_old, pairs), spread_of(new, n_new, pairs));
	if (design->is_paired)
		set_paired(&sums, pairs, take_pairs(design, logs, pairs));
	else
		set_apart(&sums, memcpy(pairs, old, n_old * sizeof(*old)), n_old,
			memcpy(pairs + n_old, new, n_new * sizeof(*new)), n_new);
	sums.old = rs_median(old, n_old);
	sums.new = rs_median(new, n_new);
	return sums;
}

struct rs_prior rs_prior_find(const struct rs_sums *sums, const bool *is_used, size_t n)
{
	double mean = 0, square = 0, expected = 0;
	size_t n_used = 0;
	for (size_t i = 0; i < n; i++)
		if (is_used[i] && sums[i].is_known && sums[i].variance > LEAST_RELATIVE_VARIANCE) {
			double half = sums[i].df / 2;
			double e = log(sums[i].variance) - rs_digamma(half) + log(half);
			double before = mean;
			n_used++;
			mean += (e - mean) / (double)n_used;
			square += (e - before) * (e - mean);
			expected += rs_trigamma(half);
		}
	if (n_used < LEAST_REGIONS)
		return (struct rs_prior){0};
	double more = square / (double)(n_used - 1) - expected / (double)n_used;
	double df = more > 0 ? fmin(2 * rs_trigamma_inverse(more), MOST_PRIOR_DF) : MOST_PRIOR_DF;
	return (struct rs_prior){exp(mean + rs_digamma(df / 2) - log(df / 2)), df, 0};
}

/* Return the standard error of a location. Use at least the variance `least`. Set df to the degrees
 * of freedom of the sum of two variances: the region's own and that between regions. Source:
 * Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics
 * Bulletin 2, 1946. */
static double error_of(
	const struct rs_sums *sums, const struct rs_prior *prior, double least, double *df)
{
	double own_df = sums->df + prior->df;
	double variance = (sums->df * sums->variance + prior->df * prior->variance) / own_df;
	double own = fmax(variance, fmax(least, LEAST_RELATIVE_VARIANCE)) * sums->scale,
	       all = own + prior->between;
	*df = own_df;
	if (prior->between > 0)
		*df = all * all /
		      (own * own / own_df + prior->between * prior->between / prior->between_df);
	return sqrt(all);
}

/* For each region of the control group, divide |location| by its standard error. Return the median
 * of these values. Set students to the median of |t| in Student's distribution. */
static double usual_t(const struct rs_prior *prior, const struct rs_sums *sums,
	const bool *is_control, size_t n, double *room, double *students)
{
	size_t n_used = 0;
	double df = 1;
	for (size_t i = 0; i < n; i++)
		if (is_control[i] && sums[i].is_known)
			room[n_used++] = fabs(sums[i].location) / error_of(&sums[i], prior, 0, &df);
	*students = rs_student_quantile(0.5, df);
	return n_used >= LEAST_REGIONS ? rs_median(room, n_used) : 0;
}

void rs_prior_find_between(struct rs_prior *prior, const struct rs_sums *sums,
	const bool *is_control, size_t n, double *room)
{
	double low = 0, high = 1, students;
	prior->between = prior->between_df = 0;
	for (size_t i = 0; i < n; i++)
		prior->between_df += is_control[i] && sums[i].is_known;
	if (usual_t(prior, sums, is_control, n, room, &students) <= students)
		return;
	for (int i = 0; i < BISECTIONS; i++) {
		prior->between = (low + high) / 2;
		if (usual_t(prior, sums, is_control, n, room, &students) > students)
			low = prior->between;
		else
			high = prior->between;
	}
}

struct rs_estimate rs_estimate_make(const struct rs_sums *sums, const struct rs_prior *prior)
{
	struct rs_estimate estimate = {.is_known = sums->is_known,
		.ratio = exp(sums->new - sums->old),
		.low = NAN,
		.high = NAN,
		.log_ratio = sums->new - sums->old,
		.p = NAN,
		.spread = sums->spread};
	if (!sums->is_known)
		return estimate;
	double df, error = error_of(sums, prior, 0, &df);
	double reach = rs_student_quantile(LEVEL, df) * error;
	estimate.log_ratio = sums->location;
	estimate.ratio = exp(sums->location);
	estimate.low = exp(sums->location - reach);
	estimate.high = exp(sums->location + reach);
	/* The region's own variance may be small by chance. Therefore assume at least sums->least,
	 * and do not let the variance between regions add degrees of freedom. Both rules change a
	 * small p, but hardly change the interval. */
	error = error_of(sums, prior, sums->least, &df);
	estimate.p = rs_student_p(sums->location / error, sums->df + prior->df);
	return estimate;
}

double rs_false_discovery_limit(const double *p, size_t n, double q, double *sorted)
{
	size_t n_known = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			sorted[n_known++] = p[i];
	qsort(sorted, n_known, sizeof(*sorted), compare_doubles);
	for (size_t i = n_known; i > 0; i--)
		if (sorted[i - 1] <= q * (double)i / (double)n_known)
			return sorted[i - 1];
	return -1;
}

static int compare_weighted(const void *a, const void *b)
{
	return compare_doubles(
		&((const struct rs_weighted *)a)->value, &((const struct rs_weighted *)b)->value);
}

double rs_weighted_median(struct rs_weighted *values, size_t n)
{
	double whole = 0, below = 0;
	for (size_t i = 0; i < n; i++)
		whole += values[i].weight;
	qsort(values, n, sizeof(*values), compare_weighted);
	for (size_t i = 0; i < n; i++) {
		below += values[i].weight;
		if (2 * below >= whole)
			return values[i].value;
	}
	return NAN;
}
