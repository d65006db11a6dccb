/* SPDX-License-Identifier: MIT */
/*
 * Tails: octaves of time are added up from the longest on, until as many calls are together as are
 * wanted.
 */
#include "stats/tails.h"

#include <math.h>

/* Measured calls in a tail, and in the rest, of which an average is worth telling. */
#define LEAST_CALLS 10

static const double wanted_shares[RS_TAILS] = {0.1, 0.01};

/* Weights in the blocks before end: in those of the longest times. */
static uint64_t weights_before(const struct rs_merged_row *row, uint32_t end)
{
	uint64_t n = 0;
	for (uint32_t block = 0; block < end; block++)
		n += row->octaves[block].weights;
	return n;
}

/* About so many measured calls have so many weights. */
static double measured_of(const struct rs_merged_row *row, uint64_t weights)
{
	return (double)weights / (double)row->weights * (double)row->measured;
}

/* The end of the blocks whose share is nearest to what is wanted; 0: none is near enough. */
static uint32_t find_end(const struct rs_merged_row *row, double wanted)
{
	uint64_t all = weights_before(row, RS_BLOCKS);
	double nearest = 0.5 * log(10);
	uint32_t found = 0;
	for (uint32_t end = 1; end < RS_BLOCKS; end++) {
		uint64_t weights = weights_before(row, end);
		if (row->octaves[end - 1].weights == 0 || measured_of(row, weights) < LEAST_CALLS ||
			measured_of(row, all - weights) < LEAST_CALLS)
			continue;
		double distance = fabs(log((double)weights / (double)all / wanted));
		if (distance < nearest) {
			nearest = distance;
			found = end;
		}
	}
	return found;
}

static bool is_known(
	const struct rs_collection *collection, const struct rs_merged_row *row, uint32_t event)
{
	return !(row->unknown_sums >> event & 1) &&
	       row->groups[collection->quantity_group[1 + event]].counted == row->measured;
}

static void fill_event(struct rs_tail_event *event, const struct rs_merged_row *row, uint32_t e,
	uint32_t end, const struct rs_tail *tail)
{
	rs_u128 sum = 0, rest = 0;
	for (uint32_t block = 0; block < RS_BLOCKS; block++)
		*(block < end ? &sum : &rest) += row->octaves[block].sums[e];
	uint64_t others = weights_before(row, RS_BLOCKS) - tail->calls;
	event->is_known = true;
	event->total = (double)sum;
	event->avg = (double)sum / (double)tail->calls;
	event->ratio = event->avg / ((double)rest / (double)others);
}

bool rs_tails_find(struct rs_tail *tails, size_t *n, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_merged_row *row)
{
	*n = 0;
	/* of calls that the histogram lacks nothing is known */
	if (!row->octaves || row->weights == 0 || weights_before(row, RS_BLOCKS) != row->weights)
		return true;
	for (uint32_t t = 0; t < RS_TAILS; t++) {
		uint32_t end = find_end(row, wanted_shares[t]);
		if (end == 0)
			continue;
		struct rs_tail *tail = &tails[(*n)++];
		tail->calls = weights_before(row, end);
		tail->share = (double)tail->calls / (double)row->weights;
		tail->bound_ticks = rs_bucket_low(rs_block_first(end - 1));
		tail->events = rs_arena_array(arena, collection->n_events, sizeof(*tail->events));
		if (!tail->events)
			return false;
		for (uint32_t e = 0; e < collection->n_events; e++)
			if (is_known(collection, row, e))
				fill_event(&tail->events[e], row, e, end, tail);
	}
	return true;
}
