/* SPDX-License-Identifier: MIT */
/*
 * This file makes a comparison from the runs of two sides. It matches regions and events by their
 * names.
 */
#include <math.h>
#include <string.h>

#include "compare/series.h"

#define LEAST_LAYOUTS 3u

size_t rs_side_n_runs(const struct rs_side *side)
{
	size_t n = 0;
	for (size_t i = 0; i < side->series->n; i++)
		n += side->series->runs[i].place.command == side->command;
	return n;
}

const struct rs_series_run *rs_side_run(const struct rs_side *side, size_t index)
{
	for (size_t i = 0; i < side->series->n; i++)
		if (side->series->runs[i].place.command == side->command && index-- == 0)
			return &side->series->runs[i];
	return NULL;
}

/* Return true if two runs have the same values in all regions and events. */
static bool is_same_run(const struct rs_series_run *a, const struct rs_series_run *b)
{
	if (strcmp(a->label, b->label) != 0 || a->started_s != b->started_s ||
		a->samples.n != b->samples.n)
		return false;
	for (size_t i = 0; i < a->samples.n; i++) {
		const struct rs_point *x = &a->samples.items[i].point;
		const struct rs_point *y = &b->samples.items[i].point;
		if (x->is_known != y->is_known ||
			(x->is_known &&
				(x->values[RS_MEASURE_TOTAL] != y->values[RS_MEASURE_TOTAL] ||
					x->values[RS_MEASURE_CALLS] !=
						y->values[RS_MEASURE_CALLS])))
			return false;
	}
	return true;
}

bool rs_sides_are_same(const struct rs_side *old, const struct rs_side *new)
{
	size_t n = rs_side_n_runs(old);
	bool same = n == rs_side_n_runs(new);
	for (size_t i = 0; same && i < n; i++)
		same = is_same_run(rs_side_run(old, i), rs_side_run(new, i));
	return same;
}

static const struct rs_density *density_of(const struct rs_series_run *run, const char *region)
{
	for (size_t i = 0; i < run->samples.n; i++) {
		const struct rs_sample *sample = &run->samples.items[i];
		if (sample->density && strcmp(sample->region, region) == 0)
			return sample->density->n > 0 ? sample->density : NULL;
	}
	return NULL;
}

void rs_side_density(struct rs_density *density, const struct rs_side *side, const char *region,
	struct rs_arena *arena)
{
	size_t n_runs = rs_side_n_runs(side);
	int end = 0;
	*density = (struct rs_density){0};
	for (size_t i = 0; i < n_runs; i++) {
		const struct rs_density *own = density_of(rs_side_run(side, i), region);
		bool is_first = density->first == end;
		if (!own)
			continue;
		int own_end = own->first + (int)own->n;
		density->first = is_first || own->first < density->first ? own->first
									 : density->first;
		end = is_first || own_end > end ? own_end : end;
		density->sum += own->sum / (double)n_runs;
	}
	density->n = (size_t)(end - density->first);
	density->shares = rs_arena_array(arena, density->n, sizeof(*density->shares));
	for (size_t i = 0; i < n_runs; i++) {
		const struct rs_density *own = density_of(rs_side_run(side, i), region);
		for (size_t b = 0; own && b < own->n; b++)
			density->shares[own->first - density->first + (int)b] +=
				own->shares[b] * own->sum / (density->sum * (double)n_runs);
	}
}

/* ---- names ---- */

/* The names of the regions, or of the events, of all runs. */
struct names {
	const char **items; /* a region that is NULL means the whole run */
	size_t n;
	size_t next; /* the search begins here, because all runs have the names in about the same
		      * order */
};

static bool is_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static size_t find_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		size_t at = (names->next + i) % names->n;
		if (!is_equal(names->items[at], name))
			continue;
		names->next = at;
		return at;
	}
	return RS_NONE;
}

static void add_name(struct names *names, const char *name, struct rs_arena *arena)
{
	if (find_name(names, name) != RS_NONE)
		return;
	names->items = rs_arena_room(arena, names->items, names->n, sizeof(*names->items));
	names->items[names->n++] = name;
}

/* ---- from runs to a comparison ---- */

struct matcher {
	struct rs_comparison *comparison;
	const struct rs_side *old,
		*new; /* if new is NULL, compare one half of the old side with the other half */
	const struct rs_series_run **runs; /* the runs of both sides, each side in its own order */
	struct rs_compared_run *compared;
	size_t n;
	bool is_paired;
	struct names regions, events;
	struct rs_arena scratch; /* owns these arrays */
};

static void collect_names(struct matcher *matcher)
{
	for (size_t k = 0; k < matcher->n; k++)
		for (size_t i = 0; i < matcher->runs[k]->samples.n; i++) {
			const struct rs_sample *sample = &matcher->runs[k]->samples.items[i];
			add_name(&matcher->regions, sample->region, &matcher->scratch);
			add_name(&matcher->events, sample->event.name, &matcher->scratch);
		}
}

static void fill(struct matcher *matcher)
{
	struct rs_comparison *comparison = matcher->comparison;
	for (size_t r = 0; r < comparison->n_regions; r++) {
		comparison->regions[r].name = matcher->regions.items[r];
		comparison->regions[r].is_run = !matcher->regions.items[r];
	}
	for (size_t k = 0; k < matcher->n; k++) {
		comparison->runs[k] = matcher->compared[k];
		for (size_t i = 0; i < matcher->runs[k]->samples.n; i++) {
			const struct rs_sample *sample = &matcher->runs[k]->samples.items[i];
			size_t r = find_name(&matcher->regions, sample->region);
			size_t e = find_name(&matcher->events, sample->event.name);
			comparison->events[e] = sample->event;
			*rs_comparison_point(comparison, e, r, k) = sample->point;
			if (sample->parent)
				comparison->regions[r].parent = find_name(
					&matcher->regions, sample->parent);
		}
	}
	comparison->design.is_paired = matcher->is_paired;
}

static void take_run(
	struct matcher *matcher, const struct rs_series_run *run, unsigned side, uint32_t round)
{
	matcher->runs[matcher->n] = run;
	matcher->compared[matcher->n++] = (struct rs_compared_run){side, round};
}

/* Return true if runs of both sides alternated in one series, so that the runs of a round belong
 * together. */
static bool is_one_series(const struct rs_side *old, const struct rs_side *new)
{
	const struct rs_series_run *a = rs_side_run(old, 0), *b = rs_side_run(new, 0);
	if (old->series != new->series || old->command == new->command || !a || !b)
		return false;
	return a->place.id > 0 && a->place.id == b->place.id;
}

/* Return the index of the run's round. Rounds of another series that was appended have other
 * indexes. */
static uint32_t round_of(const struct matcher *matcher, const struct rs_series_run *run)
{
	uint32_t next = 0;
	for (size_t i = matcher->n; i > 0; i--) {
		const struct rs_series_place *place = &matcher->runs[i - 1]->place;
		if (place->id == run->place.id && place->round == run->place.round)
			return matcher->compared[i - 1].round;
		if (matcher->compared[i - 1].round >= next)
			next = matcher->compared[i - 1].round + 1;
	}
	return next;
}

static void take_side(struct matcher *matcher, const struct rs_side *from, unsigned side)
{
	uint32_t round = 0;
	for (size_t i = 0; i < from->series->n; i++) {
		const struct rs_series_run *run = &from->series->runs[i];
		if (run->place.command == from->command)
			take_run(matcher, run, side,
				matcher->is_paired ? round_of(matcher, run) : round++);
	}
}

/* Take one half of a side's runs as the old side, and the others as the new one. The order is ABBA,
 * as in `regionstat compare`. */
static void take_halves(struct matcher *matcher)
{
	size_t n = rs_side_n_runs(matcher->old);
	for (size_t i = 0; i < n; i++)
		take_run(matcher, rs_side_run(matcher->old, i), (unsigned)((i ^ i / 2) & 1),
			(uint32_t)(i / 2));
}

static void make(void *context)
{
	struct matcher *matcher = context;
	size_t n = rs_side_n_runs(matcher->old) + (matcher->new ? rs_side_n_runs(matcher->new) : 0);
	matcher->runs = rs_arena_array(&matcher->scratch, n, sizeof(*matcher->runs));
	matcher->compared = rs_arena_array(&matcher->scratch, n, sizeof(*matcher->compared));
	if (matcher->new) {
		take_side(matcher, matcher->old, 0);
		take_side(matcher, matcher->new, 1);
	} else {
		take_halves(matcher);
	}
	collect_names(matcher);
	rs_comparison_init(matcher->comparison, matcher->regions.n, matcher->events.n, matcher->n);
	fill(matcher);
	rs_comparison_judge(matcher->comparison);
}

static bool compare(struct matcher *matcher, struct rs_err *err)
{
	*matcher->comparison = (struct rs_comparison){.n_regions = 0};
	bool done = rs_arena_guard(make, matcher);
	rs_arena_finish(&matcher->scratch);
	if (!done)
		rs_comparison_finish(matcher->comparison);
	return done ? true : rs_err_set(err, "cannot compare the runs: out of memory");
}

bool rs_comparison_of(struct rs_comparison *comparison, const struct rs_side *old,
	const struct rs_side *new, struct rs_err *err)
{
	struct matcher matcher = {comparison, old, new, .is_paired = is_one_series(old, new)};
	size_t n_old = rs_side_n_runs(old), n_new = rs_side_n_runs(new);
	if (n_old == 0 || n_new == 0)
		return rs_err_set(err, "there are no runs of %s to compare",
			n_old == 0 ? old->name : new->name);
	return compare(&matcher, err);
}

bool rs_comparison_of_itself(
	struct rs_comparison *comparison, const struct rs_side *side, struct rs_err *err)
{
	struct matcher matcher = {comparison, side, NULL, .is_paired = true};
	return compare(&matcher, err);
}

/* ---- layouts ---- */

/* Return the logarithm of the on-CPU time of the whole run. */
static double run_time(const struct rs_series_run *run)
{
	for (size_t i = 0; i < run->samples.n; i++) {
		const struct rs_sample *sample = &run->samples.items[i];
		double total = sample->point.values[RS_MEASURE_TOTAL];
		if (!sample->region && strcmp(sample->event.name, "cpu-time") == 0 && total > 0)
			return log(total);
	}
	return NAN;
}

/*
 * Two successive runs have the same layout. The variance between layouts is the variance of the
 * means of these pairs, minus half of the variance within the pairs (one-way analysis of variance).
 */
double rs_side_layout_share(const struct rs_side *side)
{
	size_t n_runs = rs_side_n_runs(side), n = 0;
	double mean = 0, squares = 0, within = 0;
	for (size_t i = 0; i + 1 < n_runs; i += 2) {
		const struct rs_series_run *a = rs_side_run(side, i), *b = rs_side_run(side, i + 1);
		double x = run_time(a), y = run_time(b);
		bool is_pair = a->place.is_varied && b->place.round == a->place.round + 1;
		if (!is_pair || isnan(x + y))
			continue;
		double middle = (x + y) / 2, before = mean;
		n++;
		mean += (middle - mean) / (double)n;
		squares += (middle - before) * (middle - mean);
		within += (x - y) * (x - y) / 2;
	}
	if (n < LEAST_LAYOUTS || within + squares <= 0)
		return NAN;
	within /= (double)n;
	double between = fmax(squares / (double)(n - 1) - within / 2, 0);
	return between / (between + within);
}
