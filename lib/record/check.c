/* SPDX-License-Identifier: MIT */
/*
 * This file checks that the parts of a saved run fit together. Every index is valid, every list is
 * in order, and all sums can come from calls. A run that passes has the same guarantees as one that
 * rs_collect() made.
 */
#include "record/document.h"

#include <string.h>

#include "stats/histogram.h"
#include "stats/wide.h"

/* a wait status has 7 bits for the signal, and 127 means "stopped" (waitpid(2)) */
#define MOST_SIGNAL 126u

/* ---- facts ---- */

static bool check_run(const struct rs_json_load *load, const struct rs_document *document)
{
	const struct rs_json_place run = {.key = "run"};
	const struct rs_json_place running = {.above = &run, .key = "running"};
	const struct rs_running *items = &document->outcome.running;
	if (document->exit_status > UINT8_MAX || document->signal > MOST_SIGNAL ||
		(document->exit_status > 0 && document->signal > 0))
		return rs_json_refuse(
			load, &run, "has an exit status or a signal that no process has");
	if (document->elapsed_ns > UINT64_MAX - document->begin_ns)
		return rs_json_refuse(load, &run, "ends after 2^64 ns");
	for (size_t i = 0; i < items->n; i++)
		if (items->items[i].index >= document->run.n_processes ||
			(i > 0 && items->items[i].index <= items->items[i - 1].index))
			return rs_json_refuse(load, &running, "is not in the order of processes");
	return true;
}

static bool check_event(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_document *document, const struct rs_event *event)
{
	const struct rs_plan *plan = &document->plan;
	if (strcmp(event->unit, "ns") != 0 && strcmp(event->unit, "count") != 0)
		return rs_json_refuse(load, place, "has a unit that is neither ns nor count");
	if (event->core_pmu > plan->core_pmus.n || (event->part_name && event->core_pmu == 0))
		return rs_json_refuse(load, place, "is of a core_pmu that is not there");
	if (event->group < -1 || event->group >= (int)plan->n_groups)
		return rs_json_refuse(load, place, "is in a group that is not there");
	return true;
}

static bool check_events(const struct rs_json_load *load, const struct rs_document *document)
{
	const struct rs_json_place events = {.key = "events"};
	for (size_t i = 0; i < RS_EVENT_FIRST; i++) {
		if (i >= document->n_events ||
			strcmp(document->events[i].event.name, rs_event_names[i]) != 0)
			return rs_json_refuse(load, &events,
				"does not begin with time, cpu-time, blocked and preempted");
	}
	for (size_t i = RS_EVENT_FIRST; i < document->n_events; i++) {
		const struct rs_json_place place = {.above = &events, .index = i};
		if (!check_event(load, &place, document, &document->events[i].event))
			return false;
	}
	return true;
}

static bool is_event(const struct rs_document *document, uint32_t event)
{
	return event >= RS_EVENT_FIRST && event < document->n_events;
}

bool rs_check_facts(const struct rs_json_load *load, const struct rs_document *document)
{
	const struct rs_json_place totals = {.key = "totals"}, processes = {.key = "processes"};
	if (!check_run(load, document) || !check_events(load, document))
		return false;
	for (size_t i = 0; i < document->n_totals; i++) {
		const struct rs_json_place place = {.above = &totals, .index = i};
		const struct rs_total *total = &document->totals[i].total;
		if (!is_event(document, document->totals[i].event))
			return rs_json_refuse(load, &place, "is of an event that is not there");
		if (total->running_ns > total->enabled_ns)
			return rs_json_refuse(load, &place, "ran longer than it was enabled");
	}
	for (size_t i = 0; i < document->run.n_processes; i++) {
		const struct rs_json_place place = {.above = &processes, .index = i};
		const struct rs_run_process *process = &document->run.processes[i];
		uint32_t open = process->open_event, inactive = process->inactive_event;
		if ((open != RS_NO_EVENT && !is_event(document, open)) ||
			(inactive != RS_NO_EVENT && !is_event(document, inactive)))
			return rs_json_refuse(load, &place, "names an event that is not there");
	}
	return true;
}

/* ---- the plan ---- */

/* Return true if the events of a group are adjacent and follow those of the previous group. */
static bool check_group(const struct rs_plan *plan, int index)
{
	const struct rs_group *group = &plan->groups[index];
	if (group->n_events == 0 || (index > 0 && group->first <= group[-1].first))
		return false;
	for (size_t i = group->first; i < group->first + group->n_events; i++)
		if (i >= plan->n_events || plan->events[i].group != index)
			return false;
	return true;
}

static bool check_groups(const struct rs_json_load *load, const struct rs_plan *plan)
{
	const struct rs_json_place above = {.key = "plan"};
	const struct rs_json_place groups = {.above = &above, .key = "groups"};
	size_t n_events = 0, n_groups = 0;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct rs_json_place place = {.above = &groups, .index = g};
		if (!check_group(plan, (int)g))
			return rs_json_refuse(
				load, &place, "has no events, or they are not side by side");
		n_groups += plan->groups[g].in_regions;
		n_events += plan->groups[g].in_regions ? plan->groups[g].n_events : 0;
	}
	return (n_events <= RS_MAX_EVENTS && n_groups <= RS_MAX_GROUPS) ||
	       rs_json_refuse(load, &groups, "has more events or groups than there can be");
}

/* Check that two events have the same position only if they are parts of one event. */
static bool check_position(
	const struct rs_json_load *load, const struct rs_plan *plan, size_t index)
{
	const struct rs_json_place events = {.key = "events"};
	const struct rs_json_place place = {.above = &events, .index = RS_EVENT_FIRST + index};
	const struct rs_event *event = &plan->events[index];
	size_t n_parts = 0;
	for (size_t i = 0; i < plan->n_events; i++) {
		if (!rs_event_is_same(event, &plan->events[i]))
			continue;
		n_parts++;
		if (i != index && (!event->part_name || !plan->events[i].part_name))
			return rs_json_refuse(load, &place, "has the position of another event");
	}
	return n_parts <= RS_MAX_CORE_PMUS ||
	       rs_json_refuse(load, &place, "is one of more parts than there can be");
}

bool rs_check_plan(const struct rs_json_load *load, const struct rs_plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		if (!check_position(load, plan, i))
			return false;
	return check_groups(load, plan);
}

bool rs_check_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_saved_metric *saved, const struct rs_formula *formula)
{
	const struct rs_json_place operands = {.above = place, .key = "operands"};
	const struct rs_json_place positions = {.above = place, .key = "positions"};
	if (saved->n_operands != formula->n_operands)
		return rs_json_refuse(load, &operands, "has not one for each name in the formula");
	for (size_t i = 0; i < saved->n_operands; i++)
		if (formula->operands[i].fact == RS_FACT_NONE &&
			saved->operands[i] >= saved->n_events)
			return rs_json_refuse(
				load, &operands, "has a member that is no event's index");
	return saved->n_positions == (saved->reason ? 0 : saved->n_events) ||
	       rs_json_refuse(load, &positions, "has not one for each event");
}

/* ---- what was measured ---- */

bool rs_check_measured(const struct rs_json_load *load, const struct rs_run *run)
{
	const struct rs_json_place place = {.key = "collection"}, threads = {.key = "threads"};
	if ((run->n_damaged == 0) != (run->damage[0] == '\0'))
		return rs_json_refuse(load, &place, "does not say what was damaged");
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rs_json_place here = {.above = &threads, .index = i};
		if (run->threads[i].process >= run->n_processes)
			return rs_json_refuse(load, &here, "is of a process that is not there");
	}
	return true;
}

static bool is_region(const struct rs_run *run, uint32_t region)
{
	return region < run->n_regions && run->regions[region].ready;
}

/* Return true if `weights` can be the sum of the weights of `calls` calls. Each weight is at least
 * 1. */
static bool weights_make_sense(uint64_t weights, uint64_t calls)
{
	return calls > 0 ? weights >= calls : weights == 0;
}

/* Relative rounding error that is allowed for sums of doubles. */
#define ROUNDING 1e-9

/* Return true if calls with these weights can have this value. Each call and the sum of all calls
 * were rounded to whole ns separately. */
static bool value_makes_sense(const struct rs_value *value, const struct rs_result *result)
{
	rs_u128 sum = 2 * (rs_u128)value->sum, weight = value->weight;
	double range = (double)(value->max - value->min) + 1;
	if (value->counted > result->measured || weight > result->weight ||
		!weights_make_sense(value->weight, value->counted) ||
		!weights_make_sense(
			result->weight - value->weight, result->measured - value->counted) ||
		value->running_ns > value->enabled_ns || value->variance < 0)
		return false;
	if (weight == 0)
		return value->sum == 0 && value->min == 0 && value->max == 0 && value->square == 0;
	if (value->min > value->max || sum + 1 + weight < 2 * weight * value->min)
		return false;
	if (value->sum < UINT64_MAX && sum > 1 + weight + 2 * weight * value->max)
		return false;
	/* the standard deviation of values is at most half of their range (T. Popoviciu, 1935) */
	return value->square >= 0 &&
	       value->square <= (double)value->weight * range * range / 4 * (1 + ROUNDING);
}

/* Return true if a value has only totals and a count of calls, as off-CPU time has. */
static bool off_makes_sense(const struct rs_value *value)
{
	return value->weight == 0 && value->counted < RS_MAX_CALLS && value->sum == 0 &&
	       value->min == 0 && value->max == 0 && value->square == 0 && value->histogram.n == 0;
}

/* Return true if the histogram's buckets have the bounds of rs_histogram_bucket(), are in ascending
 * order, and are not empty. */
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

/* Return true if octaves (ranges of times from 2^k to 2^(k+1)) are in descending order and none is
 * empty. stats/tails.c compares their weights with those of the result, as it does for a collected
 * run. */
static bool octaves_make_sense(const struct rs_result *result, uint32_t n_events)
{
	for (size_t i = 0; i < result->n_octaves; i++) {
		const struct rs_octave *octave = &result->octaves[i];
		if (octave->weight == 0 || octave->n_sums != n_events ||
			(i > 0 && octave->low_ns >= octave[-1].low_ns))
			return false;
	}
	return true;
}

/* Return true if each value belongs to an event that regions count, and no event has two values. */
static bool values_make_sense(const struct rs_saved_result *saved, const struct rs_plan *plan)
{
	/* a bit for each event; the first bits are for the events that every region has */
	uint64_t seen = 0;
	for (size_t i = 0; i < saved->n_values; i++) {
		const struct rs_value *value = &saved->values[i].value;
		uint32_t of = saved->values[i].event;
		uint64_t bit = UINT64_C(1) << (of % RS_EVENT_FIRST);
		if (of >= RS_EVENT_FIRST) {
			size_t event = of - RS_EVENT_FIRST;
			if (event >= plan->n_events || plan->events[event].counter == 0)
				return false;
			bit = UINT64_C(1) << rs_event_of_counter(plan->events[event].counter);
		}
		bool is_off = of == RS_EVENT_BLOCKED || of == RS_EVENT_PREEMPTED;
		if (seen & bit || !histogram_makes_sense(&value->histogram) ||
			!(is_off ? off_makes_sense(value)
				 : value_makes_sense(value, &saved->result)))
			return false;
		seen |= bit;
	}
	return true;
}

/* Return true if the times of processes can have this distribution. */
static bool ranks_make_sense(const struct rs_result *result)
{
	if (result->n_ranks == 0)
		return true;
	const struct rs_value *times = &result->ranks->times;
	return times->counted > 0 && times->min <= times->max && times->square >= 0 &&
	       times->histogram.n > 0 && histogram_makes_sense(&times->histogram);
}

bool rs_check_result(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_saved_result *saved)
{
	const struct rs_result *result = &saved->result;
	if (result->thread >= run->n_threads)
		return rs_json_refuse(load, place, "is of a thread that is not there");
	if (!is_region(run, result->region))
		return rs_json_refuse(load, place, "is of a region that is not there");
	for (size_t i = 0; i < result->n_parents; i++)
		if (result->parents[i] != RS_NO_REGION && !is_region(run, result->parents[i]))
			return rs_json_refuse(load, place, "has a parent that is not there");
	bool makes_sense = result->measured < RS_MAX_CALLS && result->weight < RS_MAX_CALLS &&
			   result->measured <= result->calls &&
			   rs_result_skipped(result) < RS_MAX_CALLS &&
			   weights_make_sense(result->weight, result->measured) &&
			   result->n_threads <= UINT32_MAX &&
			   result->diag[RS_ACCUMULATOR_DIAG_OPEN] >= result->open &&
			   values_make_sense(saved, run->plan) && ranks_make_sense(result) &&
			   octaves_make_sense(result, run->n_events);
	return makes_sense || rs_json_refuse(load, place, "makes no sense");
}

bool rs_check_order(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const struct rs_result *result, size_t *seen)
{
	if (run->n_results > 0 && result->thread < run->results[run->n_results - 1].thread)
		return rs_json_refuse(load, place, "is not in the order of threads");
	if (seen[result->region] == (size_t)result->thread + 1)
		return rs_json_refuse(
			load, place, "has the region of an earlier result of its thread");
	seen[result->region] = (size_t)result->thread + 1;
	return true;
}
