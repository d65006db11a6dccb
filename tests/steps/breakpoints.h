/* SPDX-License-Identifier: MIT */
/*
 * Stop a traced program before each of its instructions or stores, by breakpoints.
 *
 * On x86-64 a single step raises a debug exception. In a virtual machine, the hypervisor handles
 * this exception and each access to its registers, which takes most of the time of a step. A
 * breakpoint does not involve the hypervisor. Code of other objects, such as libc, runs without a
 * stop. It does not write the segment.
 */
#ifndef RS_TESTS_STEPS_BREAKPOINTS_H
#define RS_TESTS_STEPS_BREAKPOINTS_H

#include <stdbool.h>
#include <sys/types.h>

/* Find the instructions of an object with objdump(1). Return false if that is not possible. */
bool breakpoints_load(const char *path);

/* The instructions that get a breakpoint. A store may write memory outside of the stack. */
enum breakpoints_where { BREAKPOINTS_EVERYWHERE, BREAKPOINTS_STORES };

/* Set breakpoints in a stopped program that has mapped the objects. Return false if there are none:
 * then nothing else here may be called. */
bool breakpoints_set(pid_t pid, enum breakpoints_where where);

/* Remove all breakpoints from a stopped process, which may be a child with a copy of them. */
void breakpoints_remove(pid_t pid);

/* Before a stopped thread continues. one: let it run its next instruction, and stop at the next
 * breakpoint. Else it stops there again, after a signal's handler has returned. */
void breakpoints_let_run(pid_t tid, bool one);

/* A thread has stopped with SIGTRAP: place it at the instruction with the breakpoint. */
void breakpoints_stopped(pid_t tid);

#endif
