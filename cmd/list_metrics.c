/* SPDX-License-Identifier: MIT */
/*
 * This file lists metrics, one in each line or as one JSON document. It checks each metric as a run
 * would. The list says whether this machine can compute the metric, and what the metric means. If
 * several metrics have the same name, the list shows the one that a run would use.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "command.h"
#include "config.h"
#include "list.h"
#include "metrics.h"
#include "plan/host.h"
#include "plan/plan.h"
#include "record/json.h"

static bool was_before(const struct rs_metrics *metrics, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcasecmp(metrics->rules[i]->name, metrics->rules[index]->name) == 0)
			return true;
	return false;
}

/* Write to out why this machine cannot compute a metric, in one line. Write "" if it can. */
static void find_reason(char *out, size_t out_bytes, const struct rs_metric_rule *rule)
{
	const struct rs_plan_options options = {.metrics = &rule, .n_metrics = 1};
	struct rs_plan plan;
	struct rs_err err;
	bool done = rs_plan_init(&plan, &options, &err);
	const char *reason = done ? plan.metrics[0].reason : err.text;
	snprintf(out, out_bytes, "%.*s", reason ? (int)strcspn(reason, "\n") : 0,
		reason ? reason : "");
	if (done)
		rs_plan_finish(&plan);
}

/* Return true if --search finds a metric. */
static bool is_found(const struct rs_metric_rule *rule, const char *search)
{
	return rs_list_holds(rule->name, search) || rs_list_holds(rule->label, search) ||
	       (rule->meaning && rs_list_holds(rule->meaning, search));
}

static json_t *make_row(const struct rs_metric_rule *rule, const char *reason)
{
	json_t *events = json_array();
	for (size_t i = 0; i < rule->n_events; i++)
		rs_json_append(events, rs_list_text(rule->events[i]));
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*}", "name",
		rs_list_text(rule->name), "label", rs_list_text(rule->label), "unit",
		rs_list_text(rule->unit), "countable", *reason ? "no" : "yes", "formula",
		rs_list_text(rule->text), "events", events, "reason", rs_list_text(reason), "help",
		rs_list_text(rule->meaning), "worry", rs_list_text(rule->worry), "source",
		rs_list_text(rule->source), "file", rs_list_text(rule->place));
}

/* Return the rows of the metrics that the options select. */
static json_t *make_rows(
	const struct rs_metrics *metrics, const struct rs_options *options, const char *glob)
{
	struct rs_cpu cpu;
	json_t *rows = json_array();
	rs_cpu_find(&cpu, rs_host_self());
	for (size_t i = 0; i < metrics->n; i++) {
		const struct rs_metric_rule *elsewhere, *rule;
		const char *name = metrics->rules[i]->name;
		char reason[256];
		if (was_before(metrics, i) || (glob && !rs_glob_matches_any_case(glob, name)))
			continue;
		rule = rs_metrics_find(metrics, name, cpu.words, cpu.n, &elsewhere);
		rule = rule ? rule : elsewhere;
		if (!is_found(rule, options->search))
			continue;
		find_reason(reason, sizeof(reason), rule);
		if (!options->countable || !*reason)
			rs_json_append(rows, make_row(rule, reason));
	}
	return rows;
}

/* Print more facts about the metric. */
static void print_details(const json_t *row)
{
	static const char *const words[] = {"formula", "worry", "source", "file"};
	const json_t *events = json_object_get(row, "events"), *event;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (rs_list_member(row, words[i]))
			printf("      %s: %s\n", words[i], rs_list_member(row, words[i]));
	for (size_t i = 0; (event = json_array_get(events, i)); i++)
		printf("%s%s", i == 0 ? "      events: " : ", ", json_string_value(event));
	if (json_array_size(events) > 0)
		putchar('\n');
}

int rs_list_metrics(struct rs_options *options, const char *glob)
{
	struct rs_metrics metrics = {0};
	struct rs_err err;
	bool done = rs_config_load(options, &err) && rs_metrics_load(&metrics, options, &err);
	json_t *rows = done ? make_rows(&metrics, options, glob) : NULL;
	rs_metrics_finish(&metrics);
	if (!done)
		return rs_command_fail(NULL, &err);
	bool is_none = json_array_size(rows) == 0;
	if (options->json)
		rs_list_print_json(json_pack("{s:O}", "metrics", rows));
	else
		rs_list_print_kind(rows, NULL, "");
	if (!options->json && glob && !strpbrk(glob, "*?["))
		print_details(json_array_get(rows, 0));
	json_decref(rows);
	return is_none ? rs_list_refuse(options, "metrics", "metric", glob) : 0;
}
