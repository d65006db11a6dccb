/* SPDX-License-Identifier: MIT */
/*
 * Reading a saved run. Any user may have written the file, and it may hold anything. Its contents
 * are checked as those of a segment are, and can be believed as far.
 */
#ifndef RS_RECORD_LOAD_H
#define RS_RECORD_LOAD_H

#include "stats/record.h"

/* A run that came from a file, with all that its record points to. */
struct rs_saved_run {
	struct rs_record record;
	struct rs_plan plan;
	struct rs_collection collection;
	struct rs_outcome outcome;
	struct rs_arena arena; /* owns everything */
};

/*
 * Read the run that text[bytes] holds, a JSON document that --format json wrote.
 * run: filled on success, and not to be moved; release with rs_saved_run_finish().
 * False, with err filled: it is no JSON, no run, or one that makes no sense; what and where.
 */
bool rs_record_load(struct rs_saved_run *run, const char *text, size_t bytes, struct rs_err *err);

/* Release memory. run: filled, zeroed, or NULL. */
void rs_saved_run_finish(struct rs_saved_run *run);

#endif
