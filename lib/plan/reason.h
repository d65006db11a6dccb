/* SPDX-License-Identifier: MIT */
/*
 * Why an event cannot be counted, in words: what the kernel said, what that means on this machine,
 * and what to do.
 */
#ifndef RS_PLAN_REASON_H
#define RS_PLAN_REASON_H

#include "base/err.h"
#include "plan/host.h"
#include "plan/resolve.h"

struct rs_reason {
	struct rs_err text; /* the lines of struct rs_err, without the "cannot count 'X': " */
	char brief[96]; /* a few words, for a list or a note */
};

/*
 * Explain a refusal.
 * resolved: the event. error: the errno value that perf_event_open(2) refused it with; 0: it was
 * not tried, because it could only count 0. reason: filled.
 */
void rs_reason_explain(struct rs_reason *reason, const struct rs_host *host,
	const struct rs_resolved *resolved, int error);

#endif
