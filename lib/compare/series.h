/* SPDX-License-Identifier: MIT */
/*
 * Runs that belong together, as files hold them: a saved run (-o FILE.json) is a series of one, and a
 * series (-o FILE.jsonl) has a line of JSON for each run. Such a line is a saved run with one member
 * more, "series". A file that was cut anywhere gives its whole runs.
 */
#ifndef RS_COMPARE_SERIES_H
#define RS_COMPARE_SERIES_H

#include <stdio.h>

#include "base/err.h"
#include "compare/samples.h"
#include "stats/machine.h"

/* The place of a run in its series, the member "series" of its line. */
struct rs_series_place {
	uint64_t id; /* the same in all lines of a series, by chance in no other; 0: of none */
	uint32_t command; /* which of the commands that are compared, from 0 */
	uint32_t round;
	uint64_t seed; /* of the order of runs */
	bool is_varied; /* --vary layout; else the next three are 0 */
	uint32_t environment_bytes; /* that were added */
	uint32_t path_bytes; /* that the path of the program was made longer by */
	bool is_fixed; /* addresses were not randomized */
};

struct rs_series_run {
	struct rs_series_place place;
	const char *label;
	const char *version; /* of the regionstat that wrote it; "" where unknown */
	const char *command; /* the program and its arguments, as a line */
	int64_t started_s;
	int status; /* the program's exit status; 128 + a signal's number */
	struct rs_machine machine;
	struct rs_samples samples;
};

struct rs_series {
	struct rs_series_run *runs; /* in the order of their lines */
	size_t n;
	size_t n_commands; /* that its runs are of; 1 at least */
	bool is_cut; /* the last run is not whole, and was left alone */
	struct rs_arena arena;
};

/* Add the runs that text[bytes] holds: one document, or several, whatever is between them. name: of the file,
 * for messages. series: zeroed or in use. False, with err filled: there is no whole run, or one is wrong. */
bool rs_series_read(struct rs_series *series, const char *name, const char *text, size_t bytes,
	struct rs_err *err);

/* Add one run that was just made. False: no memory. */
bool rs_series_add(struct rs_series *series, const struct rs_summary *summary,
	const struct rs_series_place *place, const char *version);

/* Write a saved run, text[bytes], as a line. False, with err filled: it is no run. */
bool rs_series_write(FILE *stream, const char *text, size_t bytes,
	const struct rs_series_place *place, struct rs_err *err);

void rs_series_finish(struct rs_series *series);

/* Runs of one command of a series: a side of a comparison. */
struct rs_side {
	const struct rs_series *series;
	uint32_t command;
	const char *name; /* as reports call it */
};

size_t rs_side_n_runs(const struct rs_side *side);
const struct rs_series_run *rs_side_run(const struct rs_side *side, size_t index);

/* Put two sides beside each other, and judge. comparison: filled on success; it borrows the names of the
 * series. False, with err filled: no memory, or a side without runs. */
bool rs_comparison_of(struct rs_comparison *comparison, const struct rs_side *old,
	const struct rs_side *new, struct rs_err *err);

/* The same of one side's runs, every other one as the new side: what a machine shows without any
 * difference. */
bool rs_comparison_of_itself(
	struct rs_comparison *comparison, const struct rs_side *side, struct rs_err *err);

/* How much of the spread of the side's whole run its layouts explain, 0 to 1; NAN: they did not vary, or
 * the runs are too few. */
double rs_side_layout_share(const struct rs_side *side);

#endif
