/* SPDX-License-Identifier: MIT */
/*
 * A series consists of runs that belong together. These functions read and write series. A saved
 * run (-o FILE.json) is a series of one run. A series (-o FILE.jsonl) has a line of JSON for each
 * run: a saved run with the additional member "series". If a file was cut off, its complete runs
 * can still be read.
 */
#ifndef RS_COMPARE_SERIES_H
#define RS_COMPARE_SERIES_H

#include <stdio.h>

#include "base/err.h"
#include "compare/compare.h"
#include "record/record.h"
#include "stats/density.h"
#include "stats/machine.h"
#include "stats/summary.h"

/* A value of a region and event in one run. All code that compares runs uses only these values. */
struct rs_sample {
	const char *region; /* NULL for the whole run */
	const char *parent; /* the parent region, or NULL */
	struct rs_compared_event event;
	struct rs_point point;
	/* distribution of a region's time; NULL for other events and for the whole run */
	const struct rs_density *density;
};

struct rs_samples {
	struct rs_sample *items; /* the samples of all events of one region are adjacent */
	size_t n;
};

struct rs_series_run {
	struct rs_series_place place;
	const char *label;
	const char *version; /* version of the regionstat that wrote the run; "" if unknown */
	const char *command; /* the program and its arguments in one line */
	int64_t started_s;
	int status; /* the program's exit status, or 128 plus the signal's number */
	bool raw; /* --raw: the overhead of markers is not subtracted */
	struct rs_machine machine;
	struct rs_samples samples;
};

struct rs_series {
	struct rs_series_run *runs; /* runs in the order of their lines */
	size_t n;
	size_t n_commands; /* how many different commands were run, at least 1 */
	bool is_cut; /* an incomplete run was ignored */
	struct rs_arena arena;
};

/* Add the runs in text[bytes]: one or several JSON objects, with any text between them. name is the
 * file's name for messages. series is zeroed or has runs already. Return false and set err if there
 * is no complete run or a run is invalid. */
bool rs_series_read(struct rs_series *series, const char *name, const char *text, size_t bytes,
	struct rs_err *err);

/* Add a run that has just been made. Return false if memory runs out. */
bool rs_series_add(struct rs_series *series, const struct rs_summary *summary,
	const struct rs_series_place *place, const char *version);

/* Write a saved run as one line. text[bytes] is the output of rs_report_json(). Omit the reports
 * that it contains, because they can be computed from the other members. Return false and set err
 * if memory runs out. */
bool rs_series_write(FILE *stream, const char *text, size_t bytes,
	const struct rs_series_place *place, struct rs_err *err);

void rs_series_finish(struct rs_series *series);

/* A side of a comparison: the runs of one command of a series. */
struct rs_side {
	const struct rs_series *series;
	uint32_t command;
	const char *name; /* the name in reports */
};

size_t rs_side_n_runs(const struct rs_side *side);
const struct rs_series_run *rs_side_run(const struct rs_side *side, size_t index);

/* Return true if both sides consist of the same runs, because a file is compared with itself. */
bool rs_sides_are_same(const struct rs_side *old, const struct rs_side *new);

/* Fill density with the distribution of a region's time over the runs of a side. The sum of the
 * density is the mean time of the region in a run. arena owns density->shares. */
void rs_side_density(struct rs_density *density, const struct rs_side *side, const char *region,
	struct rs_arena *arena);

/* Compare two sides and judge the differences. comparison is filled on success and borrows the
 * names of the series. Return false and set err if memory runs out or a side has no runs. */
bool rs_comparison_of(struct rs_comparison *comparison, const struct rs_side *old,
	const struct rs_side *new, struct rs_err *err);

/* Compare one half of a side's runs with the other half. Both halves ran the same program, so the
 * result shows how much the machine varies. */
bool rs_comparison_of_itself(
	struct rs_comparison *comparison, const struct rs_side *side, struct rs_err *err);

/* Return how much of the variance of the side's run times comes from layouts (--vary layout), from
 * 0 to 1. Return NAN if layouts did not vary or there are too few runs. */
double rs_side_layout_share(const struct rs_side *side);

#endif
