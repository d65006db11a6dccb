/* SPDX-License-Identifier: MIT */
/*
 * This file checks the rules of --fail-if on the pages of a report.
 */
#include "show.h"

#include "command.h"

/* ---- sides and rules ---- */

/* Check a rule on a page. If is_compared is true, check the difference between the two sides of the
 * page. Otherwise check the only side of the page. Return false if memory runs out. */
static bool check_rule(struct rs_gate_result *result, const struct rs_gate *rule,
	const struct rs_comparison_page *page, bool is_compared)
{
	if (!is_compared)
		return rs_gate_check(result, rule, &page->new);
	rs_gate_check_difference(result, rule, &page->comparison);
	return true;
}

bool rs_judged_init(struct rs_judged *judged, const struct rs_options *options,
	const struct rs_side *sides, size_t n, bool is_compared, struct rs_err *err)
{
	struct rs_comparison_report *report = &judged->report;
	struct rs_arena *arena = &judged->arena;
	size_t n_rules = options->fail_if.n;
	*judged = (struct rs_judged){.report.n = 0};
	struct rs_gate *rules = rs_arena_array(arena, n_rules, sizeof(*rules));
	struct rs_gate_result *results = rs_arena_array(arena, n * n_rules, sizeof(*results));
	report->pages = rs_arena_array(arena, n, sizeof(*report->pages));
	report->gates = results;
	if (!rules || !results || !report->pages)
		return rs_err_set(err, "out of memory");
	for (size_t i = 0; i < n_rules; i++)
		if (!rs_gate_parse(&rules[i], options->fail_if.items[i], err))
			return false;
	while (report->n < n) {
		struct rs_comparison_page *page = &report->pages[report->n];
		page->old = is_compared ? sides[0] : sides[report->n];
		page->new = is_compared ? sides[report->n + 1] : sides[report->n];
		if (!rs_comparison_of(&page->comparison, &page->old, &page->new, err))
			return false;
		report->n++;
		page->old_layout_share = rs_side_layout_share(&page->old);
		page->layout_share = rs_side_layout_share(&page->new);
		for (size_t i = 0; i < n_rules; i++)
			if (!check_rule(&results[report->n_gates++], &rules[i], page, is_compared))
				return rs_err_set(err, "--fail-if: out of memory");
	}
	return true;
}

int rs_judged_status(struct rs_judged *judged, bool must_print)
{
	const struct rs_comparison_report *report = &judged->report;
	for (size_t i = 0; must_print && i < report->n_gates; i++) {
		const char *line = rs_gate_line(&report->gates[i], &judged->arena);
		fprintf(stderr, "regionstat: %s\n", line ? line : "out of memory");
	}
	return rs_gates_failed(report->gates, report->n_gates) ? RS_STATUS_GATE : 0;
}

void rs_judged_finish(struct rs_judged *judged)
{
	for (size_t i = 0; i < judged->report.n; i++)
		rs_comparison_finish(&judged->report.pages[i].comparison);
	rs_arena_finish(&judged->arena);
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
	int status = done ? rs_judged_status(&judged, true) : rs_command_fail(NULL, &err);
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
