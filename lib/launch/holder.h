/* SPDX-License-Identifier: MIT */
/*
 * The holder is a process with the user and the namespaces of the program. It keeps the segment and
 * the runtime's file open, so that the program can open them under /proc/PID/fd (ptrace(2),
 * PTRACE_MODE_READ). The holder ends when regionstat ends, and the runtime then detaches.
 *
 * The program's user may read the holder's memory. Therefore the holder is a newly executed
 * regionstat, whose memory contains only its arguments: `regionstat hold-segment PID`.
 */
#ifndef RS_LAUNCH_HOLDER_H
#define RS_LAUNCH_HOLDER_H

#include <sys/types.h>

/* The verb that starts the holder. It is not documented, because users do not need it. */
#define RS_HOLDER_VERB "hold-segment"

/* The numbers of the holder's descriptors. */
enum { RS_HELD_SEGMENT = 3, RS_HELD_RUNTIME, RS_HELD_SOCKET, RS_HELD_N };

/* The steps of the holder, for its messages to the launcher. */
enum rs_holder_step {
	RS_HOLDER_EXEC,
	RS_HOLDER_GROUPS,
	RS_HOLDER_FIND,
	RS_HOLDER_ENTER,
	RS_HOLDER_USER,
	RS_HOLDER_FORKED, /* rs_holder_status.pid is set */
	RS_HOLDER_READY,
	RS_HOLDER_STEPS
};

/* A message that the holder writes to RS_HELD_SOCKET. If `step` is before RS_HOLDER_FORKED, that
 * step has failed. Otherwise it is done. */
struct rs_holder_status {
	int step; /* enum rs_holder_step */
	int number; /* errno of a failed step */
	pid_t pid; /* the holder's pid in the launcher's namespace */
};

/* Run the holder for the program whose pid is argv[1]. The descriptors above are open. This
 * function never returns. */
__attribute__((noreturn)) void rs_holder_run(int argc, char **argv);

#endif
