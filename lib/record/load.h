/* SPDX-License-Identifier: MIT */
/*
 * Reading a saved run. Any user may have written the file, and it may hold anything. Its contents
 * are checked as those of a segment are, and can be believed as far.
 */
#ifndef RS_RECORD_LOAD_H
#define RS_RECORD_LOAD_H

#include "stats/run.h"

/*
 * Read the run that text[bytes] holds, a JSON document that --format json wrote.
 * run: filled on success, its plan and outcome too; release with rs_run_finish().
 * False, with err filled: it is no JSON, no run, or one that makes no sense; what and where.
 */
bool rs_run_load(struct rs_run *run, const char *text, size_t bytes, struct rs_err *err);
#endif
