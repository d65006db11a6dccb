/* SPDX-License-Identifier: MIT */
/*
 * This file writes the reports of saved runs, series and comparisons, and chooses the exit status.
 */
#include "show.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"

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

static int write_reports(struct rs_reports *reports, struct rs_judged *judged)
{
	struct rs_err err;
	bool done = rs_reports_write(reports, &err);
	int status = rs_judged_status(judged, !has_report_for_people(reports->options));
	return done ? status : rs_command_fail(NULL, &err);
}

static int show(struct rs_reports *reports, const struct rs_side *sides, size_t n, bool is_compared)
{
	struct rs_judged judged;
	struct rs_err err;
	bool done = rs_judged_init(&judged, reports->options, sides, n, is_compared, &err) &&
		    rs_reports_render_runs(reports, &judged.report, is_compared, &err);
	int status = done ? write_reports(reports, &judged) : rs_command_fail(NULL, &err);
	if (!rs_check_regions_of_sides(reports->options, sides, is_compared ? n + 1 : n, &err))
		rs_command_complain(&err);
	rs_judged_finish(&judged);
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
	char first[4 * RS_NAME_BYTES] = "";
	if (!rs_comparison_has_difference(comparison))
		return 0;
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run &&
			comparison->regions[r].verdict > RS_VERDICT_NONE && n_shown++ == 0)
			rs_text_name(first, sizeof(first), comparison->regions[r].name);
	if (n_shown > 0)
		rs_err_set(&err,
			"this machine is too noisy to compare: %s differs from itself in %zu "
			"region%s, such as %s",
			rs_text_shown(name).text, n_shown, n_shown == 1 ? "" : "s", first);
	else
		rs_err_set(&err,
			"this machine is too noisy to compare: %s differs from itself in all "
			"regions",
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
