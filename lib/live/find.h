/* SPDX-License-Identifier: MIT */
/*
 * Finding the segment of a running measurement through /proc. The kernel lets only the same user or
 * root open a descriptor of another process (ptrace(2), "Ptrace access mode checking").
 */
#ifndef RS_LIVE_FIND_H
#define RS_LIVE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Open the segment of a measurement for reading. pid is the regionstat that measures, or a process
 * of its program. Return the descriptor, which has CLOEXEC set. Return -1 and set err if there is
 * none, or if it belongs to another user. */
int rs_live_open(pid_t pid, struct rs_err *err);

/* Open the segment of a process for writing, if it has this nonce. Return the descriptor, which has
 * CLOEXEC set. Return -1 and set err if the process has closed its descriptor. Root can open the
 * segment even then, through map_files. */
int rs_live_open_orphan(pid_t pid, uint64_t nonce, struct rs_err *err);

#define RS_LIVE_WORDS 64u

/* The first words of a command. */
struct rs_live_command {
	char text[4096]; /* in the format of /proc/PID/cmdline, possibly truncated */
	char *words[RS_LIVE_WORDS + 1]; /* pointers into text; the last one is NULL */
};

/* Fill command with the command of a process, or with "?" if it is unknown. */
void rs_live_read_command(struct rs_live_command *command, pid_t pid);

/* Fill command with the command of the program of the segment fd, or with "?". */
void rs_live_find_command(struct rs_live_command *command, int fd);

/* A regionstat that is measuring a program. */
struct rs_live_run {
	pid_t pid;
	/* the command's words, separated by spaces; escaped, possibly truncated */
	char command[128];
};

/* Find the running measurements of this user. Fill runs with at most n of them. Return how many
 * there are in total. */
size_t rs_live_list(struct rs_live_run *runs, size_t n);

/* Open a segment by a path such as /dev/fd/N. Return -1 if the file is no segment. */
int rs_live_open_file(const char *path);

#endif
