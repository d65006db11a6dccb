/* SPDX-License-Identifier: MIT */
/* How the marker header and other languages reach the runtime's markers. */
#ifndef RS_RUNTIME_ATTACH_H
#define RS_RUNTIME_ATTACH_H

#include "runtime/thread/thread.h"

/* ---- attach.c ---- */

/* Attach the process to the segment, and return the table of markers. The marker header calls this
 * once per object, with its ABI version. segment names the segment in the format of RS_SEGMENT_ENV.
 * If it is NULL, the environment variable is used, unless the process has more rights than its user
 * (secure_getenv(3)). Return NULL if the runtime cannot measure; the reason is then in the
 * segment. */
__attribute__((visibility("default"))) const struct regionstat_table_14_ *regionstat_join(
	unsigned int abi, const char *segment);

/* ---- detach.c ---- */

/* Start the thread that detaches this process. Return false if no thread can be started. */
bool rs_monitor_start(void);

/* Run a function in a new thread without signals. Return 0, or an errno value. The marker header of
 * static programs calls this. */
__attribute__((visibility("default"))) int regionstat_apart(void *(*run)(void *));

/* ---- functions.c ---- */

/* The table that the exported functions call, or NULL if the program was not launched by
 * regionstat. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_14_ *) rs_functions_table;

#endif
