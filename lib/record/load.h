/* SPDX-License-Identifier: MIT */
/*
 * Reading a saved run. Any user may have written the file, so it may contain anything. It is
 * checked as strictly as a segment is.
 */
#ifndef RS_RECORD_LOAD_H
#define RS_RECORD_LOAD_H

#include "stats/run.h"

/*
 * Read the run in text[bytes], a JSON document as --format json writes it, and fill run with its
 * plan and outcome. Release run with rs_run_finish(). Return false and set err if the text is not
 * JSON, is not a saved run, or makes no sense; err says what is wrong and where.
 */
bool rs_run_load(struct rs_run *run, const char *text, size_t bytes, struct rs_err *err);
#endif
