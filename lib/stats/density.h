/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a region is, by the length of its calls: the sum of values in bins of a
 * logarithmic axis. Drawings of distributions use it.
 */
#ifndef RS_STATS_DENSITY_H
#define RS_STATS_DENSITY_H

#include "stats/value.h"

/* Bins of an octave. Bin b has values from 2^(b / n) to below 2^((b + 1) / n). */
#define RS_DENSITY_OCTAVE 4

struct rs_density {
	double sum; /* sum of all values; a value is the middle of its bucket */
	int first; /* first bin with values */
	size_t n; /* number of bins; 0: there is no value above 0 */
	double *shares; /* share of the sum in each bin; they add up to 1 */
};

/* Make the density of a histogram, with `octave` bins in each octave. shares lie in arena. */
void rs_density_make(struct rs_density *density, const struct rs_histogram *histogram,
	double octave, struct rs_arena *arena);

/*
 * Estimate which part of each bin of `time` is off-CPU time. Return the parts, as shares of the sum
 * of time, in arena; they add up to the off-CPU share of the sum.
 *
 * A call without a context switch has equal time and on-CPU time, so both densities have it in the
 * same bin. What time has more in a bin is of calls with a switch. The off-CPU time is divided
 * among the bins in proportion to that.
 */
double *rs_density_off_cpu(
	const struct rs_density *time, const struct rs_density *cpu_time, struct rs_arena *arena);

/* Return the off-CPU share, 0 to 1, of the time of calls that took at least bound_ns. off: what
 * rs_density_off_cpu() returned. */
double rs_density_off_above(const struct rs_density *time, const double *off, double bound_ns);

#endif
