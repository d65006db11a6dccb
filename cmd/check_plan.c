/* SPDX-License-Identifier: MIT */
/*
 * This file checks options against the plan and the program before the run. If an option names an
 * event that regions do not count, the message lists the events that they count. This file splits
 * each rule of --slow, REGION:EVENT>LIMIT, into a glob, events of the plan, and a limit in units of
 * the event. For --functions it searches the program for functions that match the globs.
 */
#include "check_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "compare/gate.h"
#include "config.h"
#include "metrics/metrics.h"
#include "names/names.h"
#include "options_table.h"
#include "stats/columns.h"

#define TIME_COUNTER UINT64_C(1)
#define LINES_PER_S 100u /* the default of --slow-rate */

/* ---- events that regions count ---- */

struct counted {
	struct rs_suggest suggest;
	char names[256]; /* names of counted events, as many as fit in the array */
};

/* Prepare the message that regions do not count `event`, and that lists the events that they count.
 * `time` is the first event of the list. */
static void counted_init(struct counted *counted, const char *event)
{
	*counted = (struct counted){.suggest = {.name = event}, .names = "time"};
	rs_suggest_offer(&counted->suggest, "time");
}

static void counted_add(struct counted *counted, const char *name)
{
	rs_suggest_offer(&counted->suggest, name);
	if (strlen(counted->names) + strlen(name) + sizeof(", ") <= sizeof(counted->names))
		rs_text_list(counted->names, sizeof(counted->names), name);
}

static bool counted_refuse(const struct counted *counted, const struct rs_options *options,
	const char *option, struct rs_err *err)
{
	rs_err_set(err, "%s: regions do not count '%s'", option,
		rs_text_shown(counted->suggest.name).text);
	rs_options_add_metric_hint(options, option, counted->suggest.name, err);
	if (!rs_suggest_add_line(&counted->suggest, err))
		rs_err_add_line(err, "try: %s with one of %s, or -e to count others", option,
			rs_text_shown(counted->names).text);
	return false;
}

/* ---- --by ---- */

struct view {
	const struct rs_plan *plan;
	struct rs_columns columns;
	struct rs_arena arena;
};

static void make_columns(void *context)
{
	struct view *view = context;
	rs_columns_make(&view->columns, &view->arena, view->plan);
}

bool rs_check_view(const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err)
{
	const char *event = options->view.by;
	struct view view = {.plan = plan};
	struct counted counted;
	bool has = !event || strcmp(event, "time") == 0;
	if (has)
		return true;
	counted_init(&counted, event);
	bool is_made = rs_arena_guard(make_columns, &view);
	for (size_t c = RS_EVENT_CPU_TIME; is_made && c < view.columns.n; c++) {
		const struct rs_summary_column *column = &view.columns.columns[c];
		if (!column->in_regions)
			continue;
		counted_add(&counted, column->name);
		has |= strcmp(column->name, event) == 0;
	}
	if (!is_made)
		rs_err_set(err, "cannot look for '%s': out of memory", event);
	else if (!has)
		counted_refuse(&counted, options, "--by", err);
	if (!has)
		rs_config_add_origin(options, "by", 0, err);
	rs_arena_finish(&view.arena);
	return has;
}

/* ---- --fail-if ---- */

/* Add the name of an event or metric of the run to the possible suggestions. Return true if it is
 * the name in the rule. */
static bool offer(struct rs_suggest *suggest, const char *name)
{
	rs_suggest_offer(suggest, name);
	return strcmp(suggest->name, name) == 0;
}

/* Return true if a run with these columns has the event or metric of a rule. */
static bool has_event(
	struct rs_suggest *suggest, const struct view *view, const struct rs_metrics *usual)
{
	const struct rs_plan *plan = view->plan;
	bool has = offer(suggest, "time");
	has |= offer(suggest, "calls");
	for (size_t c = RS_EVENT_CPU_TIME; c < view->columns.n; c++)
		if (c < RS_EVENT_FIRST || !view->columns.columns[c].is_part)
			has |= offer(suggest, view->columns.columns[c].name);
	for (size_t i = 0; i < plan->n_metrics; i++)
		has |= offer(suggest, plan->metrics[i].rule->label);
	/* A report shows these metrics only if certain events were counted. Accept them, but do not
	 * suggest them. */
	for (size_t i = 0; i < usual->n; i++)
		has |= strcmp(suggest->name, usual->rules[i]->label) == 0;
	return has;
}

static bool check_rule(const struct view *view, const struct rs_metrics *usual, const char *text,
	struct rs_err *err)
{
	struct rs_gate gate;
	char name[256];
	struct rs_suggest suggest = {.name = name};
	if (!rs_gate_parse(&gate, text, err))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)gate.event_bytes, gate.event);
	if (has_event(&suggest, view, usual))
		return true;
	rs_err_set(err, "--fail-if: this run does not count '%s'", rs_text_shown(name).text);
	if (rs_suggest_add_line(&suggest, err))
		return false;
	if (view->plan->note)
		rs_err_add_line(err, "%s", view->plan->note);
	return rs_err_add_line(
		err, "try: -e EVENT or -M METRIC to count it; regionstat list shows all");
}

bool rs_check_rules(
	const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err)
{
	struct view view = {.plan = plan};
	struct rs_metrics usual = {0};
	if (options->fail_if.n == 0)
		return true;
	bool done = rs_metrics_add_usual(&usual, err);
	if (done && !rs_arena_guard(make_columns, &view))
		done = rs_err_set(err, "--fail-if: out of memory");
	for (size_t i = 0; done && i < options->fail_if.n; i++) {
		done = check_rule(&view, &usual, options->fail_if.items[i], err);
		if (!done)
			rs_config_add_origin(options, "fail-if", i, err);
	}
	rs_arena_finish(&view.arena);
	rs_metrics_finish(&usual);
	return done;
}

/* ---- --slow ---- */

/* Return a bit set: bit n is set if value n of each call is the count of the event `name`. Several
 * bits are set if several types of cores count the event. Return 0 if regions do not count it. */
static uint64_t counters_of(const struct rs_plan *plan, const char *name, bool *is_time)
{
	uint64_t counters = 0;
	*is_time = strcmp(name, "time") == 0;
	if (*is_time)
		return TIME_COUNTER;
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		bool is_named = strcmp(event->name, name) == 0 ||
				(event->part_name && strcmp(event->part_name, name) == 0);
		if (!is_named || event->counter == 0)
			continue;
		counters |= UINT64_C(1) << event->counter;
		*is_time = strcmp(event->unit, "ns") == 0;
	}
	return counters;
}

static bool refuse_event(const struct rs_plan *plan, const char *event, struct rs_err *err)
{
	struct counted counted;
	if (strcmp(event, "cpu-time") == 0 || strcmp(event, "blocked") == 0 ||
		strcmp(event, "preempted") == 0) {
		rs_err_set(err, "--slow: rules compare time and the events of -e, but not '%s'",
			event);
		return rs_err_add_line(err, "try: time, as in '*:time>1ms', or -e task-clock and "
					    "'*:task-clock>1ms' for CPU time");
	}
	counted_init(&counted, event);
	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].counter != 0)
			counted_add(&counted, plan->events[i].name);
	return counted_refuse(&counted, NULL, "--slow", err);
}

/* Return the colon between region and event. Both may contain colons. Therefore use the first colon
 * after which the name of a counted event follows. */
static char *find_colon(const struct rs_plan *plan, char *text, uint64_t *counters, bool *is_time)
{
	for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		*counters = counters_of(plan, colon + 1, is_time);
		if (*counters)
			return colon;
	}
	return NULL;
}

static bool check_unit(
	const struct rs_slow_wish *wish, const char *event, bool is_time, struct rs_err *err)
{
	if (wish->is_time == is_time)
		return true;
	if (is_time)
		rs_err_set(err, "--slow: the limit of '%s' has no unit of time",
			rs_text_shown(event).text);
	else
		rs_err_set(err, "--slow: '%s' is a number, not a time", rs_text_shown(event).text);
	return rs_err_add_line(err,
		is_time ? "try: ns, us, ms or s after the number, as in '%s>1ms'"
			: "try: a number alone, or with k, M or G, as in '%s>10k'",
		rs_text_shown(event).text);
}

/* Return the limit of a rule in the unit of a call's values. A call with a larger value is slow.
 * tick_ns: the length of this unit in ns, or 1 for an event. */
static uint64_t above_of(const struct rs_slow_wish *wish, double tick_ns)
{
	uint64_t limit = wish->limit, above;
	bool is_exact = !wish->is_rounded;
	if (tick_ns == 1) {
		above = limit;
	} else {
		double ticks = (double)limit / tick_ns;
		above = ticks < (double)INT64_MAX ? (uint64_t)ticks : INT64_MAX;
		is_exact = false;
	}
	return wish->or_equal && is_exact ? above - 1 : above;
}

/* Make one rule. Cut wish->text after the region, so that it becomes the glob of the rule. */
static bool make_rule(struct rs_command_slow *slow, const struct rs_slow_wish *wish,
	const struct rs_plan *plan, double tick_ns, struct rs_err *err)
{
	uint64_t counters = 0;
	bool is_time = false;
	char sign = *wish->sign;
	*wish->sign = '\0';
	char *colon = find_colon(plan, wish->text, &counters, &is_time);
	if (!colon)
		return refuse_event(plan, strrchr(wish->text, ':') + 1, err);
	if (!check_unit(wish, colon + 1, is_time, err))
		return false;
	*wish->sign = sign;
	*colon = '\0';
	if (colon == wish->text)
		return rs_err_set(err,
			"--slow: ':%s' names no region before its colon\n"
			"  try: --slow '*:%s' for all regions",
			rs_text_shown(colon + 1).text, rs_text_shown(colon + 1).text);
	if ((size_t)(colon - wish->text) >= RS_GLOB_BYTES)
		return rs_err_set(err,
			"--slow: a glob is longer than %u bytes\n"
			"  try: a shorter one, with '*' for the rest",
			RS_GLOB_BYTES - 1);
	slow->rules[slow->n] = (struct rs_segment_slow){.glob = wish->text,
		.counters = counters,
		.above = above_of(wish, counters == TIME_COUNTER ? tick_ns : 1)};
	slow->shown[slow->n++] = (struct rs_run_slow){.region = wish->text, .condition = colon + 1};
	return true;
}

bool rs_command_slow_init(struct rs_command_slow *slow, const struct rs_options *options,
	const struct rs_plan *plan, enum rs_clock clock, struct rs_err *err)
{
	double tick_ns = options->n_slow > 0 ? rs_clock_tick_ns(clock) : 1;
	*slow = (struct rs_command_slow){
		.lines_per_s = options->slow_rate ? options->slow_rate : LINES_PER_S};
	for (size_t i = 0; i < options->n_slow; i++) {
		if (make_rule(slow, &options->slow[i], plan, tick_ns, err))
			continue;
		rs_config_add_origin(options, "slow", i, err);
		return false;
	}
	return true;
}

/* ---- --functions ---- */

/* Return another word of the command that is the path of a program, for example after env(1).
 * --functions searches that program too. Return NULL if there is none. */
static const char *other_program(const struct rs_options *options)
{
	struct stat status;
	for (size_t i = 1; options->words[i]; i++)
		if (strchr(options->words[i], '/') && stat(options->words[i], &status) == 0 &&
			S_ISREG(status.st_mode) && access(options->words[i], X_OK) == 0)
			return options->words[i];
	return NULL;
}

static bool refuse_glob(const struct rs_options *options, const char *glob, struct rs_err *err)
{
	const char *first = options->words[0], *other = other_program(options);
	rs_err_set(err,
		"--functions: no function of %s%s%s or of the libraries that %s matches '%s'",
		rs_text_shown(first).text, other ? ", of " : "",
		other ? rs_text_shown(other).text : "", other ? "they need" : "it needs",
		rs_text_shown(glob).text);
	rs_err_add_line(err, "functions of libraries that dlopen() opens, and of other programs, "
			     "cannot be selected by name");
	return rs_err_add_line(err, "try: nm --demangle %s, which lists its functions",
		rs_text_shown(other ? other : first).text);
}

bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err)
{
	uint64_t *hashes = NULL;
	size_t n = 0, unmatched;
	if (options->functions.n == 0)
		return true;
	if (!rs_names_choose((const char *const *)options->words, options->functions.items,
		    options->functions.n, &hashes, &n, &unmatched, err))
		return false;
	bool done = unmatched == options->functions.n
			    ? rs_segment_choose(segment, hashes, n, err)
			    : refuse_glob(options, options->functions.items[unmatched], err);
	free(hashes);
	return done;
}
