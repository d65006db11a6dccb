/* SPDX-License-Identifier: MIT */
/*
 * This file computes a distribution that a report can draw. It joins all buckets of a histogram
 * between two round numbers, such as 200 and 500, to one step.
 */
#include "stats/builder.h"

#include <string.h>

#include "stats/histogram.h"

#define MOST_EDGES 128u
#define FINE_PARTS 5u

static const char *find_region(const struct rs_run *run, const char *wish, size_t length)
{
	for (size_t i = 0; i < run->n_regions; i++) {
		const struct rs_run_region *copy = &run->regions[i];
		if (copy->ready && strlen(copy->name) == length &&
			memcmp(copy->name, wish, length) == 0)
			return copy->name;
	}
	return NULL;
}

static bool is_column(
	const struct rs_summary *summary, const char *name, struct rs_distribution *distribution)
{
	for (size_t c = 0; c < summary->n_columns; c++) {
		bool has_none = c == RS_EVENT_BLOCKED || c == RS_EVENT_PREEMPTED;
		if (has_none || !summary->columns[c].in_regions ||
			strcmp(summary->columns[c].name, name) != 0)
			continue;
		distribution->column = c;
		return true;
	}
	return false;
}

/* Find the region and the event that the user asked for. Return false if there is no such region or
 * it does not count the event. */
static bool find(struct rs_distribution *distribution, const struct rs_summary *summary)
{
	const struct rs_run *run = summary->run;
	const char *wish = distribution->wish;
	const char *region = find_region(run, wish, strlen(wish));
	for (const char *colon = strchr(wish, ':'); !region && colon;
		colon = strchr(colon + 1, ':')) {
		region = find_region(run, wish, (size_t)(colon - wish));
		if (region && !is_column(summary, colon + 1, distribution)) {
			distribution->lacks_event = true;
			region = NULL;
		}
	}
	distribution->region = region;
	return region;
}

/* Bounds of the steps, ascending. */
struct edges {
	uint64_t values[MOST_EDGES];
	size_t n;
};

static void add_edge(struct edges *edges, uint64_t value)
{
	if (edges->n < MOST_EDGES && (edges->n == 0 || value > edges->values[edges->n - 1]))
		edges->values[edges->n++] = value;
}

/* Find the bounds of the steps, from the smallest to the largest value. The bounds are numbers of
 * the series 1, 2, 5, 10, ... If a step has more than an eighth of the calls, split it further at
 * bounds of buckets. Join adjacent steps without values into one step. */
static void find_edges(struct edges *edges, const struct rs_histogram *sum, uint64_t calls)
{
	uint64_t last = rs_bucket_middle(&sum->buckets[sum->n - 1]), from = 0;
	uint64_t to = 1, factor = 2;
	size_t b = 0;
	bool was_empty = true; /* there are no values before the first step */
	while (from <= last) {
		uint64_t inside = 0;
		size_t first = b;
		for (; b < sum->n && rs_bucket_middle(&sum->buckets[b]) < to; b++)
			rs_add_saturating(&inside, sum->buckets[b].count);
		size_t n = b - first, most = n < FINE_PARTS ? n : FINE_PARTS;
		if (n > 0 || !was_empty)
			add_edge(edges, from);
		was_empty = n == 0;
		size_t parts = inside > calls / 8 ? most : 1;
		for (size_t part = 1; part < parts; part++)
			add_edge(edges, sum->buckets[first + n * part / parts].low);
		from = to;
		/* `to` is the next number of 1, 2, 5, 10, ... */
		if (to > UINT64_MAX / 5)
			break;
		to = factor == 2 ? to * 2 : factor == 5 ? to / 2 * 5 : to * 2;
		factor = factor == 2 ? 5 : factor == 5 ? 10 : 2;
	}
	add_edge(edges, from > last ? from : UINT64_MAX);
}

static void make_steps(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_histogram *sum)
{
	struct edges edges = {.n = 0};
	size_t b = 0;
	if (sum->n == 0)
		return;
	distribution->calls = rs_histogram_count(sum);
	find_edges(&edges, sum, distribution->calls);
	distribution->n_steps = edges.n - 1;
	distribution->steps = rs_arena_array(
		arena, distribution->n_steps, sizeof(*distribution->steps));
	for (size_t i = 0; i < distribution->n_steps; i++) {
		struct rs_distribution_step *step = &distribution->steps[i];
		bool is_last = i + 1 == distribution->n_steps;
		step->low = edges.values[i];
		step->high = edges.values[i + 1] - 1;
		for (; b < sum->n && (is_last || rs_bucket_middle(&sum->buckets[b]) <= step->high);
			b++) {
			const struct rs_bucket *bucket = &sum->buckets[b];
			rs_add_saturating(&step->calls, bucket->count);
			step->sum += (double)rs_bucket_middle(bucket) * (double)bucket->count;
		}
		distribution->sum += step->sum;
		if (step->calls > distribution->most)
			distribution->most = step->calls;
		if (step->sum > distribution->most_sum)
			distribution->most_sum = step->sum;
	}
}

static const struct rs_summary_region *row_of(
	const struct rs_summary *summary, const struct rs_distribution *distribution)
{
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		if (strcmp(region->name, distribution->region) == 0)
			return region;
	}
	return NULL;
}

void rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_summary *summary, const char *wish)
{
	*distribution = (struct rs_distribution){.wish = wish};
	if (find(distribution, summary))
		distribution->row = row_of(summary, distribution);
	if (distribution->row)
		make_steps(distribution, arena,
			&distribution->row->values[distribution->column].histogram);
}
