/* SPDX-License-Identifier: MIT */
/*
 * From sides to reports and an exit status.
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

/* ---- several runs ---- */

static bool make_series_pages(struct rs_series_page *pages, size_t *n_made,
	const struct rs_side *sides, size_t n, struct rs_err *err)
{
	for (size_t i = 0; i < n; i++) {
		pages[i].side = sides[i];
		if (!rs_comparison_of(&pages[i].comparison, &sides[i], &sides[i], err))
			return false;
		pages[i].layout_share = rs_side_layout_share(&sides[i]);
		(*n_made)++;
	}
	return true;
}

int rs_show_series(struct rs_reports *reports, const struct rs_side *sides, size_t n)
{
	struct rs_series_report report = {.pages = calloc(n + 1, sizeof(*report.pages)), .n = n};
	struct rs_gates gates = {0};
	struct rs_err err;
	size_t n_made = 0;
	int status = RS_STATUS_FAILED;
	rs_err_set(&err, "out of memory");
	bool done = report.pages && make_series_pages(report.pages, &n_made, sides, n, &err) &&
		    rs_gates_check_series(&gates, reports->options, &report, &err);
	report.gates = gates.results;
	report.n_gates = gates.n;
	if (done && rs_reports_render_series(reports, &report, &err))
		status = write_reports(reports, &gates);
	else
		fail(&err);
	rs_gates_finish(&gates);
	for (size_t i = 0; i < n_made; i++)
		rs_comparison_finish(&report.pages[i].comparison);
	free(report.pages);
	return status;
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
	int status = judge_noise(&comparison, old->name);
	rs_comparison_finish(&comparison);
	return status;
}

/* ---- two sides ---- */

static bool make_pages(struct rs_comparison_page *pages, size_t *n_made,
	const struct rs_side *sides, size_t n, struct rs_err *err)
{
	for (size_t i = 0; i < n; i++) {
		pages[i].old = sides[0];
		pages[i].new = sides[i + 1];
		if (!rs_comparison_of(&pages[i].comparison, &pages[i].old, &pages[i].new, err))
			return false;
		pages[i].layout_share = rs_side_layout_share(&pages[i].new);
		(*n_made)++;
	}
	return true;
}

int rs_show_comparison(struct rs_reports *reports, const struct rs_side *sides, size_t n)
{
	struct rs_comparison_report report = {
		.pages = calloc(n, sizeof(*report.pages)), .n = n - 1};
	struct rs_gates gates = {0};
	struct rs_err err;
	size_t n_made = 0;
	int status = RS_STATUS_FAILED;
	rs_err_set(&err, "out of memory");
	bool done = report.pages && make_pages(report.pages, &n_made, sides, n - 1, &err) &&
		    rs_gates_check_comparison(&gates, reports->options, &report, &err);
	report.gates = gates.results;
	report.n_gates = gates.n;
	if (done && rs_reports_render_comparison(reports, &report, &err))
		status = write_reports(reports, &gates);
	else
		fail(&err);
	rs_gates_finish(&gates);
	for (size_t i = 0; i < n_made; i++)
		rs_comparison_finish(&report.pages[i].comparison);
	free(report.pages);
	return status;
}
