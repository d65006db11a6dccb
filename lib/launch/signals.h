/* SPDX-License-Identifier: MIT */
/*
 * These functions handle the launcher's signals. The signals are blocked, and one thread waits for
 * them, so there are no handlers. The program gets the original mask and dispositions back before
 * exec.
 */
#ifndef RS_LAUNCH_SIGNALS_H
#define RS_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct rs_signals {
	sigset_t caller_mask;
	sigset_t waited; /* the signals to wait for: SIGCHLD and the forwarded signals */
	struct sigaction caller_child; /* the caller's disposition of SIGCHLD */
};

/* Block SIGCHLD and the signals that are forwarded to the program, except those that the caller
 * ignores. Reset SIGCHLD's disposition. SIGTSTP and similar signals are not blocked, because a
 * terminal stops and continues the launcher and the program together. */
void rs_signals_block(struct rs_signals *signals);

/* Restore the caller's mask and dispositions in the child before exec. Async-signal-safe. */
void rs_signals_restore_in_child(const struct rs_signals *signals);

/* Wait at most timeout_ns (-1: without limit) for a signal. Return its number and fill info. Return
 * 0 after a time-out, or if another signal interrupted the wait. */
int rs_signals_wait(const struct rs_signals *signals, int64_t timeout_ns, siginfo_t *info);

/* Forward a signal to pid. Signals from the kernel are not forwarded if the program got them too,
 * or if they concern regionstat only. A terminal signals the whole foreground process group, but a
 * hang-up reaches only the session leader. SIGCHLD is never forwarded. */
void rs_signals_pass_on(const siginfo_t *info, pid_t pid);

/* Ignore all forwarded signals from now on, except SIGINT, SIGQUIT, SIGHUP and SIGTERM. Only the
 * report remains to be written, and only these four signals can end it. */
void rs_signals_ignore_others(void);

/* Drop pending forwarded signals, and restore the caller's mask. */
void rs_signals_unblock(const sigset_t *mask);

#endif
