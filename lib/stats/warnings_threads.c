/* SPDX-License-Identifier: MIT */
/*
 * The note on work that threads share unevenly. In come regions on threads; out goes how much more than
 * the average the busiest thread had of a region, where the run may be longer for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/warnings.h"

/* The busiest thread has so many times the average, and so much of the run's time more than that. */
#define LEAST_RATIO 1.25
#define LEAST_OF_RUN 0.05

/* What the threads of a region add up to. */
struct tally {
	const char *name;
	uint64_t n_threads;
	uint32_t slot; /* of the last of them, */
	double own; /* and what it has so far: calls of other work have cells of their own */
	double sum; /* of the region's own time, in ns, as are the others */
	double most;
	double own_variance; /* of these three, where calls were sampled */
	double sum_variance;
	double most_variance;
	bool is_shared; /* several threads had one place after another: who had what is not known */
};

/* Cells come by their slots. */
static void add(struct tally *tally, const struct rs_cell_copy *cell)
{
	double self = fmax((double)cell->values[RS_EVENT_TIME].self, 0);
	if (cell->calls == 0)
		return;
	if (tally->n_threads == 0 || tally->slot != cell->slot) {
		tally->n_threads++;
		tally->own = 0;
		tally->own_variance = 0;
	}
	tally->slot = cell->slot;
	tally->own += self;
	tally->own_variance += cell->values[RS_EVENT_TIME].variance;
	tally->sum += self;
	tally->sum_variance += cell->values[RS_EVENT_TIME].variance;
	if (tally->own > tally->most) {
		tally->most = tally->own;
		tally->most_variance = tally->own_variance;
	}
	tally->is_shared |= cell->n_threads > 1;
}

/* How much more than the average the busiest thread had. */
static double excess_of(const struct tally *tally)
{
	return tally->n_threads > 1 && !tally->is_shared
		       ? tally->most - tally->sum / (double)tally->n_threads
		       : 0;
}

/* Two standard errors of that; NAN: it is not known. */
static double error_of(const struct tally *tally)
{
	double n = (double)tally->n_threads;
	return 2 * sqrt(tally->most_variance + tally->sum_variance / (n * n));
}

static int compare_excess(const void *left, const void *right)
{
	double a = excess_of(left), b = excess_of(right);
	return a > b ? -1 : a < b;
}

void rs_warnings_of_threads(struct rs_messages *notes, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	struct rs_name_list list = {0};
	if (!collection)
		return;
	struct tally *tallies = rs_arena_array(
		notes->arena, collection->n_regions, sizeof(*tallies));
	if (!tallies)
		return;
	double least_ns = LEAST_OF_RUN * (double)source->summary->run.elapsed_ns;
	for (size_t i = 0; i < collection->n_regions; i++)
		tallies[i].name = collection->regions[i].name;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		add(&tallies[rs_collection_owner(collection, cell->region)], cell);
	}
	qsort(tallies, collection->n_regions, sizeof(*tallies), compare_excess);
	for (size_t i = 0; i < collection->n_regions; i++) {
		const struct tally *tally = &tallies[i];
		double excess = excess_of(tally), avg = tally->sum / (double)tally->n_threads;
		char detail[80];
		if (excess <= 0 || tally->most < LEAST_RATIO * avg || excess < least_ns ||
			!(excess > error_of(tally)))
			continue;
		snprintf(detail, sizeof(detail), "%s, of %llu threads %s on average",
			rs_message_time(notes->arena, tally->most),
			(unsigned long long)tally->n_threads, rs_message_time(notes->arena, avg));
		rs_name_list_add_with(&list, notes->arena, tally->name, detail);
	}
	if (list.n > 0)
		rs_messages_add(notes, RS_ABOUT("imbalance", list.first, (double)list.n),
			"one thread had much more of a region than others: %s\n"
			"  try: --per-thread, which shows each; smaller pieces of work, each for a "
			"thread that is free",
			rs_name_list_text(&list, notes->arena));
}
