/* SPDX-License-Identifier: MIT */
/*
 * This file writes the reports of saved runs, series and comparisons. It checks the rules of
 * --fail-if, and chooses the exit status.
 */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "warn.h"

/* ---- rules of --fail-if ---- */

/* The rules of --fail-if and their results. */
struct gates {
	struct rs_gate *gates;
	size_t n_gates;
	struct rs_gate_result *results; /* for each page, one result per rule */
	size_t n;
};

static bool make_gates(
	struct gates *gates, const struct rs_options *options, size_t n_pages, struct rs_err *err)
{
	*gates = (struct gates){.n_gates = options->fail_if.n};
	gates->gates = calloc(gates->n_gates + 1, sizeof(*gates->gates));
	gates->results = calloc(gates->n_gates * n_pages + 1, sizeof(*gates->results));
	if (!gates->gates || !gates->results)
		return rs_err_set(err, "--fail-if: out of memory");
	for (size_t i = 0; i < gates->n_gates; i++)
		if (!rs_gate_parse(&gates->gates[i], options->fail_if.items[i], err))
			return false;
	return true;
}

/* Check the rules on each page of a report. If is_compared is true, check the difference between
 * the two sides of the page. Otherwise check its only side. Fill gates, also on failure. */
static bool check_gates(struct gates *gates, const struct rs_options *options,
	const struct rs_comparison_report *report, bool is_compared, struct rs_err *err)
{
	bool done = make_gates(gates, options, report->n, err);
	if (!done)
		return false;
	for (size_t i = 0; done && i < report->n * gates->n_gates; i++) {
		const struct rs_comparison_page *page = &report->pages[i / gates->n_gates];
		const struct rs_gate *gate = &gates->gates[i % gates->n_gates];
		struct rs_gate_result *result = &gates->results[gates->n++];
		if (is_compared)
			rs_gate_check_difference(result, gate, &page->comparison);
		else
			done = rs_gate_check(result, gate, &page->new);
	}
	return done || rs_err_set(err, "--fail-if: out of memory");
}

static void gates_finish(struct gates *gates)
{
	free(gates->gates);
	free(gates->results);
	*gates = (struct gates){0};
}

static void print_gates(const struct gates *gates)
{
	struct rs_arena arena = {0};
	for (size_t i = 0; i < gates->n; i++) {
		const char *line = rs_gate_line(&gates->results[i], &arena);
		fprintf(stderr, "regionstat: %s\n", line ? line : "out of memory");
	}
	rs_arena_finish(&arena);
}

static bool has_report_for_people(const struct rs_options *options)
{
	for (size_t i = 0; i < options->n_reports; i++) {
		const char *path = options->reports[i].path;
		bool is_seen = !path || strcmp(path, "-") == 0;
		if (is_seen && options->reports[i].format->is_for_people)
			return true;
	}
	return false;
}

/* Return 0, or RS_STATUS_GATE if a rule failed. */
static int status_of(const struct gates *gates, bool must_print)
{
	if (must_print)
		print_gates(gates);
	return rs_gates_failed(gates->results, gates->n) ? RS_STATUS_GATE : 0;
}

/* ---- sides and rules ---- */

/* What a report of several runs, or of two sides, shows. */
struct judged {
	struct rs_comparison_report report;
	struct gates gates;
};

static bool make_pages(struct rs_comparison_report *report, const struct rs_side *sides, size_t n,
	bool is_compared, struct rs_err *err)
{
	report->pages = calloc(n + 1, sizeof(*report->pages));
	if (!report->pages)
		return rs_err_set(err, "out of memory");
	for (; report->n < n; report->n++) {
		struct rs_comparison_page *page = &report->pages[report->n];
		page->old = is_compared ? sides[0] : sides[report->n];
		page->new = is_compared ? sides[report->n + 1] : sides[report->n];
		if (!rs_comparison_of(&page->comparison, &page->old, &page->new, err))
			return false;
		page->old_layout_share = rs_side_layout_share(&page->old);
		page->layout_share = rs_side_layout_share(&page->new);
	}
	return true;
}

/* Fill judged, also on failure. Return false and set err if memory runs out. */
static bool judged_init(struct judged *judged, const struct rs_options *options,
	const struct rs_side *sides, size_t n, bool is_compared, struct rs_err *err)
{
	struct rs_comparison_report *report = &judged->report;
	*judged = (struct judged){.report.n = 0};
	if (!make_pages(report, sides, n, is_compared, err) ||
		!check_gates(&judged->gates, options, report, is_compared, err))
		return false;
	report->gates = judged->gates.results;
	report->n_gates = judged->gates.n;
	return true;
}

static void judged_finish(struct judged *judged)
{
	gates_finish(&judged->gates);
	for (size_t i = 0; i < judged->report.n; i++)
		rs_comparison_finish(&judged->report.pages[i].comparison);
	free(judged->report.pages);
}

/* ---- one run ---- */

/* Fill judged and series with one run, which is the only side. */
static bool judge_one(struct judged *judged, struct rs_series *series,
	const struct rs_options *options, const struct rs_summary *summary, struct rs_err *err)
{
	const struct rs_series_place place = {.id = 0};
	const struct rs_side side = {series, 0, ""};
	*judged = (struct judged){.report.n = 0};
	*series = (struct rs_series){0};
	if (!rs_series_add(series, summary, &place, REGIONSTAT_VERSION))
		return rs_err_set(err, "--fail-if: out of memory");
	return judged_init(judged, options, &side, 1, false, err);
}

int rs_judge_run(const struct rs_options *options, const struct rs_summary *summary)
{
	struct rs_series series;
	struct judged judged;
	struct rs_err err;
	if (options->fail_if.n == 0 || options->is_in_series)
		return 0;
	bool done = judge_one(&judged, &series, options, summary, &err);
	int status = done ? status_of(&judged.gates, true) : rs_command_fail(NULL, &err);
	judged_finish(&judged);
	rs_series_finish(&series);
	return status;
}

bool rs_write_run_as_series(rs_write_comparison *write, const struct rs_options *options,
	const struct rs_summary *summary, const struct rs_report_options *how, FILE *stream)
{
	struct rs_series series;
	struct judged judged;
	struct rs_err err;
	bool done = judge_one(&judged, &series, options, summary, &err) &&
		    rs_comparison_write(write, &judged.report, how, stream);
	judged_finish(&judged);
	rs_series_finish(&series);
	return done;
}

/* ---- saved runs ---- */

int rs_show_runs(struct rs_reports *reports, const struct rs_summary *summaries, size_t n)
{
	struct rs_err err;
	int status = 0;
	for (size_t i = 0; i < n; i++)
		rs_warn_of_events(summaries[i].run->plan);
	if (!rs_reports_write(reports, &err)) {
		fprintf(stderr, "regionstat: %s (exit status %d)\n", err.text, RS_STATUS_FAILED);
		status = RS_STATUS_FAILED;
	}
	for (size_t i = 0; rs_reports_lack_messages(reports) && i < n; i++)
		rs_warn_of_results(&summaries[i], NULL);
	return status;
}

/* ---- several runs, and two sides ---- */

static int write_reports(struct rs_reports *reports, const struct gates *gates)
{
	struct rs_err err;
	bool done = rs_reports_write(reports, &err);
	int status = status_of(gates, !has_report_for_people(reports->options));
	return done ? status : rs_command_fail(NULL, &err);
}

static int show(struct rs_reports *reports, const struct rs_side *sides, size_t n, bool is_compared)
{
	struct judged judged;
	struct rs_err err;
	bool done = judged_init(&judged, reports->options, sides, n, is_compared, &err) &&
		    rs_reports_render_runs(reports, &judged.report, is_compared, &err);
	int status = done ? write_reports(reports, &judged.gates) : rs_command_fail(NULL, &err);
	judged_finish(&judged);
	return status;
}

int rs_show_series(struct rs_reports *reports, const struct rs_side *sides, size_t n)
{
	return show(reports, sides, n, false);
}

int rs_show_comparison(struct rs_reports *reports, const struct rs_side *sides, size_t n)
{
	return show(reports, sides, n - 1, true);
}

/* ---- noise ---- */

static int judge_noise(const struct rs_comparison *comparison, const char *name)
{
	struct rs_err err;
	size_t n_shown = 0;
	const char *first = "";
	if (!rs_comparison_has_difference(comparison))
		return 0;
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run &&
			comparison->regions[r].verdict > RS_VERDICT_NONE && n_shown++ == 0)
			first = comparison->regions[r].name;
	if (n_shown > 0)
		rs_err_set(&err,
			"this machine cannot tell: %s differs from itself in %zu region%s, such as "
			"%s",
			rs_text_shown(name).text, n_shown, n_shown == 1 ? "" : "s",
			rs_text_shown(first).text);
	else
		rs_err_set(&err, "this machine cannot tell: %s differs from itself in all regions",
			rs_text_shown(name).text);
	rs_err_add_line(
		&err, "try: more runs (-r), a machine without other load, or more work a call");
	rs_command_complain(&err);
	return RS_STATUS_NOISE;
}

int rs_check_noise(const struct rs_side *old, const struct rs_side *again)
{
	struct rs_comparison comparison;
	struct rs_err err;
	bool done = again ? rs_comparison_of(&comparison, old, again, &err)
			  : rs_comparison_of_itself(&comparison, old, &err);
	if (!done)
		return rs_command_fail(NULL, &err);
	int status = 0;
	if (rs_side_n_runs(old) < 2 || rs_comparison_lacks_runs(&comparison))
		fprintf(stderr,
			"regionstat: --noise-check: too few runs to compare %s with itself\n"
			"  try: -r 10\n",
			rs_text_shown(old->name).text);
	else
		status = judge_noise(&comparison, old->name);
	rs_comparison_finish(&comparison);
	return status;
}
