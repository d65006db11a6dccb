/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the program, and for what it leaves behind: signals are passed on meanwhile, and the
 * time-out is kept.
 */
#ifndef RS_LAUNCH_WAIT_H
#define RS_LAUNCH_WAIT_H

#include "base/err.h"
#include "launch/launch.h"
#include "launch/still_running.h"
#include "launch/signals.h"

struct rs_wait {
	const struct rs_signals *signals; /* borrowed */
	int64_t deadline_ns; /* of the time-out's next step; INT64_MAX: none */
	bool others_told; /* to end, by the time-out */
	bool others_killed;
	const struct rs_tick *tick; /* borrowed */
	int64_t tick_ns; /* when it is due; INT64_MAX: never */
};

/* timeout_ms: from now on; 0 for none. tick: borrowed. wait: filled, nothing to release. */
void rs_wait_init(struct rs_wait *wait, const struct rs_signals *signals, uint64_t timeout_ms,
	const struct rs_tick *tick);

/*
 * Wait until pid, a child of this process, has ended. At the time-out it gets SIGTERM, and SIGKILL
 * 2 s later.
 * outcome: wait_status, usage, timed_out and interrupted_by are filled.
 * False, with err filled: there is no such child (any more).
 */
bool rs_wait_program(
	struct rs_wait *wait, pid_t pid, struct rs_outcome *outcome, struct rs_err *err);

/*
 * Then wait until no marking process runs, or until SIGINT, SIGTERM, SIGHUP or SIGQUIT comes. Do
 * not wait if one of them has ended the program. At the time-out, or at once if the time-out ended
 * the program, all remaining processes get SIGTERM, and SIGKILL 2 s later. The wait ends 2 s after
 * that in any case. outcome: timed_out and interrupted_by are filled. False, with err filled: no
 * memory, no descriptor.
 */
bool rs_wait_others(struct rs_wait *wait, const struct rs_segment *segment,
	struct rs_outcome *outcome, struct rs_err *err);

#endif
