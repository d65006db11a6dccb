/* SPDX-License-Identifier: MIT */
/*
 * Tests of statistical functions. Values of tables come from Abramowitz and Stegun, "Handbook of
 * Mathematical Functions", tables 26.10 (Student's t) and 6.1 (digamma, trigamma). The expected
 * value of false_discoveries comes from R's p.adjust().
 */
#include <criterion/criterion.h>

#include <math.h>

#include "compare/estimate.h"
#include "compare/student.h"

Test(student, quantiles_of_t)
{
	cr_expect_float_eq(rs_student_quantile(0.05, 1), 12.7062, 1e-4);
	cr_expect_float_eq(rs_student_quantile(0.05, 5), 2.57058, 1e-5);
	cr_expect_float_eq(rs_student_quantile(0.001, 9), 4.78091, 1e-5);
	cr_expect_float_eq(rs_student_quantile(0.05, 120), 1.97993, 1e-5);
	cr_expect_float_eq(rs_student_quantile(0.05, INFINITY), 1.95996, 1e-5);
}

Test(student, chances_of_t)
{
	/* of 1 and 2 degrees of freedom there are closed forms */
	for (double t = 0.01; t < 1e6; t *= 3) {
		cr_expect_float_eq(rs_student_p(t, 1) / (2 / M_PI * atan(1 / t)), 1, 1e-9, "%g", t);
		double rest = 2 / (t * t + 2 + t * sqrt(t * t + 2));
		cr_expect_float_eq(rs_student_p(t, 2) / rest, 1, 1e-9, "%g", t);
	}
	cr_expect_float_eq(rs_student_p(0, 7), 1, 1e-12);
	cr_expect_float_eq(rs_student_p(-3, 7), rs_student_p(3, 7), 1e-15);
}

Test(student, derivatives_of_log_gamma)
{
	cr_expect_float_eq(rs_digamma(1), -0.5772156649, 1e-9);
	cr_expect_float_eq(rs_digamma(0.5), -0.5772156649 - 2 * M_LN2, 1e-9);
	cr_expect_float_eq(rs_trigamma(1), M_PI * M_PI / 6, 1e-8);
	cr_expect_float_eq(rs_trigamma(0.5), M_PI * M_PI / 2, 1e-8);
	for (double y = 1e-4; y < 1e6; y *= 7)
		cr_expect_float_eq(rs_trigamma(rs_trigamma_inverse(y)) / y, 1, 1e-6);
}

Test(student, medians)
{
	double values[] = {5, 1, 9, 3}, odd[] = {3, 1, 2};
	cr_expect_eq(rs_median(values, 4), 4);
	cr_expect_eq(rs_median(odd, 3), 2);
	cr_expect(isnan(rs_median(odd, 0)));
	struct rs_weighted weighted[] = {{5, 1}, {1, 1}, {9, 10}, {3, 1}};
	cr_expect_eq(rs_weighted_median(weighted, 4), 9);
}

Test(student, false_discoveries)
{
	/* 0.01 * 5/5, 0.02 * 5/4 and 0.03 * 5/3 are at most 0.05; 0.06 and 0.5 are not */
	double p[] = {0.5, 0.02, 0.01, 0.03, NAN, 0.06}, room[6];
	cr_expect_eq(rs_false_discovery_limit(p, 6, 0.05, room), 0.03);
	cr_expect_eq(rs_false_discovery_limit(p, 6, 0.001, room), -1);
}

/* Two pairs more or less agree by chance, beside regions that differ by more. Student's t with so
 * few degrees of freedom gives 0.002 at this distance. */
Test(estimate, a_small_variance_is_no_surer_beside_differences_between_regions)
{
	const struct rs_sums sums = {.is_known = true,
		.location = -0.1647,
		.variance = 0.0213 * 0.0213,
		.scale = 1.0 / 3,
		.df = 2};
	const struct rs_prior prior = {0.0225 * 0.0225, 1.18, 0.0121 * 0.0121, 100};
	cr_expect_geq(rs_estimate_make(&sums, &prior).p, 0.001);
}
