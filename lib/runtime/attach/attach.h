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
__attribute__((visibility("default"))) const struct regionstat_table_29_ *regionstat_join(
	unsigned int abi, const char *segment);

/* Turn on all markers. Return the table, or NULL if the process has detached meanwhile. */
const struct regionstat_table_29_ *rs_turn_on(const struct regionstat_table_29_ *table);

/* ---- build.c ---- */

/* Make the state of a process that was never measured: it is as if a measurement has ended. Return NULL
 * and set *reason if that fails. */
struct rs_runtime *rs_runtime_make(const char **reason);

/* Forget what belongs to the measurement before. Nothing is moved: a marker that is on its way out may
 * still read the state. */
void rs_runtime_forget(struct rs_runtime *runtime);

/* Map the segment and fill the process's state. Return false and set *reason if that fails. */
bool rs_runtime_fill(
	struct rs_runtime *runtime, const struct rs_address *address, int fd, const char **reason);

/* ---- detach.c ---- */

/* End the measurement in this process: no marker is on, all threads are detached, and the segment is
 * given back. process is the process's entry in the segment, or NULL if it has none. */
void rs_detach(struct rs_runtime *runtime, struct rs_process *process);

/* Start the thread that detaches this process. Return false if no thread can be started. */
bool rs_monitor_start(void);

/* Run a function in a new thread without signals. Return 0, or an errno value. The marker header of
 * static programs calls this. */
__attribute__((visibility("default"))) int regionstat_apart(void *(*run)(void *));

/* ---- open.c ---- */

/* Measure this process, which no launcher measures. events: as for -e, with perf's generic names and
 * rNNN; "": time only. Return NULL, or why that failed, until the next call. If the process is
 * measured already, do nothing. The marker header calls the first function. */
__attribute__((visibility("default"))) const char *regionstat_open_process(
	unsigned int abi, const char *events);
__attribute__((visibility("default"))) const char *regionstat_open(const char *events);

/* ---- report.c ---- */

/* Write the report so far to a file: a function of the table. */
const char *rs_report(const char *path);

/* ---- functions.c ---- */

/* The table that the exported functions call, or NULL if the program was not launched by
 * regionstat. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_29_ *) rs_functions_table;

#endif
