/* SPDX-License-Identifier: MIT */
/*
 * Finding the segment of a run under way through /proc. The kernel lets only the same user, or root,
 * open a descriptor of another process (ptrace(2), "Ptrace access mode checking").
 */
#ifndef RS_LIVE_FIND_H
#define RS_LIVE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Open the segment of a run for reading. pid: its regionstat, or a process of its program. Return the
 * descriptor, with CLOEXEC. Return -1 and set err if there is none, or if it is another user's. */
int rs_live_open(pid_t pid, struct rs_err *err);

/* Open the segment of a process for writing, if it has this nonce. Return the descriptor, with CLOEXEC.
 * Return -1 and set err if the process has closed its descriptor, which root can open nevertheless. */
int rs_live_open_orphan(pid_t pid, uint64_t nonce, struct rs_err *err);

#define RS_LIVE_WORDS 64u

/* The command of a run: its first words. */
struct rs_live_command {
	char text[4096]; /* as /proc/PID/cmdline has it, maybe cut */
	char *words[RS_LIVE_WORDS + 1]; /* in text; ends in NULL */
};

/* Fill command with that of a process, or with "?". */
void rs_live_read_command(struct rs_live_command *command, pid_t pid);

/* Fill command with that of the program of the segment fd, or with "?". */
void rs_live_find_command(struct rs_live_command *command, int fd);

/* The regionstat of a run under way. */
struct rs_live_run {
	pid_t pid;
	char command[128]; /* its words, separated by spaces; escaped, maybe cut */
};

/* Find the runs of this user. Return their number, and fill runs with the first of them, at most n. */
size_t rs_live_list(struct rs_live_run *runs, size_t n);

/* Open a segment by its path, as /dev/fd/N. Return -1 if the file is anything else. */
int rs_live_open_file(const char *path);

#endif
