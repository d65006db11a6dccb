/* SPDX-License-Identifier: MIT */
/* How a program comes to its markers. */
#ifndef RS_RUNTIME_ATTACH_H
#define RS_RUNTIME_ATTACH_H

#include "runtime/thread/thread.h"

/* ---- attach.c ---- */

/* What headers call, once an object: the markers; NULL, with the reason in the segment, when there
 * are none to be had. abi: the header's. segment: which one, as RS_SEGMENT_ENV has it; NULL for
 * what the environment says, unless the process runs with more rights than who started it. */
__attribute__((visibility("default"))) const struct regionstat_table_14_ *regionstat_join(
	unsigned int abi, const char *segment);

/* ---- functions.c ---- */

/* What exported functions call; NULL: not launched. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_14_ *) rs_functions_table;

#endif
