/* SPDX-License-Identifier: MIT */
/*
 * Reading a saved run: the text to a document, and that to the structs that stages from the summary on
 * take. check.c says whether it makes sense.
 */
#include "record/load.h"

#include <string.h>

#include "base/text.h"
#include "record/check.h"

#define MOST_DEPTH 32 /* a bucket lies in 6 */
#define MOST_RESULTS ((size_t)RS_MAX_SLOTS * RS_MAX_REGIONS)

/* ---- what was run, and how it was planned ---- */

static void set_time(struct timeval *time, uint64_t ns)
{
	time->tv_sec = (time_t)(ns / 1000000000u);
	time->tv_usec = (suseconds_t)(ns % 1000000000u / 1000u);
}

static bool load_run(const struct rs_json_load *load, struct rs_saved_run *run,
	const struct rs_document *document)
{
	struct rs_outcome *outcome = &run->outcome;
	char **argv = rs_arena_array(load->arena, document->n_argv + 1, sizeof(*argv));
	if (!argv)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < document->n_argv; i++)
		argv[i] = (char *)document->argv[i];
	run->record.argv = argv;
	if (!run->record.label)
		run->record.label = "";
	outcome->started = true;
	outcome->wait_status = (int)(document->exit_status << 8 | document->signal);
	outcome->begin.monotonic_ns = document->begin_ns;
	outcome->end.monotonic_ns = document->begin_ns + document->elapsed_ns;
	set_time(&outcome->usage.ru_utime, document->user_ns);
	set_time(&outcome->usage.ru_stime, document->system_ns);
	return true;
}

/* The group of each event's values follows from the plan. */
static void load_quantities(struct rs_collection *collection, struct rs_plan *plan)
{
	struct rs_segment_event events[RS_MAX_EVENTS];
	rs_plan_segment_events(plan, events, &collection->n_events, &collection->n_groups);
	for (uint32_t i = 0; i < collection->n_events; i++)
		collection->quantity_group[1 + i] = events[i].group;
}

/* A group has the events that say so. */
static bool load_events(
	const struct rs_json_load *load, struct rs_plan *plan, struct rs_document *document)
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
	if (!rs_check_plan(load, plan))
		return false;
	load_quantities(&document->collection, plan);
	return true;
}

/* Load a metric: the formula, and which of the events each of its operands is. */
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

/* The run's count of each event; none of it where totals were not wanted. */
static bool load_totals(const struct rs_json_load *load, struct rs_saved_run *run,
	const struct rs_document *document)
{
	run->outcome.totals = NULL;
	if (document->n_totals == 0)
		return true;
	run->outcome.totals = rs_arena_array(
		load->arena, run->plan.n_events, sizeof(*run->outcome.totals));
	if (!run->outcome.totals)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < document->n_totals; i++)
		run->outcome.totals[document->totals[i].event - RS_EVENT_FIRST] =
			document->totals[i].total;
	return true;
}

/* ---- what was measured ---- */

static uint32_t quantity_of(const struct rs_plan *plan, uint32_t event)
{
	return event != UINT32_MAX ? plan->events[event - RS_EVENT_FIRST].quantity : 0;
}

/* Whether a process is blank, like one without an entry, which was not collected. */
static bool is_blank(const struct rs_process_copy *process)
{
	uint64_t any = process->pid | process->open_errno | process->setup_ns;
	for (size_t i = 0; i < RS_PROCESS_DIAG_N; i++)
		any |= process->diag[i];
	return any == 0;
}

static bool load_processes(const struct rs_json_load *load, struct rs_saved_run *run,
	const struct rs_document *document)
{
	struct rs_collection *out = &run->collection;
	out->processes = rs_arena_array(
		load->arena, document->n_processes, sizeof(*out->processes));
	if (!out->processes)
		return rs_json_no_memory(load);
	for (uint32_t i = 0; i < document->n_processes; i++) {
		const struct rs_saved_process *saved = &document->processes[i];
		struct rs_process_copy *process = &out->processes[out->n_processes];
		if (is_blank(&saved->process))
			continue;
		out->n_processes++;
		*process = saved->process;
		process->index = i;
		process->has_rank = saved->rank != UINT32_MAX;
		process->rank = process->has_rank ? saved->rank : 0;
		process->open_quantity = quantity_of(&run->plan, saved->open_event);
		process->inactive_quantity = quantity_of(&run->plan, saved->inactive_event);
	}
	return true;
}

static bool load_values(const struct rs_json_load *load, const struct rs_saved_run *run,
	const struct rs_saved_result *saved, struct rs_cell_copy *cell)
{
	size_t n = rs_collection_n_values(&run->collection);
	cell->values = rs_arena_array(load->arena, n, sizeof(*cell->values));
	cell->slowest = rs_arena_array(
		load->arena, 1 + run->collection.n_events, sizeof(*cell->slowest));
	cell->octaves = rs_arena_array(load->arena, saved->n_octaves, sizeof(*cell->octaves));
	if (!cell->values || !cell->slowest || !cell->octaves)
		return rs_json_no_memory(load);
	memset(cell->slowest, 0xff, (1 + run->collection.n_events) * sizeof(*cell->slowest));
	for (size_t i = 0; i < saved->n_values; i++) {
		const struct rs_saved_value *value = &saved->values[i];
		uint32_t quantity = value->event < RS_EVENT_FIRST
					    ? 0
					    : quantity_of(&run->plan, value->event);
		bool has_quantity = value->event == RS_EVENT_TIME || quantity > 0;
		cell->values[quantity > 0 ? rs_event_of_quantity(quantity) : value->event] =
			value->value;
		if (has_quantity)
			cell->slowest[quantity] = value->slowest;
		if (has_quantity && value->is_clamped)
			cell->clamped_quantities |= UINT64_C(1) << quantity;
	}
	cell->n_octaves = (uint32_t)saved->n_octaves;
	for (size_t i = 0; i < saved->n_octaves; i++)
		cell->octaves[i] = (struct rs_octave){
			saved->octaves[i].low_ns, saved->octaves[i].weight, saved->octaves[i].sums};
	return true;
}

static bool load_result(const struct rs_json_load *load, const struct rs_json_place *place,
	struct rs_saved_run *run, const json_t *value, struct rs_cell_copy *cell)
{
	const struct rs_collection *out = &run->collection;
	struct rs_saved_result saved = {.n_values = 0};
	if (!rs_json_get_struct(load, place, value, &rs_document_result, &saved) ||
		!rs_check_result(load, place, &run->plan, out, &saved))
		return false;
	const struct rs_slot_copy *slot = &out->slots[saved.thread];
	*cell = saved.cell;
	cell->slot = slot->index;
	cell->process = slot->process;
	cell->is_owned = slot->is_owned;
	cell->is_of_work = rs_collection_work_of(out, cell->region) != RS_NO_REGION;
	cell->skipped = saved.calls - cell->calls;
	cell->n_parents = (uint32_t)saved.n_parents;
	for (size_t i = 0; i < saved.n_parents; i++)
		cell->parents[i] = saved.parents[i];
	return load_values(load, run, &saved, cell);
}

static bool load_results(
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *results)
{
	const struct rs_json_place place = {.key = "results"};
	struct rs_collection *out = &run->collection;
	if (!rs_json_check_array(load, &place, results, MOST_RESULTS))
		return false;
	out->n_cells = json_array_size(results);
	out->cells = rs_arena_array(load->arena, out->n_cells, sizeof(*out->cells));
	if (!out->cells)
		return rs_json_no_memory(load);
	for (size_t i = 0; i < out->n_cells; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!load_result(load, &here, run, json_array_get(results, i), &out->cells[i]))
			return false;
	}
	return true;
}

static bool load_measured(const struct rs_json_load *load, struct rs_saved_run *run,
	struct rs_document *document, const json_t *value)
{
	struct rs_collection *out = &run->collection;
	if (!rs_json_get_struct(load, NULL, value, &rs_document_measured, document))
		return false;
	*out = document->collection;
	for (uint32_t i = 0; i < out->n_slots; i++)
		out->slots[i].index = i;
	for (size_t i = 0; i < out->n_regions; i++)
		out->regions[i].ready = out->regions[i].name[0];
	run->record.collection = out;
	return load_processes(load, run, document) && rs_check_collection(load, document) &&
	       load_results(load, run, json_object_get(value, "results")) &&
	       rs_check_order(load, out);
}

/* ---- the file ---- */

/* That it is a run, and of a version that can be read. */
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

/* Whether a text begins with the header of CSV, whatever separates the columns. */
static bool is_csv(const char *text, size_t bytes)
{
	const char *end = memchr(text, '\n', bytes);
	size_t n = end ? (size_t)(end - text) : bytes;
	return n > 3 && memcmp(text, "run", 3) == 0 && memmem(text, n, "kind", 4) &&
	       memmem(text, n, "self_total", strlen("self_total"));
}

/* Whether a text begins as a saved run does, and does not end as one. */
static bool is_cut(const char *text, size_t bytes, const json_error_t *error)
{
	static const char start[] = "{\n\"regionstat\":";
	size_t n = bytes < strlen(start) ? bytes : strlen(start);
	return bytes > 0 && memcmp(text, start, n) == 0 &&
	       (json_error_code(error) == json_error_premature_end_of_input ||
		       (text[bytes - 1] != '}' && text[bytes - 1] != '\n'));
}

/* Whether brackets lie deeper in each other than in any run: jansson would need a stack for them. Up to
 * the first error of the text, where jansson stops, they are those that it sees. */
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

/* Say what a text is that is no JSON. Returns false always. */
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

static bool load_document(
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *value)
{
	struct rs_document document = {.n_argv = 0};
	if (!check_schema(load, value) ||
		!rs_json_get_struct(load, NULL, value, &rs_document_facts, &document) ||
		!rs_check_facts(load, &document))
		return false;
	run->record = document.record;
	run->plan = document.plan;
	run->outcome = document.outcome;
	run->record.plan = &run->plan;
	run->record.outcome = &run->outcome;
	return load_run(load, run, &document) && load_events(load, &run->plan, &document) &&
	       load_metrics(load, &run->plan, &document) && load_totals(load, run, &document) &&
	       (json_is_null(json_object_get(value, "collection")) ||
		       !json_object_get(value, "collection") ||
		       load_measured(load, run, &document, value));
}

bool rs_record_load(struct rs_saved_run *run, const char *text, size_t bytes, struct rs_err *err)
{
	json_error_t error;
	const struct rs_json_load load = {.arena = &run->arena, .err = err};
	*run = (struct rs_saved_run){0};
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
	if (done)
		return true;
	if (!strstr(err->text, "\n  try: "))
		rs_err_add_line(err, "try: the file as -o FILE.json wrote it, whole and unchanged");
	rs_saved_run_finish(run);
	return false;
}

void rs_saved_run_finish(struct rs_saved_run *run)
{
	if (!run)
		return;
	rs_arena_finish(&run->arena);
	*run = (struct rs_saved_run){0};
}
