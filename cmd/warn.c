/* SPDX-License-Identifier: MIT */
/*
 * This file prints warnings to stderr. It gets the plan, or the finished summary. It prints each
 * message once, with "regionstat: " before it.
 */
#include "show.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/suggest.h"
#include "base/text.h"
#include "report/findings.h"

/* one message names at most this many events, and says how many more there are */
#define MOST_NAMES 12u

/* Print the first bytes of a text line by line, with escapes, because the texts of a saved run may
 * contain anything. */
static void print_shown(const char *text, size_t bytes)
{
	rs_text_print(text, bytes, "\n", stderr);
}

/* Return true if a warning should name the event. A part (the event on one type of core) gets no
 * warning, because another part is counted. */
static bool is_refused(const struct rs_event *event)
{
	return event->status != RS_EVENT_OK && !event->part_name;
}

static const char *reason_of(const struct rs_event *event)
{
	return event->reason ? event->reason : "not supported here";
}

static bool have_same_reason(const struct rs_event *a, const struct rs_event *b)
{
	return is_refused(a) && is_refused(b) && strcmp(reason_of(a), reason_of(b)) == 0;
}

static bool was_warned(const struct rs_plan *plan, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (have_same_reason(&plan->events[i], &plan->events[index]))
			return true;
	return false;
}

/* Print the names of event `first` and of later events with the same reason: 'a', 'b' and 'c'. */
static void print_names(const struct rs_plan *plan, size_t first)
{
	size_t n = 0, n_printed = 0;
	for (size_t i = first; i < plan->n_events; i++)
		n += have_same_reason(&plan->events[i], &plan->events[first]);
	size_t n_names = n > MOST_NAMES ? MOST_NAMES : n;
	for (size_t i = first; n_printed < n_names; i++) {
		const struct rs_event *event = &plan->events[i];
		if (!have_same_reason(event, &plan->events[first]))
			continue;
		const char *before = n_printed == 0 ? "" : n_printed + 1 == n ? " and " : ", ";
		fprintf(stderr, "%s'%s'", before, rs_text_shown(event->name).text);
		n_printed++;
	}
	if (n > n_names)
		fprintf(stderr, " and %zu more", n - n_names);
}

static void print_remedy(const struct rs_plan_metric *metric)
{
	const char *remedy = rs_plan_metric_remedy(metric);
	print_shown(remedy, strlen(remedy));
}

/* Print one message for each metric that this machine cannot compute. If consecutive metrics have
 * the same remedy, print the remedy once, after the last of them. */
static void warn_of_metrics(const struct rs_plan *plan)
{
	const struct rs_plan_metric *latest = NULL;
	for (size_t i = 0; i < plan->n_metrics; i++) {
		const struct rs_plan_metric *metric = &plan->metrics[i];
		if (!metric->reason)
			continue;
		if (latest &&
			strcmp(rs_plan_metric_remedy(latest), rs_plan_metric_remedy(metric)) != 0)
			print_remedy(latest);
		fprintf(stderr, "%sregionstat: cannot compute '%s': ", latest ? "\n" : "",
			rs_text_shown(metric->rule->name).text);
		print_shown(
			metric->reason, (size_t)(rs_plan_metric_remedy(metric) - metric->reason));
		latest = metric;
	}
	if (latest) {
		print_remedy(latest);
		putc('\n', stderr);
	}
}

void rs_warn_of_events(const struct rs_plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		if (!is_refused(&plan->events[i]) || was_warned(plan, i))
			continue;
		fputs("regionstat: cannot count ", stderr);
		print_names(plan, i);
		fputs(": ", stderr);
		print_shown(reason_of(&plan->events[i]), strlen(reason_of(&plan->events[i])));
		putc('\n', stderr);
	}
	warn_of_metrics(plan);
}

struct results {
	const struct rs_summary *summary;
	const char *code;
	struct rs_arena arena;
};

static void warn_of_results(void *context)
{
	struct results *results = context;
	const char *code = results->code;
	const struct rs_findings findings = rs_findings_make(results->summary, &results->arena);
	for (size_t i = 0; i < findings.n && findings.items[i].severity == RS_WARNING; i++) {
		const struct rs_finding *finding = &findings.items[i];
		if (code && strcmp(finding->code, code) != 0)
			continue;
		fputs("regionstat: ", stderr);
		print_shown(finding->whole, strlen(finding->whole));
		putc('\n', stderr);
	}
}

void rs_warn_of_results(const struct rs_summary *summary, const char *code)
{
	struct results results = {summary, code};
	if (!rs_arena_guard(warn_of_results, &results))
		fputs("regionstat: cannot print the warnings: out of memory\n", stderr);
	rs_arena_finish(&results.arena);
}

/* Return true if name matches `wish`, which is a glob, or, for --histogram, a name with or without
 * ":EVENT". */
static bool matches(const char *wish, const char *name, bool is_glob)
{
	size_t length = strlen(name);
	if (is_glob)
		return rs_glob_matches(wish, name);
	return strncmp(wish, name, length) == 0 && (!wish[length] || wish[length] == ':');
}

static bool refuse_region(
	const char *option, const char *wish, const struct rs_suggest *suggest, struct rs_err *err)
{
	rs_err_set(err, "%s: no region matches '%s'", option, rs_text_shown(wish).text);
	return rs_suggest_add_line(suggest, err)
		       ? false
		       : rs_err_add_line(err, "try: a name from the report without %s", option);
}

static bool check_region(const char *option, const char *wish, bool is_glob,
	const struct rs_summary *summaries, size_t n, struct rs_err *err)
{
	char near[RS_SUGGESTION_BYTES];
	struct rs_suggest suggest = {.name = near};
	size_t n_regions = 0;
	const char *event = is_glob ? NULL : strrchr(wish, ':');
	snprintf(near, sizeof(near), "%.*s", (int)(event ? event - wish : (ptrdiff_t)strlen(wish)),
		wish);
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < summaries[i].n_merged; r++, n_regions++) {
			if (matches(wish, summaries[i].merged[r].name, is_glob))
				return true;
			rs_suggest_offer(&suggest, summaries[i].merged[r].name);
		}
	if (n_regions == 0) /* another message says that there are no regions */
		return true;
	return refuse_region(option, wish, &suggest, err);
}

bool rs_check_regions(const struct rs_options *options, const struct rs_summary *summaries,
	size_t n, struct rs_err *err)
{
	const struct rs_view *view = &options->view;
	if (options->trace_if &&
		!check_region("--trace-if", options->trace_if, true, summaries, n, err))
		return false;
	for (size_t i = 0; i < view->globs.n; i++)
		if (!check_region("--regions", view->globs.items[i], true, summaries, n, err))
			return false;
	for (size_t i = 0; i < view->histograms.n; i++)
		if (!check_region(
			    "--histogram", view->histograms.items[i], false, summaries, n, err))
			return false;
	return true;
}

bool rs_check_regions_of_sides(
	const struct rs_options *options, const struct rs_side *sides, size_t n, struct rs_err *err)
{
	for (size_t g = 0; g < options->view.globs.n; g++) {
		const char *glob = options->view.globs.items[g];
		struct rs_suggest suggest = {.name = glob};
		bool is_matched = false, is_any = false;
		for (size_t s = 0; s < n; s++)
			for (size_t r = 0; r < rs_side_n_runs(&sides[s]); r++) {
				const struct rs_samples *samples =
					&rs_side_run(&sides[s], r)->samples;
				for (size_t i = 0; i < samples->n; i++) {
					const char *name = samples->items[i].region;
					is_any |= name != NULL;
					is_matched |= name && rs_glob_matches(glob, name);
					if (name && r == 0)
						rs_suggest_offer(&suggest, name);
				}
			}
		if (is_any && !is_matched)
			return refuse_region("--regions", glob, &suggest, err);
	}
	return true;
}
