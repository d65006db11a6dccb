/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat diff`, which compares saved runs or saved series.
 */
#include "command.h"
#include "options.h"
#include "read_file.h"
#include "show.h"

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
	if (!read_sides(&sides, options->words, &err) || !rs_reports_init(&reports, options, &err))
		status = rs_command_fail("compared", &err);
	else if (options->noise_check)
		status = rs_check_noise(&sides.sides[0], NULL);
	if (status == 0)
		status = rs_show_comparison(&reports, sides.sides, sides.n);
	rs_saved_sides_finish(&sides);
	rs_reports_finish(&reports);
	return status;
}
