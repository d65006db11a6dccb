/* SPDX-License-Identifier: MIT */
/*
 * The holder: a process of the program's user and namespaces. It keeps the segment and the runtime's
 * file open, so that the program finds them under /proc/PID/fd (ptrace(2), PTRACE_MODE_READ). It ends
 * when regionstat ends, and the runtime then detaches.
 *
 * The program's user may read the holder's memory, so it is a fresh image of regionstat, which knows
 * nothing but the arguments of `regionstat hold-segment PID`.
 */
#ifndef RS_LAUNCH_HOLDER_H
#define RS_LAUNCH_HOLDER_H

#include <sys/types.h>

/* The verb, which users do not see. */
#define RS_HOLDER_VERB "hold-segment"

/* The holder's descriptors. */
enum { RS_HELD_SEGMENT = 3, RS_HELD_RUNTIME, RS_HELD_PIPE, RS_HELD_STATUS, RS_HELD_N };

/* The steps of the holder. */
enum rs_holder_step {
	RS_HOLDER_EXEC,
	RS_HOLDER_GROUPS,
	RS_HOLDER_FIND,
	RS_HOLDER_ENTER,
	RS_HOLDER_USER,
	RS_HOLDER_FORKED, /* told.pid is set */
	RS_HOLDER_READY,
	RS_HOLDER_STEPS
};

/* What the holder writes to RS_HELD_STATUS: the step that failed, or that is done from
 * RS_HOLDER_FORKED on. */
struct rs_holder_told {
	int step; /* enum rs_holder_step */
	int number; /* errno */
	pid_t pid; /* the holder, as the launcher's namespace numbers it */
};

/* Be the holder for the program of argv[1]. The descriptors above are open. Never return. */
__attribute__((noreturn)) void rs_holder_run(int argc, char **argv);

#endif
