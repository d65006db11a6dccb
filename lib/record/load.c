/* SPDX-License-Identifier: MIT */
/*
 * Reading the facts of a saved run: what was run, where, how it was planned and how it ended. What
 * was measured is read by load_measured.c.
 */
#include "record/load.h"

#include <string.h>

#include "base/text.h"
#include "record/loader.h"
#include "record/metrics.h"
#include "segment/adapters.h"

/* More words than any command line has. */
#define MOST_WORDS (1u << 24)
#define MOST_DEPTH 32 /* a bucket lies in 7 */

static bool no_memory(const struct rs_json_load *load)
{
	return rs_err_set(load->err, "there is no memory for it");
}

/* An object of the document into a struct. */
static bool load_struct(const struct rs_json_load *load, const json_t *document, const char *key,
	const struct rs_json_fields *fields, void *members)
{
	const struct rs_json_place place = {.key = key};
	const json_t *object = rs_json_get(load, NULL, document, key, JSON_OBJECT);
	return object && rs_json_get_struct(load, &place, object, fields, members);
}

static bool load_command(
	const struct rs_json_load *load, struct rs_record *record, const json_t *document)
{
	const json_t *command = rs_json_get(load, NULL, document, "command", JSON_ARRAY);
	const struct rs_json_place place = {.key = "command"};
	size_t n = json_array_size(command);
	if (!command || n > MOST_WORDS)
		return command ? rs_json_refuse(load, &place, "has too many members") : false;
	char **argv = rs_arena_array(load->arena, n + 1, sizeof(*argv));
	if (!argv)
		return no_memory(load);
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!rs_json_get_bytes(load, &here, json_array_get(command, i), &argv[i]))
			return false;
	}
	record->argv = argv;
	return true;
}

/* Globs of --only; older files have none. */
static bool load_only(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_record_how *how)
{
	const struct rs_json_place place = {.above = above, .key = "only"};
	const json_t *array = json_object_get(object, "only");
	size_t n = json_array_size(array);
	if (n > MOST_WORDS)
		return rs_json_refuse(load, &place, "has too many members");
	char **only = rs_arena_array(load->arena, n, sizeof(*only));
	if (!only)
		return no_memory(load);
	for (size_t i = 0; i < n; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		if (!rs_json_get_bytes(load, &here, json_array_get(array, i), &only[i]))
			return false;
	}
	how->only = (const char *const *)only;
	how->n_only = n;
	return true;
}

/* Rules of --slow; older files have none. */
static bool load_slow(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_record_how *how)
{
	const struct rs_json_place place = {.above = above, .key = "slow"};
	if (!json_object_get(object, "slow"))
		return true;
	const json_t *rules = rs_json_get(load, above, object, "slow", JSON_ARRAY);
	if (!rules)
		return false;
	how->slow = rs_json_get_structs(load, &place, rules, &rs_fields_slow, sizeof(*how->slow),
		RS_MAX_SLOW_RULES, &how->n_slow);
	for (size_t i = 0; how->slow && i < how->n_slow; i++)
		if (!how->slow[i].region || !how->slow[i].condition)
			return rs_json_refuse(load, &place, "has a member without its texts");
	return how->slow;
}

/* Adapters that the program got; older files have none. */
static bool load_markers(const struct rs_json_load *load, const struct rs_json_place *above,
	const json_t *object, struct rs_record_how *how)
{
	const struct rs_json_place place = {.above = above, .key = "markers"};
	if (!json_object_get(object, "markers"))
		return true;
	const json_t *markers = rs_json_get(load, above, object, "markers", JSON_ARRAY);
	if (!markers)
		return false;
	how->markers = rs_json_get_structs(load, &place, markers, &rs_fields_marker,
		sizeof(*how->markers), RS_MAX_ADAPTERS, &how->n_markers);
	for (size_t i = 0; how->markers && i < how->n_markers; i++)
		if (!how->markers[i].word || !how->markers[i].environment)
			return rs_json_refuse(load, &place, "has a member without its texts");
	return how->markers;
}

static bool load_how(
	const struct rs_json_load *load, struct rs_record_how *how, const json_t *document)
{
	const struct rs_json_place place = {.key = "how"};
	const struct rs_json_place here = {.above = &place, .key = "samples"};
	if (!load_struct(load, document, "how", &rs_fields_how, how))
		return false;
	if (!load_only(load, &place, json_object_get(document, "how"), how) ||
		!load_slow(load, &place, json_object_get(document, "how"), how) ||
		!load_markers(load, &place, json_object_get(document, "how"), how))
		return false;
	const json_t *samples = rs_json_get(
		load, &place, json_object_get(document, "how"), "samples", JSON_ARRAY);
	if (!samples)
		return false;
	how->samples = rs_json_get_structs(load, &here, samples, &rs_fields_sample,
		sizeof(*how->samples), RS_MAX_REGIONS, &how->n_samples);
	for (size_t i = 0; how->samples && i < how->n_samples; i++)
		if (!how->samples[i].name)
			return rs_json_refuse(load, &here, "has a member without a name");
	return how->samples;
}

/* What stands in a word of a list that there are few of. */
static bool load_attr(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, struct perf_event_attr *attr)
{
	static const struct rs_json_field fields[] = {
		{"type", RS_JSON_U32, offsetof(struct perf_event_attr, type), 1},
		{"config", RS_JSON_U64, offsetof(struct perf_event_attr, config), 1},
		{"config1", RS_JSON_U64, offsetof(struct perf_event_attr, config1), 1},
		{"config2", RS_JSON_U64, offsetof(struct perf_event_attr, config2), 1},
	};
	const struct rs_json_fields table = RS_JSON_FIELDS(fields);
	const json_t *exclude = json_object_get(object, "exclude");
	if (!rs_json_get_struct(load, place, object, &table, attr))
		return false;
	attr->precise_ip = (unsigned)json_integer_value(json_object_get(object, "precise")) & 3u;
	for (size_t i = 0; i < json_array_size(exclude); i++) {
		const char *word = json_string_value(json_array_get(exclude, i));
		for (size_t e = 0; word && e < RS_RECORD_EXCLUDES; e++)
			if (strcmp(word, rs_record_excludes[e].word) == 0)
				rs_record_excludes[e].set(attr);
	}
	return true;
}

static bool load_status(const struct rs_json_load *load, const struct rs_json_place *place,
	const json_t *object, enum rs_event_status *status)
{
	static const char *const words[] = {[RS_EVENT_OK] = "ok",
		[RS_EVENT_NOT_SUPPORTED] = "not-supported",
		[RS_EVENT_NOT_PERMITTED] = "not-permitted"};
	const struct rs_json_place here = {.above = place, .key = "status"};
	const json_t *value = rs_json_get(load, place, object, "status", JSON_STRING);
	for (size_t i = 0; value && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], json_string_value(value)) != 0)
			continue;
		*status = (enum rs_event_status)i;
		return true;
	}
	return value ? rs_json_refuse(load, &here, "is no status of an event") : false;
}

static bool load_events(const struct rs_json_load *load, struct rs_plan *plan,
	const struct rs_json_place *above, const json_t *object)
{
	const struct rs_json_place place = {.above = above, .key = "events"};
	const json_t *events = rs_json_get(load, above, object, "events", JSON_ARRAY);
	if (!events)
		return false;
	plan->events = rs_json_get_structs(load, &place, events, &rs_fields_event,
		sizeof(*plan->events), 2 * RS_MAX_EVENTS * RS_MAX_CORE_PMUS, &plan->n_events);
	for (size_t i = 0; plan->events && i < plan->n_events; i++) {
		const struct rs_json_place here = {.above = &place, .index = i};
		const struct rs_json_place at = {.above = &here, .key = "attr"};
		const json_t *event = json_array_get(events, i);
		const char *generic = json_string_value(json_object_get(event, "generic"));
		const json_t *attr = rs_json_get(load, &here, event, "attr", JSON_OBJECT);
		if (!attr || !load_attr(load, &at, attr, &plan->events[i].attr) ||
			!load_status(load, &here, event, &plan->events[i].status))
			return false;
		plan->events[i].generic = generic ? rs_names_find(generic) : NULL;
	}
	return plan->events;
}

static bool load_plan(const struct rs_json_load *load, struct rs_plan *plan, const json_t *document)
{
	const struct rs_json_place place = {.key = "plan"};
	const struct rs_json_place at_groups = {.above = &place, .key = "groups"};
	const struct rs_json_place at_pmus = {.above = &place, .key = "core_pmus"};
	if (!load_struct(load, document, "plan", &rs_fields_plan, plan))
		return false;
	const json_t *object = json_object_get(document, "plan");
	const json_t *groups = rs_json_get(load, &place, object, "groups", JSON_ARRAY);
	const json_t *pmus = rs_json_get(load, &place, object, "core_pmus", JSON_ARRAY);
	if (!groups || !pmus || !load_events(load, plan, &place, object) ||
		!rs_load_metrics(load, plan, &place, object))
		return false;
	plan->groups = rs_json_get_structs(load, &at_groups, groups, &rs_fields_group,
		sizeof(*plan->groups), 2 * RS_MAX_EVENTS * RS_MAX_CORE_PMUS, &plan->n_groups);
	struct rs_core_pmu *items = rs_json_get_structs(load, &at_pmus, pmus, &rs_fields_core_pmu,
		sizeof(*items), RS_MAX_CORE_PMUS, &plan->core_pmus.n);
	if (!plan->groups || !items)
		return false;
	memcpy(plan->core_pmus.items, items, plan->core_pmus.n * sizeof(*items));
	return true;
}

/* What the run counted of each event; none of it where totals were not wanted. */
static bool load_totals(const struct rs_json_load *load, struct rs_saved_run *run,
	const struct rs_json_place *above, const json_t *object)
{
	const struct rs_json_place place = {.above = above, .key = "totals"};
	const json_t *totals = rs_json_get(load, above, object, "totals", JSON_ARRAY);
	size_t n;
	if (!totals)
		return false;
	run->outcome.totals = rs_json_get_structs(load, &place, totals, &rs_fields_total,
		sizeof(*run->outcome.totals), run->plan.n_events, &n);
	if (!run->outcome.totals)
		return false;
	if (n == 0)
		run->outcome.totals = NULL;
	return n == 0 || n == run->plan.n_events ||
	       rs_json_refuse(load, &place, "has not one for each event");
}

static bool load_outcome(
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *document)
{
	struct rs_outcome *outcome = &run->outcome;
	const struct rs_json_place place = {.key = "outcome"};
	if (!load_struct(load, document, "outcome", &rs_fields_outcome, outcome))
		return false;
	outcome->started = true;
	const json_t *object = json_object_get(document, "outcome");
	const struct {
		const char *key;
		const struct rs_json_fields *fields;
		void *members;
	} parts[] = {
		{"begin", &rs_fields_clock_point, &outcome->begin},
		{"end", &rs_fields_clock_point, &outcome->end},
		{"usage", &rs_fields_usage, &outcome->usage},
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct rs_json_place here = {.above = &place, .key = parts[i].key};
		const json_t *part = rs_json_get(load, &place, object, parts[i].key, JSON_OBJECT);
		if (!part ||
			!rs_json_get_struct(load, &here, part, parts[i].fields, parts[i].members))
			return false;
	}
	const struct rs_json_place here = {.above = &place, .key = "running"};
	const json_t *running = rs_json_get(load, &place, object, "running", JSON_ARRAY);
	if (!running || !load_totals(load, run, &place, object))
		return false;
	outcome->running.items = rs_json_get_structs(load, &here, running, &rs_fields_running,
		sizeof(*outcome->running.items), RS_MAX_PROCESSES, &outcome->running.n);
	for (size_t i = 1; outcome->running.items && i < outcome->running.n; i++)
		if (outcome->running.items[i].index <= outcome->running.items[i - 1].index)
			return rs_json_refuse(load, &here, "is not in the order of its indexes");
	return outcome->running.items;
}

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
	} else if (error->line < 0) { /* jansson says nothing of what malloc() refuses */
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
	const struct rs_json_load *load, struct rs_saved_run *run, const json_t *document)
{
	struct rs_record *record = &run->record;
	const struct rs_json_place at_run = {.key = "run"};
	char *label;
	if (!check_schema(load, document) ||
		!rs_json_get_bytes(load, &at_run, json_object_get(document, "run"), &label))
		return false;
	const json_t *started = rs_json_get(load, NULL, document, "started", JSON_INTEGER);
	*record = (struct rs_record){.label = label,
		.started_s = json_integer_value(started),
		.plan = &run->plan,
		.outcome = &run->outcome};
	if (!started || !load_command(load, record, document) ||
		!load_struct(load, document, "machine", &rs_fields_machine, &record->machine) ||
		!load_how(load, &record->how, document) || !load_plan(load, &run->plan, document) ||
		!load_outcome(load, run, document) || !rs_check_plan(load, run))
		return false;
	const json_t *measured = json_object_get(document, "measured");
	if (!measured || json_is_null(measured))
		return true;
	record->collection = &run->collection;
	if (!rs_load_measured(load, run, measured) || !rs_check_collection(load, run))
		return false;
	/* follows from the regions, and so is not saved */
	for (size_t i = 0; i < run->collection.n_cells; i++) {
		struct rs_cell_copy *cell = &run->collection.cells[i];
		cell->is_of_work = rs_collection_work_of(&run->collection, cell->region) !=
				   RS_NO_REGION;
	}
	return true;
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
