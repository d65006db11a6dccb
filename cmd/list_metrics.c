/* SPDX-License-Identifier: MIT */
/*
 * regionstat list metrics [GLOB]. In: the metrics that the command knows. Out: a line for each, or one
 * JSON document, with whether it is possible here, tried as a run would, and what it means; each name
 * once, as a run would take it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "command.h"
#include "config.h"
#include "list.h"
#include "metrics.h"
#include "plan/cpu.h"
#include "plan/plan.h"

static bool was_before(const struct rs_metrics *metrics, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcasecmp(metrics->rules[i]->name, metrics->rules[index]->name) == 0)
			return true;
	return false;
}

/* Why a metric is not possible here, in one line; "" when it is. */
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

/* Whether -s finds a metric. */
static bool is_found(const struct rs_metric_rule *rule, const char *search)
{
	return rs_list_holds(rule->name, search) || rs_list_holds(rule->label, search) ||
	       (rule->meaning && rs_list_holds(rule->meaning, search));
}

static const char *meaning_of(const struct rs_metric_rule *rule)
{
	return rule->meaning ? rule->meaning : rule->text;
}

static void print_metric(const struct rs_list_metric *metric, int name_columns)
{
	const struct rs_metric_rule *rule = metric->rule;
	char shown[512];
	rs_text_escape(shown, sizeof(shown), metric->reason);
	printf("  %-*s  %-3s  %s", name_columns, rule->name, metric->reason[0] ? "no" : "yes",
		meaning_of(rule));
	if (strcmp(rule->unit, "ratio") != 0)
		printf(" [%s]", rule->unit);
	if (metric->reason[0])
		printf(" (%s)", shown);
	putchar('\n');
}

/* What more there is to say of it. */
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

/* Those that the options ask for. found[metrics->n]: filled. Returns how many. */
static size_t find_all(const struct rs_metrics *metrics, const struct rs_options *options,
	const char *glob, struct rs_list_metric *found)
{
	struct rs_cpu cpu;
	size_t n = 0;
	rs_cpu_find(&cpu, rs_host_self());
	for (size_t i = 0; i < metrics->n; i++) {
		const struct rs_metric_rule *elsewhere, *rule;
		const char *name = metrics->rules[i]->name;
		if (was_before(metrics, i) || !rs_metrics_match(glob, name))
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

/* is_one: a single name was asked for, and all is told of it. */
static void print_all(const struct rs_list_metric *found, size_t n, bool is_one)
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

static int refuse_no_match(const struct rs_options *options, const char *glob)
{
	struct rs_err err;
	const struct rs_text_shown shown = rs_text_shown(glob ? glob : "*");
	rs_err_set(&err, "no metric matches '%s'", shown.text);
	if (options->search)
		rs_err_set(&err, "no metric%s%s%s has '%s' in its name or meaning",
			glob ? " that matches '" : "", glob ? shown.text : "", glob ? "'" : "",
			rs_text_shown(options->search).text);
	if (options->countable)
		rs_err_add_line(
			&err, "and is possible here: --countable leaves out those that are not");
	rs_err_add_line(&err, "try: regionstat list metrics, for all");
	rs_command_complain(&err);
	return RS_STATUS_NO_MATCH;
}

static int list(
	const struct rs_metrics *metrics, const struct rs_options *options, const char *glob)
{
	struct rs_list_metric *found = calloc(metrics->n + 1, sizeof(*found));
	struct rs_err err;
	int status = 0;
	bool done = found || rs_err_set(&err, "cannot list the metrics: out of memory");
	size_t n = done ? find_all(metrics, options, glob, found) : 0;
	if (done && options->json)
		done = rs_list_print_metrics_json(found, n, &err);
	else if (done)
		print_all(found, n, glob && !strpbrk(glob, "*?["));
	if (!done) {
		rs_command_complain(&err);
		status = RS_STATUS_FAILED;
	} else if (n == 0) {
		status = refuse_no_match(options, glob);
	}
	free(found);
	return status;
}

int rs_list_metrics(struct rs_options *options, const char *glob)
{
	struct rs_metrics metrics = {0};
	struct rs_err err;
	int status = RS_STATUS_FAILED;
	if (!rs_config_load(options, &err) || !rs_metrics_load(&metrics, options, &err))
		rs_command_complain(&err);
	else
		status = list(&metrics, options, glob);
	rs_metrics_finish(&metrics);
	return status;
}
