/* SPDX-License-Identifier: MIT */
/*
 * This file implements three commands. `regionstat compare` runs several commands alternately and
 * shows what differs. `regionstat -r N` runs one command several times. `regionstat diff` compares
 * saved runs or saved series.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "options.h"
#include "runs.h"
#include "show.h"

#define USUAL_ROUNDS 10u
#define SEPARATOR ":::"

struct compare {
	const struct rs_options *options;
	struct rs_reports reports;
	struct rs_runs runs;
	struct rs_side sides[RS_MAX_COMMANDS];
};

static void name_sides(struct compare *compare)
{
	for (uint32_t c = 0; c < compare->runs.n_commands; c++)
		compare->sides[c] = (struct rs_side){
			&compare->runs.series, c, compare->runs.commands[c][0]};
}

/* Return the exit status of a series that may have been interrupted, or in which a run may have
 * failed. */
static int final_status(const struct rs_runs *runs, int status)
{
	if (runs->is_interrupted)
		return -SIGINT;
	return runs->status ? runs->status : status;
}

/* Print why no run was made, and return the exit status. */
static int refuse_series(const struct rs_runs *runs, const struct rs_err *err)
{
	if (!runs->is_interrupted && runs->status == 0)
		return rs_command_refuse(err);
	rs_command_complain(err);
	return final_status(runs, RS_STATUS_FAILED);
}

/* ---- -r ---- */

int rs_command_repeat(const struct rs_options *options)
{
	struct rs_reports reports;
	struct rs_err err;
	struct rs_runs runs = {.options = options,
		.commands = {options->words},
		.n_commands = 1,
		.n_rounds = options->repeat > 0 ? options->repeat : 1};
	const struct rs_side side = {&runs.series, 0, options->words[0]};
	int status;
	if (!rs_reports_init(&reports, options, &err))
		status = rs_command_refuse(&err);
	else if (!rs_runs_make(&runs, &err))
		status = refuse_series(&runs, &err);
	else
		status = final_status(&runs, rs_show_series(&reports, &side, 1));
	rs_series_finish(&runs.series);
	rs_reports_finish(&reports);
	return status;
}

int rs_command_prepare(const struct rs_options *options)
{
	struct rs_err err;
	struct rs_runs runs = {.options = options, .commands = {options->words}, .n_commands = 1};
	if (rs_runs_prepare(&runs, &err))
		return rs_measure(options, NULL, options->warmup > 0);
	return refuse_series(&runs, &err);
}

/* ---- compare ---- */

/* Split the command line into commands at each ":::". */
static bool split_commands(struct compare *compare, struct rs_err *err)
{
	struct rs_runs *runs = &compare->runs;
	char **words = compare->options->words;
	bool is_begin = true;
	for (; *words; words++) {
		if (strcmp(*words, SEPARATOR) == 0) {
			*words = NULL;
			if (is_begin)
				break;
			is_begin = true;
			continue;
		}
		if (is_begin && runs->n_commands == RS_MAX_COMMANDS)
			return rs_err_set(err, "compare: more than %u commands", RS_MAX_COMMANDS);
		if (is_begin)
			runs->commands[runs->n_commands++] = words;
		is_begin = false;
	}
	if (runs->n_commands >= 2 && !is_begin)
		return true;
	rs_err_set(err, "compare: needs two commands with ':::' between them");
	rs_err_add_line(err, "try: regionstat compare -- OLD [ARGUMENT...] ::: NEW [ARGUMENT...]");
	return rs_err_add_line(err, "try: regionstat diff OLD NEW, to compare saved runs");
}

/* Compare runs of the old command with other runs of the same command, to find the noise of this
 * machine. */
static int check_noise(struct compare *compare)
{
	struct rs_err err;
	struct rs_runs runs = compare->runs;
	runs.commands[1] = runs.commands[0];
	runs.n_commands = 2;
	const struct rs_side sides[] = {
		{&runs.series, 0, runs.commands[0][0]}, {&runs.series, 1, runs.commands[0][0]}};
	struct rs_options quiet = *runs.options;
	quiet.n_reports = 0; /* do not write these runs to the files of the series */
	runs.options = &quiet;
	int status;
	if (!rs_runs_make(&runs, &err))
		status = refuse_series(&runs, &err);
	else
		status = final_status(&runs, rs_check_noise(&sides[0], &sides[1]));
	rs_series_finish(&runs.series);
	return status;
}

static int run(struct compare *compare)
{
	struct rs_err err;
	struct rs_runs *runs = &compare->runs;
	const struct rs_options *options = compare->options;
	*runs = (struct rs_runs){.options = options, .is_apart = true};
	runs->n_rounds = options->repeat > 0	       ? options->repeat
			 : options->budget_time_ms > 0 ? RS_MAX_REPEAT
						       : USUAL_ROUNDS;
	if (!split_commands(compare, &err) || !rs_reports_init(&compare->reports, options, &err))
		return rs_command_refuse(&err);
	name_sides(compare);
	if (options->noise_check) {
		int status = check_noise(compare);
		if (status != 0)
			return status;
	}
	if (!rs_runs_make(runs, &err))
		return refuse_series(runs, &err);
	for (uint32_t c = 0; c < runs->n_commands; c++) {
		if (rs_side_n_runs(&compare->sides[c]) > 0)
			continue;
		if (runs->is_interrupted)
			fprintf(stderr,
				"regionstat: interrupted before '%s' ran: there is nothing to "
				"compare\n",
				rs_text_shown(compare->sides[c].name).text);
		return final_status(runs, RS_STATUS_FAILED);
	}
	return final_status(
		runs, rs_show_comparison(&compare->reports, compare->sides, runs->n_commands));
}

int rs_command_compare(struct rs_options *options)
{
	struct compare compare = {.options = options};
	int status = run(&compare);
	rs_series_finish(&compare.runs.series);
	rs_reports_finish(&compare.reports);
	return status;
}

/* ---- diff ---- */

static bool read_sides(struct rs_saved_sides *sides, char *const *files, struct rs_err *err)
{
	if (!rs_saved_sides_read(sides, files, err))
		return false;
	if (sides->n >= 2)
		return true;
	rs_err_set(err, "diff: there are not two sides to compare");
	return rs_err_add_line(err, "try: regionstat diff OLD NEW, with files that -o FILE.json or "
				    "FILE.jsonl wrote");
}

int rs_command_diff(struct rs_options *options)
{
	struct rs_saved_sides sides = {.n = 0};
	struct rs_reports reports = {.n = 0};
	struct rs_err err;
	int status = 0;
	if (!read_sides(&sides, options->words, &err) ||
		!rs_check_regions_of_sides(options, sides.sides, sides.n, &err) ||
		!rs_reports_init(&reports, options, &err))
		status = rs_command_fail("compared", &err);
	else if (options->noise_check)
		status = rs_check_noise(&sides.sides[0], NULL);
	if (status == 0)
		status = rs_show_comparison(&reports, sides.sides, sides.n);
	rs_saved_sides_finish(&sides);
	rs_reports_finish(&reports);
	return status;
}
