/* SPDX-License-Identifier: MIT */
/*
 * Whether the parts of a run that was read fit together: every index is of something, every list
 * has its order, and sums can come from calls at all. So later stages may believe it as they do
 * what was collected from a segment, where the same holds.
 */
#include <stdlib.h>
#include <string.h>

#include "record/loader.h"
#include "stats/histogram.h"
#include "stats/wide.h"

static bool check_event(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_plan *plan, size_t index)
{
	const struct rs_event *event = &plan->events[index];
	size_t n_parts = 0;
	if (!event->name || !event->unit)
		return rs_json_refuse(load, place, "lacks its name or its unit");
	if (strcmp(event->unit, "ns") != 0 && strcmp(event->unit, "count") != 0)
		return rs_json_refuse(load, place, "has a unit that is neither ns nor count");
	if (event->core_pmu > plan->core_pmus.n || (event->part_name && event->core_pmu == 0))
		return rs_json_refuse(load, place, "is of a core_pmu that is not there");
	if (event->group < -1 || event->group >= (int)plan->n_groups)
		return rs_json_refuse(load, place, "is in a group that is not there");
	for (size_t i = 0; i < plan->n_events; i++) {
		if (!rs_event_is_same(event, &plan->events[i]))
			continue;
		n_parts++;
		if (i != index && (!event->part_name || !plan->events[i].part_name))
			return rs_json_refuse(load, place, "has the position of another event");
	}
	if (n_parts > RS_MAX_CORE_PMUS)
		return rs_json_refuse(load, place, "is one of more parts than there can be");
	return true;
}

bool rs_check_plan(const struct rs_json_load *load, const struct rs_saved_run *run)
{
	const struct rs_json_place plan = {.key = "plan"};
	const struct rs_json_place events = {.above = &plan, .key = "events"};
	const struct rs_json_place outcome = {.key = "outcome"};
	const struct rs_json_place totals = {.above = &outcome, .key = "totals"};
	for (size_t i = 0; i < run->plan.n_events; i++) {
		const struct rs_json_place place = {.above = &events, .index = i};
		const struct rs_json_place at_total = {.above = &totals, .index = i};
		if (!check_event(load, &place, &run->plan, i))
			return false;
		const struct rs_total *total = run->outcome.totals ? &run->outcome.totals[i] : NULL;
		if (total && total->running_ns > total->enabled_ns)
			return rs_json_refuse(load, &at_total, "ran longer than it was enabled");
	}
	return true;
}

/* Each quantity is of one event. */
static bool check_quantities(const struct rs_json_load *load, const struct rs_saved_run *run)
{
	const struct rs_json_place plan = {.key = "plan"};
	const struct rs_json_place events = {.above = &plan, .key = "events"};
	bool seen[1 + RS_MAX_EVENTS] = {false};
	for (size_t i = 0; i < run->plan.n_events; i++) {
		const struct rs_json_place place = {.above = &events, .index = i};
		uint32_t quantity = run->plan.events[i].quantity;
		if (quantity > run->collection.n_events || (quantity > 0 && seen[quantity]))
			return rs_json_refuse(load, &place, "has a quantity that is not its own");
		seen[quantity] = true;
	}
	for (uint32_t i = 1; i <= run->collection.n_events; i++)
		if (!seen[i])
			return rs_json_refuse(load, &events, "lacks the event of a quantity");
	return true;
}

static bool check_processes(const struct rs_json_load *load, const struct rs_json_place *above,
	const struct rs_collection *out)
{
	const struct rs_json_place list = {.above = above, .key = "processes"};
	for (size_t i = 0; i < out->n_processes; i++) {
		const struct rs_process_copy *process = &out->processes[i];
		const struct rs_json_place place = {.above = &list, .index = i};
		if (process->index >= RS_MAX_PROCESSES ||
			(i > 0 && process->index <= out->processes[i - 1].index))
			return rs_json_refuse(load, &place, "has an index out of order");
		if (process->open_quantity > out->n_events ||
			process->inactive_quantity > out->n_events)
			return rs_json_refuse(load, &place, "names an event that is not there");
	}
	return true;
}

static bool check_slots(const struct rs_json_load *load, const struct rs_json_place *above,
	const struct rs_collection *out)
{
	const struct rs_json_place list = {.above = above, .key = "threads"};
	for (size_t i = 0; i < out->n_slots; i++) {
		const struct rs_json_place place = {.above = &list, .index = i};
		if (out->slots[i].index >= RS_MAX_SLOTS ||
			(i > 0 && out->slots[i].index <= out->slots[i - 1].index))
			return rs_json_refuse(load, &place, "has an index out of order");
	}
	return true;
}

/* Can so many calls have that sum of weights, each at least 1? */
static bool weights_make_sense(uint64_t weights, uint64_t calls)
{
	return calls > 0 ? weights >= calls : weights == 0;
}

/* No double of a sum of so many is further from the truth. */
#define ROUNDING 1e-9

/* Can such a value come from calls with these weights at all? Each was rounded to whole ns by itself,
 * and so was their sum. */
static bool value_makes_sense(const struct rs_value *value, const struct rs_cell_copy *cell)
{
	rs_u128 sum = 2 * (rs_u128)value->sum, weight = value->weight;
	double range = (double)(value->max - value->min) + 1;
	if (value->counted > cell->calls || weight > cell->weights ||
		!weights_make_sense(value->weight, value->counted) ||
		!weights_make_sense(cell->weights - value->weight, cell->calls - value->counted) ||
		value->running_ns > value->enabled_ns || value->variance < 0)
		return false;
	if (weight == 0)
		return value->sum == 0 && value->min == 0 && value->max == 0 && value->square == 0;
	if (value->min > value->max || sum + 1 + weight < 2 * weight * value->min)
		return false;
	if (value->sum < UINT64_MAX && sum > 1 + weight + 2 * weight * value->max)
		return false;
	/* T. Popoviciu (1935): values deviate by half their range at most */
	return value->square >= 0 &&
	       value->square <= (double)value->weight * range * range / 4 * (1 + ROUNDING);
}

/* Totals alone, of calls that had any. */
static bool off_makes_sense(const struct rs_value *value)
{
	return value->weight == 0 && value->counted < RS_MAX_CALLS && value->sum == 0 &&
	       value->min == 0 && value->max == 0 && value->square == 0 && value->histogram.n == 0;
}

/* On the grid, ascending, none empty. */
static bool histogram_makes_sense(const struct rs_histogram *histogram)
{
	for (size_t i = 0; i < histogram->n; i++) {
		const struct rs_bucket *bucket = &histogram->buckets[i];
		const struct rs_bucket grid = rs_histogram_bucket(bucket->low, bucket->count);
		if (bucket->count == 0 || bucket->low != grid.low || bucket->high != grid.high ||
			(i > 0 && bucket->low <= bucket[-1].low))
			return false;
	}
	return true;
}

/* The longest times first, each of some calls. Whether they are as many as the cell has asks whoever
 * wants to know more of them (stats/tails.h), as of what was collected. */
static bool octaves_make_sense(const struct rs_cell_copy *cell)
{
	for (uint32_t i = 0; i < cell->n_octaves; i++)
		if (cell->octaves[i].weight == 0 ||
			(i > 0 && cell->octaves[i].low_ns >= cell->octaves[i - 1].low_ns))
			return false;
	return true;
}

static bool parents_make_sense(const struct rs_cell_copy *cell, const struct rs_collection *out)
{
	for (uint32_t i = 0; i < cell->n_parents; i++)
		if (cell->parents[i] != RS_NO_REGION &&
			(cell->parents[i] >= out->n_regions ||
				!out->regions[cell->parents[i]].ready))
			return false;
	return true;
}

static bool cell_makes_sense(const struct rs_cell_copy *cell, const struct rs_collection *out)
{
	if (cell->calls >= RS_MAX_CALLS || cell->weights >= RS_MAX_CALLS ||
		cell->skipped >= RS_MAX_CALLS || !weights_make_sense(cell->weights, cell->calls) ||
		cell->diag[RS_CELL_DIAG_OPEN] < cell->open)
		return false;
	for (uint32_t v = 0; v < rs_collection_n_values(out); v++) {
		const struct rs_value *value = &cell->values[v];
		bool is_off = v == RS_EVENT_BLOCKED || v == RS_EVENT_PREEMPTED;
		if (is_off ? !off_makes_sense(value) : !value_makes_sense(value, cell))
			return false;
		if (!histogram_makes_sense(&value->histogram))
			return false;
	}
	return parents_make_sense(cell, out) && octaves_make_sense(cell);
}

/* Cells stand in the order of their slots, and a slot has a region once. */
static bool check_cells(const struct rs_json_load *load, const struct rs_json_place *above,
	const struct rs_collection *out)
{
	const struct rs_json_place list = {.above = above, .key = "cells"};
	size_t slot = 0; /* where the cell's stands */
	size_t *seen = rs_arena_array(load->arena, out->n_regions, sizeof(*seen)); /* + 1 */
	if (!seen)
		return rs_err_set(load->err, "there is no memory for it");
	for (size_t i = 0; i < out->n_cells; i++) {
		const struct rs_json_place place = {.above = &list, .index = i};
		const struct rs_cell_copy *cell = &out->cells[i];
		while (slot < out->n_slots && out->slots[slot].index < cell->slot)
			slot++;
		if (slot == out->n_slots || out->slots[slot].index != cell->slot ||
			cell->process >= RS_MAX_PROCESSES)
			return rs_json_refuse(load, &place, "is of a slot that is not there");
		if (cell->region >= out->n_regions || !out->regions[cell->region].ready ||
			seen[cell->region] == slot + 1)
			return rs_json_refuse(load, &place, "is of a region that is not there");
		seen[cell->region] = slot + 1;
		if (!cell_makes_sense(cell, out))
			return rs_json_refuse(load, &place, "makes no sense");
	}
	return true;
}

bool rs_check_collection(const struct rs_json_load *load, const struct rs_saved_run *run)
{
	const struct rs_json_place place = {.key = "measured"};
	const struct rs_collection *out = &run->collection;
	if ((out->n_damaged == 0) != (out->damage[0] == '\0'))
		return rs_json_refuse(load, &place, "does not say what was damaged");
	return check_quantities(load, run) && check_processes(load, &place, out) &&
	       check_slots(load, &place, out) && check_cells(load, &place, out);
}
