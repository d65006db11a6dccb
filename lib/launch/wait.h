/* SPDX-License-Identifier: MIT */
/*
 * These functions wait for the program and for the processes that it leaves behind. Meanwhile they
 * forward signals and enforce the time-out.
 */
#ifndef RS_LAUNCH_WAIT_H
#define RS_LAUNCH_WAIT_H

#include "base/err.h"
#include "launch/launch.h"
#include "launch/still_running.h"
#include "launch/signals.h"

struct rs_wait {
	const struct rs_signals *signals; /* belongs to the caller */
	int64_t deadline_ns; /* time of the time-out's next signal; INT64_MAX: never */
	bool others_signaled; /* the remaining processes got SIGTERM because of the time-out */
	bool others_killed;
	const struct rs_tick *ticks; /* RS_MAX_TICKS elements; belongs to the caller */
	const struct rs_so_far *so_far; /* for the ticks; belongs to the caller */
	int64_t tick_ns[RS_MAX_TICKS]; /* time of the next call; INT64_MAX: never */
};

/* Initialize wait, which needs no release. timeout_ms counts from now; 0: no limit. ticks and
 * so_far must stay valid during all waiting. */
void rs_wait_init(struct rs_wait *wait, const struct rs_signals *signals, uint64_t timeout_ms,
	const struct rs_tick *ticks, const struct rs_so_far *so_far);

/* Wait until the child pid has ended. At the time-out send it SIGTERM, and SIGKILL 2 s later. Set
 * wait_status, usage, timed_out and interrupted_by of outcome. Return false and set err if pid is
 * not a child, or is no longer a child. */
bool rs_wait_program(
	struct rs_wait *wait, pid_t pid, struct rs_outcome *outcome, struct rs_err *err);

/*
 * Wait until no process with markers runs, or until SIGINT, SIGTERM, SIGHUP or SIGQUIT arrives.
 * Also wait for a process that could execute a program with markers, but for at most 1 s. If the
 * last signal that regionstat got ended the program, do not wait at all.
 *
 * At the time-out all remaining processes get SIGTERM. They get it at once if the time-out already
 * ended the program. SIGKILL follows 2 s later, and the wait ends 2 s after that in any case.
 *
 * Set timed_out and interrupted_by of outcome. Return false and set err if memory or descriptors
 * run out.
 */
bool rs_wait_others(struct rs_wait *wait, const struct rs_segment *segment,
	struct rs_outcome *outcome, struct rs_err *err);

/* Wait up to 100 ms for a running process that is not a child, and send it no signal. Return false
 * if the process has ended, the time-out has passed, or SIGINT, SIGTERM, SIGHUP or SIGQUIT has
 * arrived (interrupted_by). Set *done to false and err if descriptors run out. */
bool rs_wait_attached(struct rs_wait *wait, int pidfd, struct rs_outcome *outcome, bool *done,
	struct rs_err *err);

#endif
