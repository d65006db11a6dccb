/* SPDX-License-Identifier: MIT */
/*
 * This file lists metrics, one in each line or as one JSON document. It checks each metric as a run
 * would. The list says whether this machine can compute the metric, and what the metric means. If
 * several metrics have the same name, the list shows the one that a run would use.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/text.h"
#include "command.h"
#include "config.h"
#include "list.h"
#include "metrics.h"
#include "plan/host.h"
#include "plan/plan.h"

/* A metric of the list. */
struct found {
	const struct rs_metric_rule *rule; /* borrowed */
	/* why this machine cannot compute the metric, in one line; "" if it can */
	char reason[256];
};

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

static void print_metric(const struct found *metric, int name_columns)
{
	const struct rs_metric_rule *rule = metric->rule;
	char shown[512];
	rs_text_escape(shown, sizeof(shown), metric->reason);
	printf("  %-*s  %-3s  %s", name_columns, rule->name, metric->reason[0] ? "no" : "yes",
		rule->meaning ? rule->meaning : rule->text);
	if (strcmp(rule->unit, "ratio") != 0)
		printf(" [%s]", rule->unit);
	if (metric->reason[0])
		printf(" (%s)", shown);
	putchar('\n');
}

/* Print more facts about the metric. */
static void print_details(const struct rs_metric_rule *rule)
{
	const struct {
		const char *word;
		const char *text;
	} lines[] = {{"formula", rule->text}, {"worry", rule->worry}, {"source", rule->source},
		{"file", rule->place}};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].text)
			printf("      %s: %s\n", lines[i].word, lines[i].text);
	for (size_t i = 0; i < rule->n_events; i++)
		printf("%s%s", i == 0 ? "      events: " : ", ", rule->events[i]);
	if (rule->n_events > 0)
		putchar('\n');
}

/* Find the metrics that the options select. Fill found[metrics->n]. Return how many metrics
 * match. */
static size_t find_all(const struct rs_metrics *metrics, const struct rs_options *options,
	const char *glob, struct found *found)
{
	struct rs_cpu cpu;
	size_t n = 0;
	rs_cpu_find(&cpu, rs_host_self());
	for (size_t i = 0; i < metrics->n; i++) {
		const struct rs_metric_rule *elsewhere, *rule;
		const char *name = metrics->rules[i]->name;
		if (was_before(metrics, i) || (glob && !rs_glob_matches_any_case(glob, name)))
			continue;
		rule = rs_metrics_find(metrics, name, cpu.words, cpu.n, &elsewhere);
		rule = rule ? rule : elsewhere;
		if (!is_found(rule, options->search))
			continue;
		found[n].rule = rule;
		find_reason(found[n].reason, sizeof(found[n].reason), rule);
		n += !options->countable || !found[n].reason[0];
	}
	return n;
}

/* Print the metrics. is_one: the user gave a whole name, so print all facts. */
static void print_all(const struct found *found, size_t n, bool is_one)
{
	int name_columns = 0;
	for (size_t i = 0; i < n; i++) {
		int length = (int)strlen(found[i].rule->name);
		name_columns = length > name_columns ? length : name_columns;
	}
	for (size_t i = 0; i < n; i++) {
		print_metric(&found[i], name_columns);
		if (is_one)
			print_details(found[i].rule);
	}
}

static int print_json(const struct found *metrics, size_t n)
{
	json_t *rows = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct rs_metric_rule *rule = metrics[i].rule;
		json_t *events = json_array();
		for (size_t e = 0; e < rule->n_events; e++)
			events = rs_list_add(events, rs_list_text(rule->events[e]));
		rows = rs_list_add(rows,
			json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*}",
				"name", rs_list_text(rule->name), "label",
				rs_list_text(rule->label), "unit", rs_list_text(rule->unit),
				"countable", metrics[i].reason[0] ? "no" : "yes", "formula",
				rs_list_text(rule->text), "events", events, "reason",
				rs_list_text(metrics[i].reason), "help",
				rs_list_text(rule->meaning), "worry", rs_list_text(rule->worry),
				"source", rs_list_text(rule->source), "file",
				rs_list_text(rule->place)));
	}
	return rs_list_print_json("metrics", rows ? json_pack("{s:o}", "metrics", rows) : NULL);
}

static int list(
	const struct rs_metrics *metrics, const struct rs_options *options, const char *glob)
{
	struct found *found = calloc(metrics->n + 1, sizeof(*found));
	size_t n = found ? find_all(metrics, options, glob, found) : 0;
	int status = 0;
	if (!found || options->json)
		status = found ? print_json(found, n) : rs_list_print_json("metrics", NULL);
	else
		print_all(found, n, glob && !strpbrk(glob, "*?["));
	if (n == 0 && status == 0)
		status = rs_list_refuse(options, "metrics", "metric", glob);
	free(found);
	return status;
}

int rs_list_metrics(struct rs_options *options, const char *glob)
{
	struct rs_metrics metrics = {0};
	struct rs_err err;
	bool done = rs_config_load(options, &err) && rs_metrics_load(&metrics, options, &err);
	int status = done ? list(&metrics, options, glob) : rs_command_fail(NULL, &err);
	rs_metrics_finish(&metrics);
	return status;
}
