/* SPDX-License-Identifier: MIT */
/*
 * A density shows how a region's time is distributed over short and long calls. The calls are
 * divided into bins of a logarithmic axis, and the density contains the sum of the values in each
 * bin. Reports draw distributions from it.
 */
#ifndef RS_STATS_DENSITY_H
#define RS_STATS_DENSITY_H

#include "stats/value.h"

/* Number n of bins in each octave. An octave has the values from 2^k to below 2^(k+1). Bin b has
 * the values from 2^(b / n) to below 2^((b + 1) / n). */
#define RS_DENSITY_OCTAVE 4

struct rs_density {
	double sum; /* sum of all values; each value counts as the middle of its bucket */
	int first; /* index of the first bin with values */
	size_t n; /* number of bins; 0: there is no value above 0 */
	double *shares; /* for each bin, its share of the sum; the shares add up to 1 */
};

/* Make the density of a histogram, with `octave` bins in each octave. density->shares is in
 * arena. */
void rs_density_make(struct rs_density *density, const struct rs_histogram *histogram,
	double octave, struct rs_arena *arena);

/*
 * Estimate how much of each bin of `time` is off-CPU time. Return an array in arena with time->n
 * shares of time->sum; their sum is the share of all off-CPU time.
 *
 * The time of a call without a context switch equals its on-CPU time, so the call is in the same
 * bin of both densities. If a bin of `time` has a larger sum than the same bin of cpu_time, the
 * difference belongs to calls with a context switch. Divide the off-CPU time among the bins in
 * proportion to these differences.
 */
double *rs_density_off_cpu(
	const struct rs_density *time, const struct rs_density *cpu_time, struct rs_arena *arena);

/* Return how much of the time of all calls that took at least bound_ns is off-CPU time, as a share
 * from 0 to 1. off: the array from rs_density_off_cpu(). */
double rs_density_off_above(const struct rs_density *time, const double *off, double bound_ns);

#endif
