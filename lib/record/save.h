/* SPDX-License-Identifier: MIT */
/*
 * Writing a run as JSON, so that record/load.h can read it again.
 */
#ifndef RS_RECORD_SAVE_H
#define RS_RECORD_SAVE_H

#include <stdio.h>

#include "stats/run.h"

/* Write the members of the document that rs_run_load() reads, beginning with the version, each with
 * a comma and a newline after it. Return false if memory runs out. */
bool rs_run_save(const struct rs_run *record, FILE *stream);

#endif
