/* SPDX-License-Identifier: MIT */
/*
 * This file checks the rules of --fail-if, and chooses the exit status from the results.
 */
#include "gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

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

bool rs_gates_check(struct rs_gates *gates, const struct rs_options *options,
	const struct rs_comparison_report *report, bool is_compared, struct rs_err *err)
{
	bool done = make_gates(gates, options, report->n, err);
	if (!done)
		return false;
	for (size_t i = 0; done && i < report->n * gates->n_gates; i++) {
		const struct rs_comparison_page *page = &report->pages[i / gates->n_gates];
		const struct rs_gate *gate = &gates->gates[i % gates->n_gates];
		struct rs_gate_result *result = &gates->results[gates->n++];
		done = is_compared ? rs_gate_check_difference(result, gate, &page->comparison)
				   : rs_gate_check(result, gate, &page->new);
	}
	return done || rs_err_set(err, "--fail-if: out of memory");
}

void rs_gates_finish(struct rs_gates *gates)
{
	free(gates->gates);
	free(gates->results);
	*gates = (struct rs_gates){0};
}

static void print(const struct rs_gates *gates)
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

int rs_gates_status(const struct rs_gates *gates, const struct rs_options *options)
{
	if (!has_report_for_people(options))
		print(gates);
	return rs_gates_failed(gates->results, gates->n) ? RS_STATUS_GATE : 0;
}

int rs_gates_judge_run(const struct rs_options *options, const struct rs_summary *summary)
{
	const struct rs_series_place place = {.id = 0};
	struct rs_series series = {0};
	struct rs_gates gates = {0};
	struct rs_err err;
	struct rs_comparison_page page = {.new = {&series, 0, ""}};
	const struct rs_comparison_report report = {.pages = &page, .n = 1};
	int status = RS_STATUS_FAILED;
	if (options->fail_if.n == 0)
		return 0;
	if (!rs_series_add(&series, summary, &place, REGIONSTAT_VERSION)) {
		rs_err_set(&err, "--fail-if: out of memory");
		rs_command_complain(&err);
	} else if (!rs_gates_check(&gates, options, &report, false, &err)) {
		rs_command_complain(&err);
	} else {
		print(&gates);
		status = rs_gates_failed(gates.results, gates.n) ? RS_STATUS_GATE : 0;
	}
	rs_gates_finish(&gates);
	rs_series_finish(&series);
	return status;
}
