/*
 * The cost of markers over the run. Comes in: what a BEGIN and its END cost in each process, and
 * the calls that each made. Goes out: the cost of a pair, the share that all of them have of the
 * marked threads' time, and what the reader can do about it. A NEXT ends one call, and counts as a
 * pair. What calls that sampling leaves out cost is little, and not counted.
 */
#include "stats/own_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* From this share of the marked threads' time on, the reader is advised, unless that is next to
 * nothing. */
#define ADVISED_SHARE 0.01
#define ADVISED_NS 1e6

/* What the markers of some cells cost, in ticks; as long double, which no sum of them overflows. */
struct cost_sum {
	long double calls;
	long double pairs;
	long double insides; /* the part of the pairs that lies within their calls */
	long double time; /* of those calls, as reported */
};

/* The process whose markers cost most; NULL when none has measured it. */
static const struct rs_process_copy *find_dearest(const struct rs_collection *collection)
{
	const struct rs_process_copy *dearest = NULL;
	for (size_t i = 0; i < collection->n_processes; i++) {
		const struct rs_process_copy *process = &collection->processes[i];
		if (process->pair_ticks > (dearest ? dearest->pair_ticks : 0))
			dearest = process;
	}
	return dearest;
}

static int compare_index(const void *key, const void *element)
{
	uint32_t index = *(const uint32_t *)key;
	const struct rs_process_copy *process = element;
	return index < process->index ? -1 : index > process->index;
}

/* The process that made a cell; the dearest one in place of one that knows nothing. */
static const struct rs_process_copy *find_process(const struct rs_collection *collection,
	uint32_t index, const struct rs_process_copy *dearest)
{
	const struct rs_process_copy *process = NULL;
	if (collection->n_processes > 0) /* they are ordered by index */
		process = bsearch(&index, collection->processes, collection->n_processes,
			sizeof(*process), compare_index);
	return process && process->pair_ticks > 0 ? process : dearest;
}

static void add_cell(struct cost_sum *sum, const struct rs_collection *collection,
	const struct rs_cell_copy *cell, const struct rs_process_copy *dearest)
{
	const struct rs_process_copy *process = find_process(collection, cell->process, dearest);
	if (!process)
		return;
	sum->calls += (long double)cell->calls;
	sum->pairs += (long double)cell->calls * (long double)process->pair_ticks;
	sum->insides += (long double)cell->calls * (long double)process->inside_ticks;
	sum->time += (long double)cell->moments[0].sum;
}

void rs_own_cost_make(struct rs_own_cost *cost, const struct rs_collection *collection,
	const struct rs_ticks *rate)
{
	struct cost_sum sum = {0};
	long double lifetime = 0;
	rs_u128 setup = 0;
	*cost = (struct rs_own_cost){.share = NAN};
	if (!collection)
		return;
	const struct rs_process_copy *dearest = find_dearest(collection);
	for (size_t i = 0; i < collection->n_cells; i++)
		add_cell(&sum, collection, &collection->cells[i], dearest);
	for (size_t i = 0; i < collection->n_slots; i++)
		lifetime += (long double)collection->slots[i].lifetime_ticks;
	for (size_t i = 0; i < collection->n_processes; i++)
		setup += collection->processes[i].setup_ticks;
	cost->setup_ns = rs_ticks_to_ns(rate, setup);
	cost->known = sum.calls > 0;
	if (!cost->known)
		return;
	cost->pair_ns = (double)(sum.pairs / sum.calls) * rs_ticks_length_ns(rate);
	cost->total_ns = (double)sum.pairs * rs_ticks_length_ns(rate);
	if (lifetime > 0)
		cost->share = (double)fminl(sum.pairs / lifetime, 1);
}

/* Regions whose calls take less than the markers around them. */
static void list_short_regions(struct rs_name_list *list, struct rs_arena *arena,
	const struct rs_collection *collection, bool raw)
{
	struct cost_sum *sums = rs_arena_array(arena, collection->n_regions, sizeof(*sums));
	const struct rs_process_copy *dearest = find_dearest(collection);
	if (!sums)
		return;
	for (size_t i = 0; i < collection->n_cells; i++)
		add_cell(&sums[collection->cells[i].region], collection, &collection->cells[i],
			dearest);
	for (size_t i = 0; i < collection->n_regions; i++) {
		long double time = sums[i].time - (raw ? sums[i].insides : 0);
		if (time < sums[i].pairs)
			rs_name_list_add(list, arena, collection->regions[i].name, 0);
	}
}

void rs_own_cost_tell(struct rs_messages *warnings, struct rs_messages *notes,
	struct rs_messages *details, const struct rs_collection *collection,
	const struct rs_own_cost *cost, bool raw)
{
	struct rs_name_list list = {0};
	if (!cost->known)
		return;
	bool matters = cost->share >= ADVISED_SHARE && cost->total_ns >= ADVISED_NS;
	char share[32] = "an unknown share";
	if (isfinite(cost->share))
		snprintf(share, sizeof(share), "%.3g%%", cost->share * 100);
	rs_messages_add(matters ? notes : details,
		"markers took %s of the marked threads' time: a BEGIN and its END cost %.*f ns%s",
		share, cost->pair_ns < 100 ? 1 : 0, cost->pair_ns,
		matters ? "\n  try: --sample 10, with which most calls cost little, or mark "
			  "larger regions"
			: "");
	struct rs_messages *messages = matters ? warnings : details;
	list_short_regions(&list, messages->arena, collection, raw);
	if (list.n > 0)
		rs_messages_add(messages,
			"calls shorter than the markers around them, so little sure: %s%s",
			rs_name_list_text(&list, messages->arena),
			matters ? "\n  try: mark what is around them" : "");
	rs_messages_add(details,
		"the threads' first markers, which open the counters and are in no region, took "
		"%.2f ms",
		(double)cost->setup_ns / 1e6);
}
