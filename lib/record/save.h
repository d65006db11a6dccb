/* SPDX-License-Identifier: MIT */
/*
 * Writing a run as JSON, so that it can be read again by record/load.h.
 */
#ifndef RS_RECORD_SAVE_H
#define RS_RECORD_SAVE_H

#include <stdio.h>

#include "stats/record.h"

/*
 * Write a run as members of a JSON object, each on a line of its own and with a comma and a line
 * end before it, but for the first, which has neither. _facts: what was run, where and how it
 * ended; _measured: what was measured, in exact numbers, a line a cell.
 * False: no memory.
 */
bool rs_record_save_facts(const struct rs_record *record, FILE *stream);
bool rs_record_save_measured(const struct rs_record *record, FILE *stream);

#endif
