/* SPDX-License-Identifier: MIT */
/*
 * This program writes a CSV with hostile names to stdout, for other programs to read back. argv[1]
 * is the separator. The names of regions are those in csv_readers_test.py.
 */
#include <stdio.h>

#include "report/report.h"

static const char *const names[] = {
	"plain",
	"comma, semicolon; tab\t pipe|",
	"\"quoted\"",
	"\"",
	"two\nlines",
	"carriage\r\nreturn",
	" leading and trailing ",
	"\xe6\xb8\xb2\xe6\x9f\x93",
	"not \xff UTF-8",
	"\033[31mred",
	"=1+1",
	"ends in a colon:",
	"'single'",
	"back\\slash",
	"NA",
	"\xe2\x80\xaeright to left",
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

int main(int argc, char **argv)
{
	struct rs_summary_column column = {"time", "ns", true, true};
	struct rs_value run = {.total = 1000, .lacks_self = true};
	struct rs_value values[N_NAMES];
	struct rs_summary_region regions[N_NAMES] = {0};
	if (argc != 2)
		return 2;
	for (size_t i = 0; i < N_NAMES; i++) {
		values[i] = (struct rs_value){.counted = i + 1,
			.weight = 2,
			.sum = 2 * i + 1, /* gives an average of i + 0.5 */
			.total = UINT64_MAX - i,
			.self = (int64_t)i,
			.max = i + 1};
		regions[i].name = names[i];
		regions[i].n_threads = i + 2;
		regions[i].calls = i + 1;
		regions[i].values = &values[i];
		regions[i].diag[RS_ACCUMULATOR_DIAG_OPEN] = i;
	}
	static const struct rs_run empty_run;
	struct rs_summary summary = {.run = &empty_run,
		.label = "sample",
		.columns = &column,
		.n_columns = 1,
		.total.values = &run,
		.regions = regions,
		.n_regions = N_NAMES};
	rs_report_csv(&summary, &(struct rs_report_options){.separator = argv[1], .header = true},
		stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
