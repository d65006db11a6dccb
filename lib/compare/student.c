/* SPDX-License-Identifier: MIT */
/*
 * This file computes Student's t by the incomplete beta function, and the derivatives of the
 * logarithm of the gamma function.
 */
#include "compare/student.h"

#include <float.h>
#include <math.h>

#define MOST_STEPS 500
/* for more degrees of freedom, use the normal distribution, which is as exact */
#define MOST_DF 1e6

/* Compute the continued fraction of the incomplete beta function by Lentz's method: NIST Digital
 * Library of Mathematical Functions (DLMF), 8.17.22 and 3.10. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	double value = d;
	for (int m = 1; m <= MOST_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = {even, odd};
		double factor = 1;
		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			c = 1 + terms[i] / c;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			factor = c * d;
			value *= factor;
		}
		if (fabs(factor - 1) < 4 * DBL_EPSILON)
			break;
	}
	return value;
}

/* Compute the regularized incomplete beta function: DLMF 8.17. rest is exactly 1 - x. */
static double incomplete_beta(double a, double b, double x, double rest)
{
	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, rest) / b;
}

double rs_student_p(double t, double df)
{
	if (!(df < MOST_DF))
		return erfc(fabs(t) / M_SQRT2);
	double whole = df + t * t;
	return incomplete_beta(df / 2, 0.5, df / whole, t * t / whole);
}

double rs_student_quantile(double p, double df)
{
	double low = 0, high = 1;
	while (rs_student_p(high, df) > p && high < 1e30)
		high *= 2;
	for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;
		if (rs_student_p(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Both functions use the recurrence until x is at least 6, and then the asymptotic series: DLMF
 * 5.11.2 and its derivative. */
double rs_digamma(double x)
{
	double sum = 0;
	for (; x < 6; x++)
		sum -= 1 / x;
	double r = 1 / (x * x);
	return sum + log(x) - 1 / (2 * x) -
	       r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

double rs_trigamma(double x)
{
	double sum = 0;
	for (; x < 6; x++)
		sum += 1 / (x * x);
	double r = 1 / (x * x);
	return sum + 1 / x + r / 2 +
	       r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * 5.0 / 66))));
}

double rs_trigamma_inverse(double y)
{
	/* trigamma decreases, and is between 1/x and 1/x + 1/x^2. */
	double low = 1 / (y + 1), high = 1 / y + 1 / sqrt(y) + 1;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;
		if (rs_trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
