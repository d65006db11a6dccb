/* SPDX-License-Identifier: MIT */
/*
 * The program's process from fork to exec. It stops short of exec until the launcher has opened the
 * run's counters on it, and a pipe that exec closes gives the result of exec.
 */
#ifndef RS_LAUNCH_CHILD_H
#define RS_LAUNCH_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/environment.h"
#include "launch/signals.h"
#include "segment/segment.h"

struct rs_child {
	pid_t pid; /* 0: none, or waited for */
	int go[2]; /* the pipe that the child waits on, both ends; -1 when none */
	int status_fd; /* read end of the pipe with the result of exec; -1 when none */
};

/* The child's work; everything borrowed for the call. */
struct rs_child_config {
	char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH as by execvp(3) */
	const char *runtime_path; /* for RS_RUNTIME_ENV; NULL: that variable stays as it is */
	const struct rs_environment *environment; /* what else is set; NULL: nothing */
	const struct rs_segment *segment; /* reaches the program under the same number */
	const struct rs_signals *signals;
};

/*
 * Fork a child that waits. child: filled; release with rs_child_finish().
 * False, with err filled: no pipe, no process, no memory.
 */
bool rs_child_start(
	struct rs_child *child, const struct rs_child_config *config, struct rs_err *err);

/*
 * Let the child exec, and wait until it has.
 * begin: filled with the moment right before exec. exec_errno: 0, or why exec failed; then the
 * child has ended, and is still to be waited for.
 */
void rs_child_exec(struct rs_child *child, struct rs_clock_point *begin, int *exec_errno);

/* Close the pipes; a child that was not waited for (pid is not 0) is killed and waited for.
 * child: filled, zeroed with descriptors -1, or NULL. */
void rs_child_finish(struct rs_child *child);

#endif
