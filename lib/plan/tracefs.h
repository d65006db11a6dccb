/* SPDX-License-Identifier: MIT */
/*
 * Looking up and listing tracepoints in tracefs.
 */
#ifndef RS_PLAN_TRACEFS_H
#define RS_PLAN_TRACEFS_H

#include <stdint.h>

#include "plan/host.h"

/*
 * Look up the tracepoint system:name and set *id to its id, which is the attr.config. Return 0 on
 * success, and ENOENT if the tracepoint does not exist. If tracefs cannot be read, return the errno
 * value and set *tracefs_error to it (ENOENT: not mounted).
 */
int rs_tracefs_find(const struct rs_host *host, const char *system, const char *name, uint64_t *id,
	int *tracefs_error);

/*
 * Call visit(context, "system:name") for every tracepoint. The string is valid during the call.
 * Return 0, or the errno value if tracefs cannot be read.
 */
int rs_tracefs_visit(
	const struct rs_host *host, void (*visit)(void *context, const char *name), void *context);

#endif
