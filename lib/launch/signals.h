/* SPDX-License-Identifier: MIT */
/*
 * The launcher's signals: blocked and waited for in one thread, so that no handler exists. The
 * program gets its mask and dispositions back before exec, so it sees no difference.
 */
#ifndef RS_LAUNCH_SIGNALS_H
#define RS_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct rs_signals {
	sigset_t caller_mask;
	sigset_t waited; /* SIGCHLD, and those that are passed on */
	struct sigaction caller_child; /* of SIGCHLD */
};

/*
 * Block SIGCHLD and the signals that are passed on to the program, but for those that the caller
 * ignores; make sure that SIGCHLD comes. SIGTSTP and its like stay as they are: a terminal stops
 * and continues launcher and program together.
 */
void rs_signals_block(struct rs_signals *signals);

/* In the child before exec: mask and dispositions as the caller had them. Async-signal-safe. */
void rs_signals_restore_in_child(const struct rs_signals *signals);

/* Wait up to timeout_ns (-1: for ever) for one of the signals. Returns its number, 0 on time-out
 * or when another signal got in between; info: filled when a number is returned. */
int rs_signals_wait(const struct rs_signals *signals, int64_t timeout_ns, siginfo_t *info);

/* Pass a signal on to pid. Signals from the kernel are not passed on if the program got them as
 * well, or if they are not for it. A terminal sends signals to the whole foreground process group,
 * but a hang-up only to the leader of the session. SIGCHLD is not passed on. */
void rs_signals_pass_on(const siginfo_t *info, pid_t pid);

/* From now on ignore all of them but those that end a command: SIGINT, SIGQUIT, SIGHUP and SIGTERM.
 * Only the report remains, and no other signal may prevent it. */
void rs_signals_ignore_others(void);

/* Drop pending ones of the signals and restore the caller's mask. mask: as it was before. */
void rs_signals_unblock(const sigset_t *mask);

#endif
