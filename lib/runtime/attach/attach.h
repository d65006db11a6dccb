/* SPDX-License-Identifier: MIT */
/* The functions by which the marker header and other languages reach the markers of the runtime. */
#ifndef RS_RUNTIME_ATTACH_H
#define RS_RUNTIME_ATTACH_H

#include "runtime/thread/thread.h"

/* ---- attach.c ---- */

/* Attach the process to the segment, and return the table of markers. The marker header calls this
 * once per object, with its ABI version. segment names the segment in the format of RS_SEGMENT_ENV.
 * If it is NULL, the environment variable is used, unless the process has more rights than its user
 * (secure_getenv(3)). Return NULL on failure, with the reason in the segment. */
__attribute__((visibility("default"))) const struct regionstat_table_29_ *regionstat_join(
	unsigned int abi, const char *segment);

/* This is 1 after the library's constructors have run. In a child that was forked while its parent
 * loaded the library, they have possibly not run. Then only this word may be used (dlsym(3)). */
extern __attribute__((visibility("default"))) int regionstat_loaded;

/* Turn on all markers. Return the table, or NULL if the process has detached in the meantime. */
const struct regionstat_table_29_ *rs_turn_on(const struct regionstat_table_29_ *table);

/* ---- build.c ---- */

/* Create the state of a process that was never measured. This state is the same as after the end of
 * a measurement. Return NULL and set *reason on failure. */
struct rs_runtime *rs_runtime_make(const char **reason);

/* Reset the members that belong to the previous measurement. Move and free nothing, because a
 * marker that is about to return may still read the state. */
void rs_runtime_forget(struct rs_runtime *runtime);

/* Map the segment and fill the process's state. Return false and set *reason if that fails. */
bool rs_runtime_fill(
	struct rs_runtime *runtime, const struct rs_address *address, int fd, const char **reason);

/* ---- detach.c ---- */

/* End the measurement in this process: turn off the markers, detach all threads, and unmap the
 * segment. process is the entry of this process in the segment, or NULL if it has none. */
void rs_detach(struct rs_runtime *runtime, struct rs_process *process);

/* Return a value of runtime->keeper for a descriptor that the calling thread keeps. */
RS_INLINE uint64_t rs_keeper_of(int fd)
{
	return (uint64_t)rs_sys_gettid() << 32 | (uint32_t)fd;
}

/* Start the monitor thread, which detaches this process at the end. Return false if that fails. */
bool rs_monitor_start(void);

/* Run a function in a new thread that blocks all signals. Return 0 or an errno value. Return -1 if
 * the calling thread blocks one of the request's signals and the request does not list this thread
 * (regionstat.h). The marker header of static programs calls this function. request may be NULL. */
__attribute__((visibility("default"))) int regionstat_apart(
	void *(*run)(void *), const struct regionstat_request_1_ *request);

/* ---- open.c ---- */

/* Measure this process without a launcher. events has the format of -e, with perf's generic names
 * and rNNN; "" means time only. Do nothing if the process is measured already. Return NULL on
 * success, or the reason of the failure, which is valid until the next call. The marker header
 * calls the first function. */
__attribute__((visibility("default"))) const char *regionstat_open_process(
	unsigned int abi, const char *events);
__attribute__((visibility("default"))) const char *regionstat_open(const char *events);

/* ---- report.c ---- */

/* Write the report so far to a file. This is a function of the table. */
const char *rs_report(const char *path);

/* ---- functions.c ---- */

/* The table that the exported functions call, or NULL while the markers are off. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_29_ *) rs_functions_table;

#endif
