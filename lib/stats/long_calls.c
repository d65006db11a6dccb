/* SPDX-License-Identifier: MIT */
/*
 * This file finds the longest 2 % of a region's calls from the histograms of time and on-CPU time.
 * If far fewer calls take nearly as much time, it finds only those. It computes their share of the
 * region's time, and whether most of their time is off the CPU. Histograms do not show how much
 * on-CPU time the long calls had. So this file computes an upper bound: if there are n long calls,
 * it adds up the on-CPU times of the n calls with the most on-CPU time. If the bound is below a
 * fifth of the long calls' time, the long calls were mostly off the CPU.
 */
#include "stats/builder.h"

#include <math.h>

#include "stats/histogram.h"

#define PART 0.02
#define NEARLY 0.95
#define MOST_ON_CPU 0.2

/* Return the total time of the n longest calls, and set *bound to the shortest time of these calls.
 * *bound is exact within 1 %, as the bounds of buckets are. */
static double longest(const struct rs_value *value, double n, uint64_t *bound)
{
	double time = 0;
	for (size_t i = value->histogram.n; i-- > 0 && n > 0;) {
		const struct rs_bucket *bucket = &value->histogram.buckets[i];
		double taken = fmin((double)bucket->count, n);
		time += fmin(rs_bucket_center(bucket), (double)value->max) * taken;
		n -= taken;
		*bound = bucket->low < value->max ? bucket->low : value->max;
	}
	return time;
}

void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time)
{
	double calls = (double)rs_histogram_count(&time->histogram);
	double n = fmax(floor(PART * calls), 1);
	uint64_t bound = 0, other = 0;
	double all = longest(time, calls, &bound);
	double taken = longest(time, n, &bound), of_part = taken;
	*long_calls = (struct rs_long_calls){0};
	if (all <= 0)
		return;
	for (double fewer = n; fewer > 1;) {
		fewer = fmax(floor(fewer / 10), 1);
		double of_fewer = longest(time, fewer, &other);
		if (of_fewer < NEARLY * of_part)
			break;
		n = fewer;
		taken = of_fewer;
		bound = other;
	}
	*long_calls = (struct rs_long_calls){.bound_ns = bound,
		.calls = n / calls,
		.time = taken / all,
		.time_of_part = of_part / all};
	long_calls->is_off_cpu = cpu_time->status == RS_VALUE_OK && cpu_time->histogram.n > 0 &&
				 longest(cpu_time, n, &other) < MOST_ON_CPU * taken;
}
