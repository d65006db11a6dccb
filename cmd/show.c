/* SPDX-License-Identifier: MIT */
/*
 * This file writes the reports of series and comparisons, and chooses the exit status.
 */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "command.h"
#include "gates.h"

static int fail(const struct rs_err *err)
{
	rs_command_complain(err);
	return RS_STATUS_FAILED;
}

static int write_reports(struct rs_reports *reports, const struct rs_gates *gates)
{
	struct rs_err err;
	bool done = rs_reports_write(reports, &err);
	int status = rs_gates_status(gates, reports->options);
	return done ? status : fail(&err);
}

/* ---- several runs, and two sides ---- */

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

static int show(struct rs_reports *reports, const struct rs_side *sides, size_t n, bool is_compared)
{
	struct rs_comparison_report report = {.n = 0};
	struct rs_gates gates = {0};
	struct rs_err err;
	bool done = make_pages(&report, sides, n, is_compared, &err) &&
		    rs_gates_check(&gates, reports->options, &report, is_compared, &err);
	report.gates = gates.results;
	report.n_gates = gates.n;
	done = done && rs_reports_render_runs(reports, &report, is_compared, &err);
	int status = done ? write_reports(reports, &gates) : fail(&err);
	rs_gates_finish(&gates);
	for (size_t i = 0; i < report.n; i++)
		rs_comparison_finish(&report.pages[i].comparison);
	free(report.pages);
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
		return fail(&err);
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
