/* SPDX-License-Identifier: MIT */
/*
 * This header declares statistical functions that libm does not have.
 */
#ifndef RS_COMPARE_STUDENT_H
#define RS_COMPARE_STUDENT_H

/* Return the chance that a Student's t with df degrees of freedom is further from 0 than t, in
 * either direction. df is above 0; INFINITY gives the normal distribution. */
double rs_student_p(double t, double df);

/* Return the distance t from 0 that a Student's t exceeds, in either direction, with the chance
 * p. */
double rs_student_quantile(double p, double df);

/* Return the first or second derivative of the logarithm of the gamma function. x is above 0. */
double rs_digamma(double x);
double rs_trigamma(double x);

/* Return the x whose trigamma is y. y is above 0. */
double rs_trigamma_inverse(double y);

#endif
