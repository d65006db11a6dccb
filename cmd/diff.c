/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat diff`, which compares saved runs or saved series.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "gates.h"
#include "options.h"
#include "read_file.h"
#include "show.h"

#define MOST_FILES 16u
#define MOST_SIDES 64u

struct diff {
	const struct rs_options *options;
	struct rs_reports reports;
	struct rs_series series[MOST_FILES];
	size_t n_series;
	struct rs_side sides[MOST_SIDES];
	size_t n_sides;
};

/* Add each command of a file as a side of the comparison. */
static void add_sides(struct diff *diff, const struct rs_series *series, const char *path)
{
	for (uint32_t c = 0; c < series->n_commands && diff->n_sides < MOST_SIDES; c++) {
		const struct rs_side side = {series, c, path};
		if (rs_side_n_runs(&side) > 0)
			diff->sides[diff->n_sides++] = side;
	}
}

static bool load(struct diff *diff, struct rs_err *err)
{
	char **words = diff->options->words;
	for (size_t i = 0; words[i]; i++) {
		if (i == MOST_FILES)
			return rs_err_set(err, "diff: more than %u files", MOST_FILES);
		struct rs_series *series = &diff->series[diff->n_series++];
		if (!rs_read_series(series, words[i], err))
			return false;
		add_sides(diff, series, words[i]);
	}
	if (diff->n_sides >= 2)
		return true;
	rs_err_set(err, "diff: there are not two sides to compare");
	return rs_err_add_line(err, "try: regionstat diff OLD NEW, with files that -o FILE.json or "
				    "FILE.jsonl wrote");
}

static int run(struct diff *diff)
{
	struct rs_err err;
	if (!load(diff, &err) || !rs_reports_init(&diff->reports, diff->options, &err))
		return rs_command_fail("compared", &err);
	if (diff->options->noise_check) {
		int status = rs_check_noise(&diff->sides[0], NULL);
		if (status != 0)
			return status;
	}
	return rs_show_comparison(&diff->reports, diff->sides, diff->n_sides);
}

int rs_command_diff(struct rs_options *options)
{
	struct diff diff = {.options = options};
	int status = run(&diff);
	for (size_t i = 0; i < diff.n_series; i++)
		rs_series_finish(&diff.series[i]);
	rs_reports_finish(&diff.reports);
	return status;
}
