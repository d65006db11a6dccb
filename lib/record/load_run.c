/* SPDX-License-Identifier: MIT */
/*
 * This file makes a run from a document. check.c checks that the parts fit together.
 */

#include "record/document.h"

#define MOST_RESULTS ((size_t)RS_MAX_SLOTS * RS_MAX_REGIONS)

/* ---- what was run, and how it was planned ---- */

static void set_time(struct timeval *time, uint64_t ns)
{
	time->tv_sec = (time_t)(ns / 1000000000u);
	time->tv_usec = (suseconds_t)(ns % 1000000000u / 1000u);
}

static void load_run(const struct rs_json_load *load, struct rs_run *run,
	struct rs_outcome *outcome, const struct rs_document *document)
{
	char **argv = rs_arena_array(load->arena, document->n_argv + 1, sizeof(*argv));
	for (size_t i = 0; i < document->n_argv; i++)
		argv[i] = (char *)document->argv[i];
	run->argv = argv;
	if (!run->label)
		run->label = "";
	outcome->started = true;
	outcome->wait_status = (int)(document->exit_status << 8 | document->signal);
	outcome->begin.monotonic_ns = document->begin_ns;
	outcome->end.monotonic_ns = document->begin_ns + document->elapsed_ns;
	set_time(&outcome->usage.ru_utime, document->user_ns);
	set_time(&outcome->usage.ru_stime, document->system_ns);
}

static void load_counters(struct rs_run *run, struct rs_plan *plan)
{
	struct rs_segment_event events[RS_MAX_EVENTS];
	rs_plan_segment_events(plan, events, &run->n_events, &run->n_groups);
	for (uint32_t i = 0; i < run->n_events; i++)
		run->counter_group[1 + i] = events[i].group;
}

/* Load the events. Find the events of each group from the group indexes of events. */
static bool load_events(
	const struct rs_json_load *load, struct rs_plan *plan, const struct rs_document *document)
{
	plan->n_events = document->n_events - RS_EVENT_FIRST;
	plan->events = rs_arena_array(load->arena, plan->n_events, sizeof(*plan->events));
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_saved_event *saved = &document->events[RS_EVENT_FIRST + i];
		struct rs_event *event = &plan->events[i];
		*event = saved->event;
		event->generic = saved->generic ? rs_names_find(saved->generic) : NULL;
		event->attr.precise_ip = saved->precise & 3u;
		rs_document_set_exclude(&event->attr, saved->exclude);
		if (event->group >= 0 && plan->groups[event->group].n_events++ == 0)
			plan->groups[event->group].first = i;
	}
	for (size_t i = 0; i < plan->core_pmus.n; i++)
		plan->core_pmus.items[i] = document->core_pmus[i];
	return rs_check_plan(load, plan);
}

static bool load_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_saved_metric *saved, struct rs_plan_metric *metric)
{
	struct rs_metric_rule *rule = rs_arena_array(load->arena, 1, sizeof(*rule));
	const struct rs_json_place at_formula = {.above = place, .key = "formula"};
	struct rs_err ignored;
	unsigned column;
	rule->name = saved->name;
	rule->label = saved->label;
	rule->unit = saved->unit;
	rule->text = saved->formula;
	rule->n_events = saved->n_events;
	for (size_t i = 0; i < saved->n_events; i++)
		rule->events[i] = saved->events[i];
	for (size_t i = 0; i < saved->n_operands; i++)
		rule->event_of[i] = saved->operands[i];
	metric->rule = rule;
	metric->reason = (char *)saved->reason;
	for (size_t i = 0; i < saved->n_positions; i++)
		metric->positions[i] = saved->positions[i];
	if (!rs_formula_parse(&rule->formula, rule->text, &column, &ignored))
		return rs_json_refuse(load, &at_formula, "is no formula");
	return rs_check_metric(load, place, saved, &rule->formula);
}

static bool load_metrics(
	const struct rs_json_load *load, struct rs_plan *plan, const struct rs_document *document)
{
	const struct rs_json_place place = {.key = "metrics"};
	plan->n_metrics = document->n_metrics;
	plan->metrics = rs_arena_array(load->arena, plan->n_metrics, sizeof(*plan->metrics));
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_metric(load, &here, &document->metrics[i], &plan->metrics[i]))
			return false;
	}
	return true;
}

/* Load the count of each event over the whole run. If --no-totals was given, there are no such
 * counts. */
static void load_totals(const struct rs_json_load *load, struct rs_outcome *outcome,
	const struct rs_document *document)
{
	outcome->totals = NULL;
	if (document->n_totals == 0)
		return;
	outcome->totals = rs_arena_array(
		load->arena, document->n_events - RS_EVENT_FIRST, sizeof(*outcome->totals));
	for (size_t i = 0; i < document->n_totals; i++)
		outcome->totals[document->totals[i].event - RS_EVENT_FIRST] =
			document->totals[i].total;
}

/* ---- what was measured ---- */

static bool load_result(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, size_t *seen, struct rs_result *result)
{
	struct rs_saved_result saved = {.n_values = 0};
	if (!rs_json_get_struct(load, place, &rs_document_result, &saved) ||
		!rs_check_result(load, place, run, &saved) ||
		!rs_check_order(load, place, run, &saved.result, seen))
		return false;
	*result = saved.result;
	if (result->n_ranks > 0)
		result->ranks->times.weight = result->ranks->times.counted;
	result->process = run->threads[result->thread].process;
	result->n_values = rs_run_n_values(run);
	result->values = rs_arena_array(load->arena, result->n_values, sizeof(*result->values));
	for (size_t v = 0; v < result->n_values; v++)
		result->values[v].slowest = UINT64_MAX;
	for (size_t i = 0; i < saved.n_values; i++) {
		uint32_t event = saved.values[i].event;
		uint32_t counter = event < RS_EVENT_FIRST
					   ? 0
					   : run->plan->events[event - RS_EVENT_FIRST].counter;
		result->values[counter > 0 ? rs_event_of_counter(counter) : event] =
			saved.values[i].value;
	}
	rs_run_complete_result(run, result);
	return true;
}

bool rs_load_results(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document)
{
	const struct rs_json_place place = {.key = "results"};
	size_t *seen = rs_arena_array(load->arena, run->n_regions, sizeof(*seen));
	bool is_first = true;
	if (!rs_json_take(load->reader, '['))
		return rs_json_refuse(load, &place, "is not an array");
	for (; rs_json_more(load->reader, ']', &is_first); run->n_results++) {
		const struct rs_json_place here = {.above = &place, .index = run->n_results};
		if (run->n_results == MOST_RESULTS)
			return rs_json_refuse(load, &place, "has too many members");
		run->results = rs_arena_room(
			load->arena, run->results, run->n_results, sizeof(*run->results));
		if (!load_result(load, &here, run, seen, &run->results[run->n_results]))
			return false;
	}
	if (load->reader->error)
		return false;
	rs_run_set_running(run, &document->outcome.running);
	return true;
}

bool rs_load_measured(
	const struct rs_json_load *load, struct rs_run *run, struct rs_document *document)
{
	*run = document->run;
	load_counters(run, &document->plan);
	run->is_measured = true;
	for (uint32_t i = 0; i < run->n_processes; i++)
		run->processes[i].entry = i;
	for (size_t i = 0; i < run->n_regions; i++)
		run->regions[i].ready = run->regions[i].name[0];
	return rs_check_measured(load, run);
}

bool rs_load_facts(const struct rs_json_load *load, struct rs_document *document)
{
	struct rs_plan *plan = &document->plan;
	struct rs_outcome *outcome = &document->outcome;
	document->run.plan = plan;
	document->run.outcome = outcome;
	if (!rs_check_facts(load, document))
		return false;
	load_run(load, &document->run, outcome, document);
	load_totals(load, outcome, document);
	return load_events(load, plan, document) && load_metrics(load, plan, document);
}
