/* SPDX-License-Identifier: MIT */
/*
 * This file computes the share of each region's self value in a whole. For time, the whole is the
 * sum of the lifetimes of all threads that marked. For an event, it is the count of the run. The
 * shares are thousandths. Together with the share outside of all regions and that of overhead, they
 * add up to 1000. Each share is first rounded down. The missing thousandths are then added to the
 * shares that lost most by rounding (the largest remainder method).
 */
#include "stats/builder.h"

#include <math.h>
#include <stdlib.h>

#include "stats/wide.h"

/* A value that gets a share. */
struct part {
	uint64_t value;
	rs_u128 remainder; /* remainder of value * 1000 / whole */
	uint32_t *thousandths;
};

static int compare_remainders(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int order = (b->remainder > a->remainder) - (b->remainder < a->remainder);
	/* keep the order of the array for equal remainders, since qsort() is not stable */
	return order ? order
		     : (a->thousandths > b->thousandths) - (a->thousandths < b->thousandths);
}

/* Compute the shares of the parts. whole is the sum of their values, above 0. */
static void share_out(struct part *parts, size_t n, rs_u128 whole)
{
	uint32_t left = 1000;
	for (size_t i = 0; i < n; i++) {
		rs_u128 product = (rs_u128)parts[i].value * 1000;
		*parts[i].thousandths = (uint32_t)(product / whole);
		parts[i].remainder = product % whole;
		left -= *parts[i].thousandths;
	}
	qsort(parts, n, sizeof(*parts), compare_remainders);
	for (size_t i = 0; i < n && left > 0; i++, left--)
		++*parts[i].thousandths;
}

/* Return true if the region has a self value that is a part of the column's whole. */
static bool has_part(const struct rs_summary_region *region, size_t column)
{
	return !region->is_apart && rs_value_has_total(&region->values[column]);
}

/* Return the whole of a column's self values, or 0 if it is unknown. */
static uint64_t whole_of(const struct rs_summary *summary, size_t column)
{
	const struct rs_summary_whole *times = &summary->whole;
	if (column == RS_EVENT_TIME)
		return times->lifetimes_ns;
	if (column < RS_EVENT_FIRST && !times->has_cpu)
		return 0;
	if (column < RS_EVENT_FIRST)
		return column == RS_EVENT_CPU_TIME ? times->cpu_ns
						   : times->off_ns[column - RS_EVENT_BLOCKED];
	const struct rs_value *run = &summary->total.values[column];
	return rs_value_has_total(run) ? run->total : 0;
}

/* Compute the shares of a column. parts[n_merged + 2]: scratch memory. */
static void make_shares(
	struct rs_summary *summary, struct rs_arena *arena, size_t column, struct part *parts)
{
	struct rs_shares *shares = &summary->shares[column];
	uint64_t whole = shares->whole = whole_of(summary, column);
	rs_u128 selves = 0;
	size_t n = 0, n_unknown = 0;
	shares->thousandths = rs_arena_array(
		arena, summary->n_merged, sizeof(*shares->thousandths));
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		shares->thousandths[i] = RS_NO_SHARE;
		n_unknown += !region->is_apart && !has_part(region, column);
		if (!has_part(region, column))
			continue;
		parts[n++] = (struct part){.value = rs_value_self(&region->values[column]),
			.thousandths = &shares->thousandths[i]};
		selves += rs_value_self(&region->values[column]);
	}
	shares->outside = shares->overhead = RS_NO_SHARE;
	/* estimates may exceed the whole, and only the run may count the event; then the share
	 * outside of all regions is unknown */
	if (whole > 0 && selves <= whole && (n > 0 || n_unknown == 0)) {
		uint64_t rest = whole - (uint64_t)selves, overhead = 0;
		if (column <= RS_EVENT_CPU_TIME)
			overhead = summary->whole.overhead_ns < rest ? summary->whole.overhead_ns
								     : rest;
		shares->unmarked = rest - overhead;
		parts[n++] = (struct part){
			.value = shares->unmarked, .thousandths = &shares->outside};
		parts[n++] = (struct part){.value = overhead, .thousandths = &shares->overhead};
		selves = whole;
	}
	if (selves > 0)
		share_out(parts, n, selves);
}

void rs_glance_make(struct rs_summary *summary, struct rs_arena *arena)
{
	struct part *parts = rs_arena_array(arena, summary->n_merged + 2, sizeof(*parts));
	summary->shares = rs_arena_array(arena, summary->n_columns, sizeof(*summary->shares));
	for (size_t c = 0; c < summary->n_columns; c++)
		make_shares(summary, arena, c, parts);
}

/* ---- threads ---- */

/* A row of one thread, as an element that is sorted by total. */
struct thread_row {
	uint64_t total;
	size_t row;
};

static int compare_rows(const void *left, const void *right)
{
	const struct thread_row *a = left, *b = right;
	int order = rs_compare_numbers(a->total, b->total);
	return order ? order : rs_compare_numbers(a->row, b->row);
}

struct rs_spread rs_spread_of(
	const struct rs_summary *summary, size_t region, size_t column, struct rs_arena *arena)
{
	size_t first = summary->merged[region].first_row, end = summary->merged[region].end_row;
	struct thread_row *places = rs_arena_array(arena, end - first, sizeof(*places));
	struct rs_spread spread = {.imbalance = NAN};
	long double sum = 0;
	size_t n = 0;
	for (size_t row = first; row < end; row++) {
		const struct rs_value *value = &summary->regions[row].values[column];
		if (summary->regions[row].calls == 0 || !rs_value_has_total(value))
			continue;
		places[n++] = (struct thread_row){value->total, row};
		sum += (long double)value->total;
	}
	spread.n = n;
	if (n == 0)
		return spread;
	qsort(places, n, sizeof(*places), compare_rows);
	spread.lowest = places[0].row;
	uint64_t middle = places[(n - 1) / 2].total;
	spread.median = middle + (places[n / 2].total - middle) / 2;
	spread.highest = places[n - 1].row;
	if (sum > 0)
		spread.imbalance =
			(double)((long double)places[n - 1].total * (long double)n / sum);
	return spread;
}
