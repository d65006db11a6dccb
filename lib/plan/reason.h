/* SPDX-License-Identifier: MIT */
/*
 * Explanations why an event cannot be counted: what the kernel said, what this means on this
 * machine, and what to do.
 */
#ifndef RS_PLAN_REASON_H
#define RS_PLAN_REASON_H

#include "base/err.h"
#include "plan/host.h"
#include "plan/resolve.h"

struct rs_reason {
	struct rs_err text; /* lines as in struct rs_err, without "cannot count 'X': " */
	char brief[96]; /* a few words, for a list or a note */
};

/*
 * Explain why the kernel refused an event. error: the errno value of perf_event_open(2). 0: the
 * event was not tried, because it would always count 0. Fill reason.
 */
void rs_reason_explain(struct rs_reason *reason, const struct rs_host *host,
	const struct rs_resolved *resolved, int error);

#endif
