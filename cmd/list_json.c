/* SPDX-License-Identifier: MIT */
/*
 * Events and metrics as JSON. In go entries of the catalogue, or metrics; out comes one document, for
 * scripts: every word in it is of a fixed set, but for names, meanings, reasons and what files say.
 */
#include "list.h"

#include <jansson.h>

#include "base/text.h"

#define TEXT_BYTES 1024u

static const char *const kinds[] = {
	[RS_EVENT_HARDWARE] = "hardware",
	[RS_EVENT_SOFTWARE] = "software",
	[RS_EVENT_CACHE] = "cache",
	[RS_EVENT_RAW] = "raw",
	[RS_EVENT_SYSFS] = "sysfs",
	[RS_EVENT_TRACEPOINT] = "tracepoint",
	[RS_EVENT_LIBPFM] = "model",
};

json_t *rs_list_text(const char *text)
{
	char shown[TEXT_BYTES];
	rs_text_escape(shown, sizeof(shown), text);
	return json_string(shown);
}

static bool add_event(json_t *events, const char *name, const char *kind, const char *countable,
	const char *reason, const char *help)
{
	json_t *event = json_pack("{s:o, s:s, s:s}", "name", rs_list_text(name), "kind", kind,
		"countable", countable);
	bool done = event &&
		    (!*reason || json_object_set_new(event, "reason", rs_list_text(reason)) == 0);
	done = done && json_object_set_new(event, "help", rs_list_text(help)) == 0;
	if (!done) {
		json_decref(event);
		return false;
	}
	return json_array_append_new(events, event) == 0;
}

/* And release it. False: no memory, also where document is NULL. */
static bool print_document(json_t *document)
{
	bool done = document && json_dumpf(document, stdout, JSON_INDENT(1)) == 0;
	putchar('\n');
	json_decref(document);
	return done;
}

bool rs_list_print_json(const struct rs_catalogue *catalogue, bool has_time, struct rs_err *err)
{
	json_t *events = json_array();
	bool done = events &&
		    (!has_time || add_event(events, "time", "time", "yes", "", RS_LIST_TIME_HELP));
	for (size_t i = 0; done && i < catalogue->n_entries; i++) {
		const struct rs_catalogue_entry *entry = &catalogue->entries[i];
		done = add_event(events, entry->name, kinds[entry->kind],
			rs_list_offer(entry->offer), entry->reason, entry->help);
	}
	json_t *document = done ? json_pack("{s:O, s:b}", "events", events, "tracepoints_listed",
					  catalogue->tracefs_error == 0)
				: NULL;
	json_decref(events);
	return print_document(document) || rs_err_set(err, "cannot list the events: out of memory");
}

/* text: NULL, or "", is left out. */
static bool add_text(json_t *object, const char *key, const char *text)
{
	return !text || !*text || json_object_set_new(object, key, rs_list_text(text)) == 0;
}

static bool add_metric(json_t *metrics, const struct rs_list_metric *metric)
{
	const struct rs_metric_rule *rule = metric->rule;
	json_t *object = json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "name",
		rs_list_text(rule->name), "label", rs_list_text(rule->label), "unit",
		rs_list_text(rule->unit), "countable", metric->reason[0] ? "no" : "yes", "formula",
		rs_list_text(rule->text), "events", json_array());
	bool done = object && add_text(object, "reason", metric->reason) &&
		    add_text(object, "help", rule->meaning) &&
		    add_text(object, "worry", rule->worry) &&
		    add_text(object, "source", rule->source) &&
		    add_text(object, "file", rule->place);
	for (size_t i = 0; done && i < rule->n_events; i++)
		done = json_array_append_new(json_object_get(object, "events"),
			       rs_list_text(rule->events[i])) == 0;
	if (!done) {
		json_decref(object);
		return false;
	}
	return json_array_append_new(metrics, object) == 0;
}

bool rs_list_print_metrics_json(const struct rs_list_metric *metrics, size_t n, struct rs_err *err)
{
	json_t *array = json_array();
	bool done = array != NULL;
	for (size_t i = 0; done && i < n; i++)
		done = add_metric(array, &metrics[i]);
	json_t *document = done ? json_pack("{s:O}", "metrics", array) : NULL;
	json_decref(array);
	return print_document(document) ||
	       rs_err_set(err, "cannot list the metrics: out of memory");
}
