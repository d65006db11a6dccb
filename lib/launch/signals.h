/* SPDX-License-Identifier: MIT */
/*
 * The launcher's signals: blocked and waited for in one thread, so that no handler exists and the
 * program, which gets mask and dispositions back before exec, cannot tell.
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

/* Pass a signal on to pid, unless the kernel sent it and the program got it as well (what a terminal
 * sends goes to the whole foreground process group, but for a hang-up, which is told the leader of
 * the session) or is not meant. SIGCHLD is not passed on. */
void rs_signals_pass_on(const siginfo_t *info, pid_t pid);

/* From now on ignore all of them but those by which somebody ends a command: SIGINT, SIGQUIT, SIGHUP
 * and SIGTERM. What remains to be done is the report, which none of the others is to cost. */
void rs_signals_ignore_others(void);

/* Drop pending ones of the signals and restore the caller's mask. mask: as it was before. */
void rs_signals_unblock(const sigset_t *mask);

#endif
