/* SPDX-License-Identifier: MIT */
/* How a program comes to its markers. */
#ifndef RS_RUNTIME_ATTACH_H
#define RS_RUNTIME_ATTACH_H

#include "runtime/thread/thread.h"

/* ---- attach.c ---- */

/* Headers call this once an object. It returns the markers; NULL, with the reason in the segment,
 * when the runtime cannot measure. abi: the header's. segment: which one, in the format of
 * RS_SEGMENT_ENV. NULL: the one in the environment, unless the process runs with more rights than
 * the user who started it. */
__attribute__((visibility("default"))) const struct regionstat_table_14_ *regionstat_join(
	unsigned int abi, const char *segment);

/* ---- functions.c ---- */

/* Exported functions call this table; NULL: not launched. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_14_ *) rs_functions_table;

#endif
