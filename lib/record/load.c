/* SPDX-License-Identifier: MIT */
/*
 * This file reads a saved run: it turns JSON text into a document and the document into a run.
 * check.c checks that the parts fit together.
 */
#include "record/load.h"

#include <string.h>

#include "base/text.h"
#include "record/check.h"

#define MOST_DEPTH 32 /* the format needs 6, for a bucket */
#define MOST_RESULTS ((size_t)RS_MAX_SLOTS * RS_MAX_REGIONS)

/* ---- what was run, and how it was planned ---- */

static void set_time(struct timeval *time, uint64_t ns)
{
	time->tv_sec = (time_t)(ns / 1000000000u);
	time->tv_usec = (suseconds_t)(ns % 1000000000u / 1000u);
}

static bool load_run(const struct rs_json_load *load, struct rs_run *run,
	struct rs_outcome *outcome, const struct rs_document *document)
{
	char **argv = rs_arena_array(load->arena, document->n_argv + 1, sizeof(*argv));
	if (!argv)
		return rs_json_no_memory(load);
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
	return true;
}

/* Find the group of each event's values from the plan. */
static void load_quantities(struct rs_run *run, struct rs_plan *plan)
{
	struct rs_segment_event events[RS_MAX_EVENTS];
	rs_plan_segment_events(plan, events, &run->n_events, &run->n_groups);
	for (uint32_t i = 0; i < run->n_events; i++)
		run->quantity_group[1 + i] = events[i].group;
}

/* Load the events, and find the events of each group from the group numbers that events have. */
static bool load_events(
	const struct rs_json_load *load, struct rs_plan *plan, const struct rs_document *document)
{
	plan->n_events = document->n_events - RS_EVENT_FIRST;
	plan->events = rs_arena_array(load->arena, plan->n_events, sizeof(*plan->events));
	if (!plan->events)
		return rs_json_no_memory(load);
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

/* Load a metric: its formula, and the event of each operand. */
static bool load_metric(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_saved_metric *saved, struct rs_plan_metric *metric)
{
	struct rs_metric_rule *rule = rs_arena_array(load->arena, 1, sizeof(*rule));
	const struct rs_json_place at_formula = {.above = place, .key = "formula"};
	struct rs_err ignored;
	unsigned column;
	if (!rule)
		return rs_json_no_memory(load);
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
	if (!plan->metrics)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_metric(load, &here, &document->metrics[i], &plan->metrics[i]))
			return false;
	}
	return true;
}

/* Load the count of each event over the whole run. There is none if totals were not wanted. */
static bool load_totals(const struct rs_json_load *load, struct rs_outcome *outcome,
	const struct rs_document *document)
{
	outcome->totals = NULL;
	if (document->n_totals == 0)
		return true;
	outcome->totals = rs_arena_array(
		load->arena, document->n_events - RS_EVENT_FIRST, sizeof(*outcome->totals));
	if (!outcome->totals)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < document->n_totals; i++)
		outcome->totals[document->totals[i].event - RS_EVENT_FIRST] =
			document->totals[i].total;
	return true;
}

/* ---- what was measured ---- */

static bool load_result(const struct rs_json_load *load, const struct rs_json_place *place,
	const struct rs_run *run, const json_t *value, struct rs_result *result)
{
	struct rs_saved_result saved = {.n_values = 0};
	if (!rs_json_get_struct(load, place, value, &rs_document_result, &saved) ||
		!rs_check_result(load, place, run, &saved))
		return false;
	*result = saved.result;
	if (result->n_ranks > 0)
		result->ranks->times.weight = result->ranks->times.counted;
	result->process = run->threads[result->thread].process;
	result->n_values = rs_run_n_values(run);
	result->values = rs_arena_array(load->arena, result->n_values, sizeof(*result->values));
	if (!result->values)
		return rs_json_no_memory(load);
	for (size_t v = 0; v < result->n_values; v++)
		result->values[v].slowest = UINT64_MAX;
	for (size_t i = 0; i < saved.n_values; i++) {
		uint32_t event = saved.values[i].event;
		uint32_t quantity = event < RS_EVENT_FIRST
					    ? 0
					    : run->plan->events[event - RS_EVENT_FIRST].quantity;
		result->values[quantity > 0 ? rs_event_of_quantity(quantity) : event] =
			saved.values[i].value;
	}
	rs_run_complete_result(run, result);
	return true;
}

static bool load_results(const struct rs_json_load *load, struct rs_run *run, const json_t *results)
{
	const struct rs_json_place place = {.key = "results"};
	if (!rs_json_check_array(load, &place, results, MOST_RESULTS))
		return false;
	run->n_results = json_array_size(results);
	run->results = rs_arena_array(load->arena, run->n_results, sizeof(*run->results));
	if (!run->results)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_result(load, &here, run, json_array_get(results, i), &run->results[i]))
			return false;
	}
	return true;
}

static bool load_measured(const struct rs_json_load *load, struct rs_run *run,
	struct rs_document *document, const json_t *value)
{
	if (!rs_json_get_struct(load, NULL, value, &rs_document_measured, document))
		return false;
	*run = document->run;
	run->is_measured = true;
	for (uint32_t i = 0; i < run->n_processes; i++)
		run->processes[i].entry = i;
	for (size_t i = 0; i < run->n_regions; i++)
		run->regions[i].ready = run->regions[i].name[0];
	return rs_check_measured(load, run) &&
	       load_results(load, run, json_object_get(value, "results")) &&
	       rs_check_order(load, run);
}

/* ---- the file ---- */

/* Check that the document is a saved run in a version that can be read. */
static bool check_schema(const struct rs_json_load *load, const json_t *document)
{
	const json_t *schema = json_object_get(document, "schema");
	const char *version = json_string_value(json_object_get(document, "regionstat"));
	if (!version) {
		rs_err_set(load->err, "it is JSON, but no run of regionstat");
		return rs_err_add_line(load->err, "try: a file that -o FILE.json wrote");
	}
	if (json_integer_value(schema) == RS_RECORD_SCHEMA)
		return true;
	rs_err_set(load->err,
		"regionstat %s wrote it, in version %lld of the format; regionstat %s reads "
		"version %d",
		rs_text_shown(version).text, (long long)json_integer_value(schema),
		REGIONSTAT_VERSION, RS_RECORD_SCHEMA);
	return rs_err_add_line(load->err, "try: report of regionstat %s, or of a later one",
		rs_text_shown(version).text);
}

/* Return true if a text begins with the header of CSV, with any separator. */
static bool is_csv(const char *text, size_t bytes)
{
	const char *end = memchr(text, '\n', bytes);
	size_t n = end ? (size_t)(end - text) : bytes;
	return n > 3 && memcmp(text, "run", 3) == 0 && memmem(text, n, "kind", 4) &&
	       memmem(text, n, "self_total", strlen("self_total"));
}

/* Return true if a saved run was cut off: it begins like one, but its end is missing. */
static bool is_cut(const char *text, size_t bytes, const json_error_t *error)
{
	static const char start[] = "{\n\"regionstat\":";
	size_t n = bytes < strlen(start) ? bytes : strlen(start);
	return bytes > 0 && memcmp(text, start, n) == 0 &&
	       (json_error_code(error) == json_error_premature_end_of_input ||
		       (text[bytes - 1] != '}' && text[bytes - 1] != '\n'));
}

/* Return true if brackets are nested deeper than in any run. jansson uses stack for each level. Up
 * to the first syntax error, where jansson stops, this loop sees the same brackets as jansson. */
static bool is_too_deep(const char *text, size_t bytes)
{
	size_t depth = 0;
	bool in_string = false;
	for (size_t i = 0; i < bytes && depth <= MOST_DEPTH; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && (text[i] == '[' || text[i] == '{'))
			depth++;
		else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
			depth--;
	}
	return depth > MOST_DEPTH;
}

/* Set err to say why a text is not JSON. Always return false. */
static bool refuse_text(
	const char *text, size_t bytes, const json_error_t *error, struct rs_err *err)
{
	if (bytes == 0) {
		rs_err_set(err, "it is empty");
	} else if (error->line < 0) { /* jansson does not report that malloc() failed */
		rs_err_set(err, "there is no memory for it");
		return rs_err_add_line(err, "try: with more memory, or a higher ulimit -v");
	} else if (is_csv(text, bytes)) {
		rs_err_set(err, "it is CSV, which does not hold all that was measured");
		return rs_err_add_line(err, "try: -o FILE.json beside -o FILE.csv, when the "
					    "program is run the next time");
	} else if (is_cut(text, bytes, error)) {
		rs_err_set(err, "it is a saved run whose end is missing: it stops at line %d",
			error->line);
		return rs_err_add_line(err, "try: the whole file, or run the program again");
	} else {
		rs_err_set(err, "it is no JSON: line %d, column %d: %s", error->line, error->column,
			rs_text_shown(error->text).text);
	}
	return rs_err_add_line(err, "try: a file that -o FILE.json wrote");
}

static bool load_document(const struct rs_json_load *load, struct rs_run *run, const json_t *value)
{
	struct rs_document document = {.n_argv = 0};
	struct rs_plan *plan = rs_arena_array(load->arena, 1, sizeof(*plan));
	struct rs_outcome *outcome = rs_arena_array(load->arena, 1, sizeof(*outcome));
	if (!plan || !outcome)
		return rs_json_no_memory(load);
	if (!check_schema(load, value) ||
		!rs_json_get_struct(load, NULL, value, &rs_document_facts, &document) ||
		!rs_check_facts(load, &document))
		return false;
	*plan = document.plan;
	*outcome = document.outcome;
	document.run.plan = plan;
	document.run.outcome = outcome;
	if (!load_run(load, &document.run, outcome, &document) ||
		!load_events(load, plan, &document) || !load_metrics(load, plan, &document) ||
		!load_totals(load, outcome, &document))
		return false;
	const json_t *measured = json_object_get(value, "collection");
	if (!measured || json_is_null(measured)) {
		document.run.n_processes = 0;
	} else {
		load_quantities(&document.run, plan);
		if (!load_measured(load, &document.run, &document, value))
			return false;
		rs_run_set_running(&document.run, &outcome->running);
	}
	*run = document.run;
	return true;
}

bool rs_run_load(struct rs_run *run, const char *text, size_t bytes, struct rs_err *err)
{
	json_error_t error;
	struct rs_arena arena = {0};
	const struct rs_json_load load = {.arena = &arena, .err = err};
	*run = (struct rs_run){0};
	if (is_too_deep(text, bytes)) {
		rs_err_set(err, "it is no run: more than %d objects and arrays lie in each other",
			MOST_DEPTH);
		return rs_err_add_line(err, "try: a file that -o FILE.json wrote");
	}
	json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	bool done = document && load_document(&load, run, document);
	if (!document)
		refuse_text(text, bytes, &error, err);
	json_decref(document);
	run->arena = arena;
	if (done)
		return true;
	if (!strstr(err->text, "\n  try: "))
		rs_err_add_line(err, "try: the file as -o FILE.json wrote it, whole and unchanged");
	rs_run_finish(run);
	return false;
}
