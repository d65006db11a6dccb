/* SPDX-License-Identifier: MIT */
/*
 * How the status of a value is put, in files and in tables.
 */
#ifndef RS_REPORT_STATUS_H
#define RS_REPORT_STATUS_H

#include "stats/summary.h"

/* As CSV has it: "ok", "not-supported". Static storage. */
const char *rs_status_word(enum rs_value_status status);

/* What a table shows in place of a value without a total: "<not supported>". Static storage. */
const char *rs_status_words(enum rs_value_status status);

#endif
