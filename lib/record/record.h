/* SPDX-License-Identifier: MIT */
/*
 * These functions write a run as JSON, and read it again. The file may come from any user, and may
 * contain anything. regionstat checks it as strictly as a segment.
 */
#ifndef RS_RECORD_RECORD_H
#define RS_RECORD_RECORD_H

#include <stdio.h>

#include "stats/run.h"

/* The position of a run in its series, from the member "series" of its line (compare/series.h). */
struct rs_series_place {
	/* a random number that all lines of a series share; 0: the run belongs to no series */
	uint64_t id;
	uint32_t command; /* index of the command among those that are compared */
	uint32_t round;
	uint64_t seed; /* the seed that chose the order of runs */
	bool is_varied; /* the run had --vary layout; otherwise the next three members are 0 */
	uint32_t environment_bytes; /* bytes that were added to the environment */
	uint32_t path_bytes; /* bytes that were added to the path of the program */
	bool is_fixed; /* address randomization was off */
};

/* Where a saved run comes from. */
struct rs_run_origin {
	/* version of the regionstat that wrote the run; the run owns the text */
	const char *version;
	struct rs_series_place place;
};

/*
 * Read the run in text[bytes], a JSON document as --format json writes it. Fill run, including its
 * plan and outcome. Release run with rs_run_finish(). origin may be NULL. Return false and set err
 * if the text is not JSON, is not a saved run, or makes no sense; err says what is wrong and where.
 */
bool rs_run_load(struct rs_run *run, struct rs_run_origin *origin, const char *text, size_t bytes,
	struct rs_err *err);

/* Write the members of the document that rs_run_load() reads, beginning with the version, each with
 * a comma and a newline after it. Jump to the guard if memory runs out. */
void rs_run_save(const struct rs_run *record, struct rs_arena *arena, FILE *stream);

/*
 * Make the label of a run for which --label was not given, in arena: its start in UTC and the pid
 * of its program, as in "2026-11-22T13:45:08Z-4242". Return NULL if memory runs out.
 */
const char *rs_record_default_label(struct rs_arena *arena, int64_t started_s, long pid);

/* Return true if a label has the form of the default label. */
bool rs_record_is_default_label(const char *label);

#endif
