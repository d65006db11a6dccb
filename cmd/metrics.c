/* SPDX-License-Identifier: MIT */
/*
 * This file finds the rules of the metrics that the options name. The plan is made from these
 * rules.
 */
#include "metrics.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/suggest.h"
#include "base/text.h"
#include "config.h"
#include "config/find.h"
#include "plan/host.h"
#include "command.h"

bool rs_metrics_load(
	struct rs_metrics *metrics, const struct rs_options *options, struct rs_err *err)
{
	char path[PATH_MAX];
	bool done = rs_metrics_path_find(path)
			    ? rs_metrics_add_directory(metrics, path, RS_METRICS_INSTALLED, err)
			    : rs_metrics_add_usual(metrics, err);
	if (done && rs_config_home_path(path, sizeof(path), "metrics"))
		done = rs_metrics_add_directory(metrics, path, RS_METRICS_FOUND, err);
	for (size_t i = 0; done && i < options->metrics_files.n; i++) {
		done = rs_metrics_add_file(metrics, options->metrics_files.items[i], err);
		if (!done)
			rs_config_add_origin(options, "metrics-file", i, err);
	}
	return done;
}

/* Add a rule to the list, unless the list contains it already. */
static bool take(
	struct rs_wanted_metrics *wanted, const struct rs_metric_rule *rule, struct rs_err *err)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->rules[i] == rule)
			return true;
	wanted->rules = rs_arena_room(
		&wanted->all.arena, wanted->rules, wanted->n, sizeof(*wanted->rules));
	if (!wanted->rules)
		return rs_err_set(err, "-M: out of memory");
	wanted->rules[wanted->n++] = rule;
	return true;
}

static bool refuse_unknown(
	const struct rs_wanted_metrics *wanted, const char *name, struct rs_err *err)
{
	struct rs_suggest suggest = {.name = name};
	for (size_t i = 0; i < wanted->all.n; i++)
		rs_suggest_offer(&suggest, wanted->all.rules[i]->name);
	rs_err_set(err, "-M: there is no metric '%s'", rs_text_shown(name).text);
	if (!rs_suggest_add_line(&suggest, err))
		rs_err_add_line(err, "try: regionstat list metrics");
	return false;
}

/* Set err to the message that a glob matches only metrics of other CPUs. Return false. */
static bool refuse_elsewhere(const char *glob, const struct rs_cpu *cpu, struct rs_err *err)
{
	const struct rs_text_shown shown = rs_text_shown(glob);
	rs_err_set(err, "-M: all metrics that match '%s' are for other CPUs", shown.text);
	if (cpu->n > 0)
		rs_err_add_line(err, "this one is %s", cpu->words[0]);
	return rs_err_add_line(err, "try: regionstat list metrics --countable");
}

/* Add the metric of a name, or all metrics for this CPU that match a glob. */
static bool take_name(struct rs_wanted_metrics *wanted, const struct rs_cpu *cpu, const char *name,
	struct rs_err *err)
{
	const struct rs_metric_rule *elsewhere;
	const struct rs_metric_rule *rule = rs_metrics_find(
		&wanted->all, name, cpu->words, cpu->n, &elsewhere);
	size_t n_matched = 0, n_taken = 0;
	if (rule || elsewhere)
		return take(wanted, rule ? rule : elsewhere, err);
	for (size_t i = 0; strpbrk(name, "*?[") && i < wanted->all.n; i++) {
		const char *other = wanted->all.rules[i]->name;
		if (!rs_glob_matches_any_case(name, other))
			continue;
		rule = rs_metrics_find(&wanted->all, other, cpu->words, cpu->n, &elsewhere);
		if (rule && !take(wanted, rule, err))
			return false;
		n_matched++;
		n_taken += rule != NULL;
	}
	if (n_matched == 0)
		return refuse_unknown(wanted, name, err);
	return n_taken > 0 || refuse_elsewhere(name, cpu, err);
}

bool rs_wanted_metrics_init(
	struct rs_wanted_metrics *wanted, const struct rs_options *options, struct rs_err *err)
{
	struct rs_cpu cpu;
	bool done = true;
	*wanted = (struct rs_wanted_metrics){0};
	if (options->metrics.n + options->metrics_files.n == 0)
		return true;
	if (!rs_metrics_load(&wanted->all, options, err))
		return false;
	rs_cpu_find(&cpu, rs_host_self());
	for (size_t i = 0; done && i < options->metrics.n; i++) {
		char *names = strdup(options->metrics.items[i]), *rest = names;
		if (!names)
			return rs_err_set(err, "-M: out of memory");
		for (char *name; done && (name = strsep(&rest, ","));)
			done = take_name(wanted, &cpu, name, err);
		free(names);
		if (!done)
			rs_config_add_origin(options, "metrics", i, err);
	}
	return done;
}

void rs_wanted_metrics_finish(struct rs_wanted_metrics *wanted)
{
	rs_metrics_finish(&wanted->all);
	*wanted = (struct rs_wanted_metrics){0};
}
