/* SPDX-License-Identifier: MIT */
/*
 * The options of perf stat that regionstat does not take.
 */
#ifndef RS_OPTIONS_PERF_H
#define RS_OPTIONS_PERF_H

#include "base/err.h"

/*
 * Say why an option of perf stat's is not taken, and what does its work.
 * name: as the user wrote it, with its dashes and without a value. err: filled if it is one.
 * Returns whether it is.
 */
bool rs_options_explain_perf(const char *name, struct rs_err *err);

#endif
