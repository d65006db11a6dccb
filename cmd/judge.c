/* SPDX-License-Identifier: MIT */
/*
 * This file checks the rules of --fail-if on the pages of a report.
 */
#include "show.h"

#include <stdlib.h>

#include "command.h"

/* ---- rules of --fail-if ---- */

static bool make_gates(struct rs_gates *gates, const struct rs_options *options, size_t n_pages,
	struct rs_err *err)
{
	*gates = (struct rs_gates){.n_gates = options->fail_if.n};
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
 * the two sides of the page. Otherwise check the only side of the page. Fill gates, also on
 * failure. */
static bool check_gates(struct rs_gates *gates, const struct rs_options *options,
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

static void gates_finish(struct rs_gates *gates)
{
	free(gates->gates);
	free(gates->results);
	*gates = (struct rs_gates){0};
}

static void print_gates(const struct rs_gates *gates)
{
	struct rs_arena arena = {0};
	for (size_t i = 0; i < gates->n; i++) {
		const char *line = rs_gate_line(&gates->results[i], &arena);
		fprintf(stderr, "regionstat: %s\n", line ? line : "out of memory");
	}
	rs_arena_finish(&arena);
}

int rs_gates_status(const struct rs_gates *gates, bool must_print)
{
	if (must_print)
		print_gates(gates);
	return rs_gates_failed(gates->results, gates->n) ? RS_STATUS_GATE : 0;
}

/* ---- sides and rules ---- */

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

bool rs_judged_init(struct rs_judged *judged, const struct rs_options *options,
	const struct rs_side *sides, size_t n, bool is_compared, struct rs_err *err)
{
	struct rs_comparison_report *report = &judged->report;
	*judged = (struct rs_judged){.report.n = 0};
	if (!make_pages(report, sides, n, is_compared, err) ||
		!check_gates(&judged->gates, options, report, is_compared, err))
		return false;
	report->gates = judged->gates.results;
	report->n_gates = judged->gates.n;
	return true;
}

void rs_judged_finish(struct rs_judged *judged)
{
	gates_finish(&judged->gates);
	for (size_t i = 0; i < judged->report.n; i++)
		rs_comparison_finish(&judged->report.pages[i].comparison);
	free(judged->report.pages);
}

/* ---- one run ---- */

/* Fill judged and series with one run, which is the only side. */
static bool judge_one(struct rs_judged *judged, struct rs_series *series,
	const struct rs_options *options, const struct rs_summary *summary, struct rs_err *err)
{
	const struct rs_series_place place = {.id = 0};
	const struct rs_side side = {series, 0, ""};
	*judged = (struct rs_judged){.report.n = 0};
	*series = (struct rs_series){0};
	if (!rs_series_add(series, summary, &place, REGIONSTAT_VERSION))
		return rs_err_set(err, "--fail-if: out of memory");
	return rs_judged_init(judged, options, &side, 1, false, err);
}

int rs_judge_run(const struct rs_options *options, const struct rs_summary *summary)
{
	struct rs_series series;
	struct rs_judged judged;
	struct rs_err err;
	if (options->fail_if.n == 0 || options->is_in_series)
		return 0;
	bool done = judge_one(&judged, &series, options, summary, &err);
	int status = done ? rs_gates_status(&judged.gates, true) : rs_command_fail(NULL, &err);
	rs_judged_finish(&judged);
	rs_series_finish(&series);
	return status;
}

bool rs_write_run_as_series(rs_write_comparison *write, const struct rs_options *options,
	const struct rs_summary *summary, const struct rs_report_options *how, FILE *stream)
{
	struct rs_series series;
	struct rs_judged judged;
	struct rs_err err;
	bool done = judge_one(&judged, &series, options, summary, &err) &&
		    rs_comparison_write(write, &judged.report, how, stream);
	rs_judged_finish(&judged);
	rs_series_finish(&series);
	return done;
}
