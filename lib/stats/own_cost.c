/* SPDX-License-Identifier: MIT */
/*
 * The overhead of markers over the run and of each row. It gets the cost of the markers of each
 * cell, and of the first markers of threads. It computes the overhead of a call, and the share of
 * CPU time that all of them have. A NEXT ends one call, and counts as a pair.
 *
 * It is a lower bound. Work before a marker that the processor would have done together with the
 * work behind it costs the program more, and nothing can measure that.
 */
#include "stats/own_cost.h"

#include <math.h>
#include <stdlib.h>

/* Set the overhead from a cost, with setup_ns beside the calls; its share is of whole_ns, NAN
 * where those are not known. */
static void set_cost(struct rs_own_cost *own, const struct rs_cost *cost, long double setup_ns,
	long double whole_ns)
{
	long double ns = rs_cost_ns(cost), calls = cost->measured + cost->skipped;
	*own = (struct rs_own_cost){.share = NAN};
	own->known = calls > 0 && ns > 0 && !cost->unknown;
	if (!own->known)
		return;
	own->call_ns = (double)(ns / calls);
	own->pair_ns = cost->measured > 0 ? (double)(cost->measured_ns / cost->measured) : NAN;
	own->total_ns = (double)(ns + setup_ns);
	if (whole_ns > 0)
		own->share = (double)fminl((ns + setup_ns) / whole_ns, 1);
}

static long double sum_lifetimes(const struct rs_collection *collection)
{
	long double sum = 0;
	for (size_t i = 0; i < collection->n_slots; i++)
		sum += (long double)collection->slots[i].lifetime_ns;
	return sum;
}

/* The program's CPU time; where that is unknown, how long the marked threads lived. */
static long double whole_ns(
	const struct rs_summary_run *run, const struct rs_collection *collection)
{
	long double cpu_ns = (long double)run->user_ns + (long double)run->system_ns;
	return cpu_ns > 0 ? cpu_ns : sum_lifetimes(collection);
}

void rs_own_cost_of_run(struct rs_summary_run *run, const struct rs_collection *collection)
{
	struct rs_cost cost = {0};
	rs_u128 setup = 0;
	run->own_cost = (struct rs_own_cost){.share = NAN};
	if (!collection)
		return;
	for (size_t i = 0; i < collection->n_cells; i++)
		rs_cost_add(&cost, &collection->cells[i]);
	for (size_t i = 0; i < collection->n_processes; i++)
		setup += collection->processes[i].setup_ns;
	set_cost(&run->own_cost, &cost, (long double)setup, whole_ns(run, collection));
	run->own_setup_ns = rs_wide_to_u64(setup);
}

void rs_own_cost_of_row(struct rs_own_cost *cost, const struct rs_merged_row *row)
{
	const struct rs_value *cpu = &row->values[RS_EVENT_CPU_TIME];
	const struct rs_value *of = cpu->status == RS_VALUE_OK ? cpu : &row->values[RS_EVENT_TIME];
	set_cost(cost, &row->cost, 0, (long double)of->total + rs_cost_ns(&row->cost));
}

static int compare_index(const void *key, const void *element)
{
	uint32_t index = *(const uint32_t *)key;
	const struct rs_process_copy *process = element;
	return index < process->index ? -1 : index > process->index;
}

/* The part of the markers within each call of a cell: values include it with --raw. */
static long double inside_ns(
	const struct rs_collection *collection, const struct rs_cell_copy *cell)
{
	const struct rs_process_copy *process = NULL;
	if (collection->n_processes > 0) /* they are ordered by index */
		process = bsearch(&cell->process, collection->processes, collection->n_processes,
			sizeof(*process), compare_index);
	return process ? process->inside_ns : 0;
}

/* The cost of the markers of each of the program's regions. NULL: no memory. */
static struct rs_cost *add_regions(struct rs_arena *arena, const struct rs_collection *collection)
{
	struct rs_cost *costs = rs_arena_array(arena, collection->n_regions, sizeof(*costs));
	for (size_t i = 0; costs && i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		rs_cost_add(&costs[rs_collection_owner(collection, cell->region)], cell);
	}
	return costs;
}

bool *rs_own_cost_find_short(
	struct rs_arena *arena, const struct rs_collection *collection, bool raw)
{
	long double *times = rs_arena_array(arena, collection->n_regions, sizeof(*times));
	long double *weights = rs_arena_array(arena, collection->n_regions, sizeof(*weights));
	bool *are_short = rs_arena_array(arena, collection->n_regions, sizeof(*are_short));
	const struct rs_cost *costs = add_regions(arena, collection);
	if (!times || !weights || !are_short || !costs)
		return NULL;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		long double weight = (long double)cell->weights;
		uint32_t region = rs_collection_owner(collection, cell->region);
		times[region] += (long double)cell->values[RS_EVENT_TIME].sum;
		times[region] -= raw ? weight * inside_ns(collection, cell) : 0;
		weights[region] += weight;
	}
	for (size_t i = 0; i < collection->n_regions; i++)
		are_short[i] = weights[i] > 0 && costs[i].measured > 0 &&
			       times[i] / weights[i] < costs[i].measured_ns / costs[i].measured;
	return are_short;
}
