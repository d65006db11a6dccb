/* SPDX-License-Identifier: MIT */
/*
 * This file reads histograms and computes densities on a logarithmic axis.
 */
#include "stats/density.h"

#include <math.h>

static int bin_of(double value, double octave)
{
	return (int)floor(log2(value) * octave);
}

void rs_density_make(struct rs_density *density, const struct rs_histogram *histogram,
	double octave, struct rs_arena *arena)
{
	size_t from = 0, n = histogram->n;
	*density = (struct rs_density){0};
	while (from < n && rs_bucket_center(&histogram->buckets[from]) <= 0)
		from++;
	if (from == n)
		return;
	density->first = bin_of(rs_bucket_center(&histogram->buckets[from]), octave);
	size_t n_bins = (size_t)(bin_of(rs_bucket_center(&histogram->buckets[n - 1]), octave) -
				 density->first + 1);
	density->shares = rs_arena_array(arena, n_bins, sizeof(*density->shares));
	density->n = n_bins;
	for (size_t i = from; i < n; i++) {
		double middle = rs_bucket_center(&histogram->buckets[i]);
		double sum = middle * (double)histogram->buckets[i].count;
		density->shares[bin_of(middle, octave) - density->first] += sum;
		density->sum += sum;
	}
	for (size_t i = 0; i < density->n; i++)
		density->shares[i] /= density->sum;
}

double *rs_density_off_cpu(
	const struct rs_density *time, const struct rs_density *cpu_time, struct rs_arena *arena)
{
	double *off = rs_arena_array(arena, time->n, sizeof(*off)), excess = 0;
	double on = time->sum > 0 ? fmin(cpu_time->sum / time->sum, 1) : 1;
	for (size_t i = 0; i < time->n; i++) {
		long place = (long)time->first + (long)i - cpu_time->first;
		bool has_cpu = place >= 0 && place < (long)cpu_time->n;
		off[i] = fmax(time->shares[i] - (has_cpu ? on * cpu_time->shares[place] : 0), 0);
		excess += off[i];
	}
	for (size_t i = 0; excess > 0 && i < time->n; i++)
		off[i] = fmin(off[i] * (1 - on) / excess, time->shares[i]);
	return off;
}

double rs_density_off_above(const struct rs_density *time, const double *off, double bound_ns)
{
	double sum = 0, all = 0;
	int bin = bin_of(fmax(bound_ns, 1), RS_DENSITY_OCTAVE);
	for (size_t i = 0; i < time->n; i++) {
		if (time->first + (int)i < bin)
			continue;
		sum += off[i];
		all += time->shares[i];
	}
	return all > 0 ? fmin(sum / all, 1) : 0;
}
