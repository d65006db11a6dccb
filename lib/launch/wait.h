/*
 * Waiting for the program: signals are passed on meanwhile, and the time-out is kept.
 */
#ifndef RS_LAUNCH_WAIT_H
#define RS_LAUNCH_WAIT_H

#include "base/err.h"
#include "launch/launch.h"
#include "launch/signals.h"

/*
 * Wait until pid, a child of this process, has ended.
 * timeout_ms: 0 for none; else SIGTERM then, and SIGKILL 2 s later.
 * outcome: wait_status, usage, timed_out and interrupted_by are filled.
 * False, with err filled: there is no such child (any more).
 */
bool rs_wait_program(pid_t pid, const struct rs_signals *signals, uint64_t timeout_ms,
	struct rs_outcome *outcome, struct rs_err *err);

#endif
