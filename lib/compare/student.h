/* SPDX-License-Identifier: MIT */
/*
 * Functions of statistics that libm does not have.
 */
#ifndef RS_COMPARE_STUDENT_H
#define RS_COMPARE_STUDENT_H

#include <stddef.h>

/* The chance that Student's t of df degrees of freedom is further from 0 than t, on either side. df: above
 * 0, INFINITY for the normal distribution. */
double rs_student_p(double t, double df);

/* The t that is exceeded, on either side, with the chance p. */
double rs_student_quantile(double p, double df);

/* The first and second derivative of the logarithm of the gamma function; x: above 0. */
double rs_digamma(double x);
double rs_trigamma(double x);

/* The x whose trigamma is y; y: above 0. */
double rs_trigamma_inverse(double y);

#endif
