/* SPDX-License-Identifier: MIT */
/*
 * These functions find the segment of a running measurement through /proc. The segment is the
 * memory that the program shares with regionstat. Only the same user or root can open a descriptor
 * of another process (ptrace(2), "Ptrace access mode checking").
 */
#ifndef RS_LIVE_FIND_H
#define RS_LIVE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Open the segment of a measurement for reading. pid is the process of regionstat, or a process of
 * the measured program. Return the descriptor, which has CLOEXEC set. Return -1 and set err if the
 * process has no segment open, or if it belongs to another user. */
int rs_live_open(pid_t pid, struct rs_err *err);

/* Open the segment of a process for writing if the segment's header has this nonce. Return the
 * descriptor, which has CLOEXEC set. Return -1 and set err if the process has closed its descriptor
 * of the segment. Even then, root can open the segment through /proc/PID/map_files. */
int rs_live_open_orphan(pid_t pid, uint64_t nonce, struct rs_err *err);

#define RS_LIVE_WORDS 64u

/* The program and the first arguments of a command. */
struct rs_live_command {
	/* the words, each followed by a NUL, as in /proc/PID/cmdline; possibly truncated */
	char text[4096];
	char *words[RS_LIVE_WORDS + 1]; /* pointers into text; the last one is NULL */
};

/* Fill command with the command line of a process, or with "?" if it is unknown. */
void rs_live_read_command(struct rs_live_command *command, pid_t pid);

/* Fill command with the command line of the program that the segment fd belongs to, or with "?" if
 * it is unknown. */
void rs_live_find_command(struct rs_live_command *command, int fd);

/* A regionstat that is measuring a program. */
struct rs_live_run {
	pid_t pid;
	/* the command's words, separated by spaces; escaped, possibly truncated */
	char command[128];
};

/* Find all running measurements of this user. Fill runs[n] with the first n of them. Return how
 * many there are in total. */
size_t rs_live_list(struct rs_live_run *runs, size_t n);

/* Open a segment by its path, such as /dev/fd/N. Return the descriptor, or -1 if the file is not a
 * segment. */
int rs_live_open_file(const char *path);

#endif
