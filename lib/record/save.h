/* SPDX-License-Identifier: MIT */
/*
 * Writing a run as JSON, so that it can be read again by record/load.h.
 */
#ifndef RS_RECORD_SAVE_H
#define RS_RECORD_SAVE_H

#include <stdio.h>

#include "stats/run.h"

/* Write the members of the document, each with a comma and a line end behind it, from its version on: all
 * that is read again. False: no memory. */
bool rs_run_save(const struct rs_run *record, FILE *stream);

#endif
