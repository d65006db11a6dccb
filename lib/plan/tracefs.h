/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints, as tracefs shows them.
 */
#ifndef RS_PLAN_TRACEFS_H
#define RS_PLAN_TRACEFS_H

#include <stdint.h>

#include "plan/host.h"

/*
 * Look up the tracepoint system:name. id: set to its number, attr.config, on success.
 * Returns 0; ENOENT when tracefs works and has no such tracepoint; else why tracefs cannot be read,
 * as an errno value and in tracefs_error (ENOENT: not mounted).
 */
int rs_tracefs_find(const struct rs_host *host, const char *system, const char *name, uint64_t *id,
	int *tracefs_error);

/*
 * Name every tracepoint: visit(context, "system:name"), string borrowed for the call.
 * Returns 0, or the errno value of why tracefs cannot be read.
 */
int rs_tracefs_visit(
	const struct rs_host *host, void (*visit)(void *context, const char *name), void *context);

#endif
