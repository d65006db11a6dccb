/* SPDX-License-Identifier: MIT */
/*
 * This file subtracts values: see difference.h.
 */
#include "stats/difference.h"

#include <math.h>

/* Return the sum of squared deviations of the added values (T. Chan, G. Golub, R. LeVeque, 1983,
 * formula 2.1, solved for the second sample). */
static double added_square(
	const struct rs_value *added, const struct rs_value *before, const struct rs_value *now)
{
	double n = (double)added->weight, m = (double)before->weight;
	if (n <= 0 || m <= 0)
		return n > 0 ? now->square : 0;
	double distance = (double)added->sum / n - (double)before->sum / m;
	return fmax(now->square - before->square - distance * distance * n * m / (n + m), 0);
}

/* Remove up to n calls from a bucket. If it has fewer calls, return how many are missing; otherwise
 * 0. */
static uint64_t take(struct rs_bucket *bucket, uint64_t n)
{
	uint64_t taken = n < bucket->count ? n : bucket->count;
	bucket->count -= taken;
	return n - taken;
}

/* The later of two collections knows the length of a tick and the overhead better, so the value of
 * a call can differ between them. Return by how much a value `low` can differ. */
static uint64_t reach_of(uint64_t low)
{
	return low / 64 > 8 ? low / 64 : 8;
}

static size_t compact(struct rs_bucket *buckets, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (buckets[i].count > 0)
			buckets[kept++] = buckets[i];
	return kept;
}

/*
 * Subtract a histogram. A later collection knows the length of a tick better, so it can put a call
 * into another bucket nearby. Then the difference of the new bucket is too large, and the
 * difference of the old bucket is negative. Remove the surplus from a bucket nearby if possible,
 * otherwise from any other bucket.
 */
static void subtract_histogram(struct rs_histogram *added, const struct rs_histogram *before,
	const struct rs_histogram *now, struct rs_arena *arena)
{
	uint64_t missing = 0;
	size_t b = 0, i = 0, n = 0;
	struct rs_bucket *buckets = rs_arena_array(arena, now->n + 1, sizeof(*buckets));
	while (b < before->n || i < now->n) {
		const struct rs_bucket *old = b < before->n ? &before->buckets[b] : NULL;
		const struct rs_bucket *new = i < now->n ? &now->buckets[i] : NULL;
		uint64_t low = new && (!old || new->low <= old->low) ? new->low : old->low;
		struct rs_bucket own = {.low = low, .count = 0};
		uint64_t had = 0;
		if (new &&new->low == low)
			own = now->buckets[i++];
		if (old && old->low == low)
			had = before->buckets[b++].count;
		had = take(&own, had);
		for (size_t k = n; k-- > 0 && had > 0 && low - buckets[k].low <= reach_of(low);)
			had = take(&buckets[k], had);
		missing = take(&own, missing + had);
		if (own.count > 0)
			buckets[n++] = own;
	}
	for (size_t k = n; k-- > 0 && missing > 0;)
		missing = take(&buckets[k], missing);
	n = compact(buckets, n);
	*added = (struct rs_histogram){.buckets = buckets, .n = n, .incomplete = now->incomplete};
}

/* Set min to the middle of the lowest bucket. If it is also the lowest bucket of the whole run, use
 * the run's exact min. Set max from the highest bucket in the same way. */
static void set_extremes(struct rs_value *added, const struct rs_value *now)
{
	const struct rs_histogram *own = &added->histogram, *all = &now->histogram;
	if (own->n == 0) {
		added->weight = 0; /* the added calls have no known distribution */
		return;
	}
	const struct rs_bucket *first = &own->buckets[0], *last = &own->buckets[own->n - 1];
	bool is_max = last->low == all->buckets[all->n - 1].low;
	added->min = first->low == all->buckets[0].low ? now->min : rs_bucket_middle(first);
	added->max = is_max ? now->max : rs_bucket_middle(last);
	if (added->max < added->min && is_max)
		added->min = added->max;
	else if (added->max < added->min)
		added->max = added->min;
}

void rs_value_subtract(struct rs_value *part, struct rs_value *sum, const struct rs_value *now,
	bool is_last, struct rs_arena *arena)
{
	const struct rs_value before = *sum;
	*part = *now;
	part->limit = NULL;
	part->counted = rs_advance(&sum->counted, now->counted, is_last);
	part->weight = rs_advance(&sum->weight, now->weight, is_last);
	part->sum = rs_advance(&sum->sum, now->sum, is_last);
	part->total = rs_advance(&sum->total, now->total, is_last);
	part->calls = rs_advance(&sum->calls, now->calls, is_last);
	part->enabled_ns = rs_advance(&sum->enabled_ns, now->enabled_ns, is_last);
	part->running_ns = rs_advance(&sum->running_ns, now->running_ns, is_last);
	part->variance = isnan(now->variance) ? NAN : fmax(now->variance - before.variance, 0);
	part->square = added_square(part, &before, now);
	sum->variance = now->variance;
	subtract_histogram(&part->histogram, &before.histogram, &now->histogram, arena);
	set_extremes(part, now);
}
