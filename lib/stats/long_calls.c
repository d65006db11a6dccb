/* SPDX-License-Identifier: MIT */
/*
 * The longest 2 % of a region's calls. It gets the distributions of time and on-CPU time. It
 * computes how much of the time these calls have, and whether most of that is off the CPU. That is
 * so where even as many calls with the most on-CPU time have less than a fifth of it on the CPU.
 */
#include "stats/long_calls.h"

#include <math.h>

#include "stats/histogram.h"

#define PART 0.02
#define MOST_ON_CPU 0.2

/* Time of the n longest calls, and so long each of them took at least. */
static double longest(const struct rs_histogram *histogram, double n, uint64_t *bound)
{
	double time = 0;
	for (size_t i = histogram->n; i-- > 0 && n > 0;) {
		const struct rs_bucket *bucket = &histogram->buckets[i];
		double middle = ((double)bucket->low + (double)bucket->high - 1) / 2;
		double taken = fmin((double)bucket->count, n);
		time += middle * taken;
		n -= taken;
		*bound = bucket->low;
	}
	return time;
}

void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time)
{
	double calls = (double)rs_histogram_count(&time->histogram);
	double n = fmax(floor(PART * calls), 1);
	uint64_t bound = 0, other = 0;
	double all = longest(&time->histogram, calls, &bound);
	double taken = longest(&time->histogram, n, &bound);
	*long_calls = (struct rs_long_calls){0};
	if (all <= 0)
		return;
	*long_calls = (struct rs_long_calls){
		.bound_ns = bound, .calls = n / calls, .time = taken / all};
	long_calls->is_off_cpu = cpu_time->status == RS_VALUE_OK && cpu_time->histogram.n > 0 &&
				 longest(&cpu_time->histogram, n, &other) < MOST_ON_CPU * taken;
}
