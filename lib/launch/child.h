/* SPDX-License-Identifier: MIT */
/*
 * struct rs_child is the program's process between fork and exec. The child waits before exec until
 * the launcher has opened counters on it.
 */
#ifndef RS_LAUNCH_CHILD_H
#define RS_LAUNCH_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "launch/launch.h"
#include "launch/signals.h"

struct rs_child {
	pid_t pid; /* 0: no child, or it was reaped */
	/* The child waits for a byte from this socket before exec, and then sends the result of
	 * exec. -1: closed. */
	int socket;
};

/* Fork a child that waits before exec of options->argv. The program gets the segment's descriptor
 * under the same number. Fill child; the caller releases it with rs_child_finish(). Return false
 * and set err if fork or a socket failed. */
bool rs_child_start(struct rs_child *child, const struct rs_launch_options *options,
	const struct rs_segment *segment, const struct rs_signals *signals, struct rs_err *err);

/* Set err to `what` and the errno value of fork() or pthread_create(). Name the limits if one of
 * them is reached. Return false. */
bool rs_child_refused(struct rs_err *err, int number, const char *what);

/* Let the child exec, and wait for the result. Set begin to the moment right before exec. Set
 * exec_errno to 0, or to the errno of a failed exec. In that case the child has ended, and the
 * caller must reap it. */
void rs_child_exec(struct rs_child *child, struct rs_clock_point *begin, int *exec_errno);

/* Close the socket. If pid is not 0, kill and reap the child. child may be zeroed with
 * socket -1. */
void rs_child_finish(struct rs_child *child);

#endif
