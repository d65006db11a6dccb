/* SPDX-License-Identifier: MIT */
/*
 * This file forks the program's process and executes the program. The program starts as if from a
 * shell. In addition, it has one more descriptor, up to two more environment variables, and the
 * variables that load adapters.
 */
#include "launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENV_BYTES 96 /* size of the value of rs_segment_env() */

/* Set the program's variables in the child. Return false if memory runs out. */
static bool set_environment(
	const struct rs_launch_options *options, const struct rs_segment *segment)
{
	const struct rs_environment *more = options->environment;
	char text[ENV_BYTES];
	for (size_t i = 0; more && i < more->n; i++)
		if (putenv((char *)(uintptr_t)more->variables[i]) != 0)
			return false;
	rs_segment_env(segment, text);
	return setenv(RS_SEGMENT_ENV, text, 1) == 0 &&
	       (!options->runtime_path || setenv(RS_RUNTIME_ENV, options->runtime_path, 1) == 0);
}

static void close_pipe(int ends[2])
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
	}
}

/* Run the child between fork and exec. The child has only one thread. */
__attribute__((noreturn)) static void run_child(int go_fd, int status_fd,
	const struct rs_launch_options *options, const struct rs_segment *segment,
	const struct rs_signals *signals)
{
	int number = set_environment(options, segment) ? 0 : ENOMEM;
	char go;
	ssize_t got;
	do
		got = read(go_fd, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1) /* the launcher has died */
		_exit(127);
	close(go_fd);
	fcntl(segment->fd, F_SETFD, 0);
	struct rs_clock_point begin = rs_clock_point_now((enum rs_clock)segment->header->clock);
	bool is_written = write(status_fd, &begin, sizeof(begin)) == (ssize_t)sizeof(begin);
	rs_signals_restore_in_child(signals);
	if (number == 0) {
		execvp(options->argv[0], options->argv);
		number = errno;
	}
	if (is_written)
		is_written = write(status_fd, &number, sizeof(number)) == (ssize_t)sizeof(number);
	_exit(is_written ? 126 : 127);
}

bool rs_child_refused(struct rs_err *err, int number, const char *what)
{
	rs_err_set_errno(err, number, "%s", what);
	if (number == EAGAIN)
		rs_err_add_line(err, "a limit on processes is reached (ulimit -u, or the "
				     "cgroup's pids.max)");
	return false;
}

bool rs_child_start(struct rs_child *child, const struct rs_launch_options *options,
	const struct rs_segment *segment, const struct rs_signals *signals, struct rs_err *err)
{
	int go[2] = {-1, -1}, status[2] = {-1, -1};
	bool done = false;
	*child = (struct rs_child){.go = {-1, -1}, .status_fd = -1};
	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0) {
		int number = errno;
		rs_err_set_errno(err, number, "cannot start the program: pipe");
		if (number == EMFILE)
			rs_err_add_line(err, "try: ulimit -n 256");
		goto out;
	}
	pid_t pid = fork();
	if (pid < 0) {
		rs_child_refused(err, errno, "cannot start the program: fork");
		goto out;
	}
	if (pid == 0) {
		close(go[1]);
		close(status[0]);
		run_child(go[0], status[1], options, segment, signals);
	}
	*child = (struct rs_child){.pid = pid, .go = {go[0], go[1]}, .status_fd = status[0]};
	go[0] = go[1] = status[0] = -1;
	done = true;
out:
	close_pipe(go);
	close_pipe(status);
	return done;
}

/* Read up to `bytes` bytes, until the other end is closed. Return how many were read. */
static size_t read_all(int fd, void *into, size_t bytes)
{
	size_t done = 0;
	while (done < bytes) {
		ssize_t got = read(fd, (char *)into + done, bytes - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

void rs_child_exec(struct rs_child *child, struct rs_clock_point *begin, int *exec_errno)
{
	struct {
		struct rs_clock_point begin;
		int exec_errno;
	} status = {0};
	/* A single byte is written at once. SIGPIPE cannot occur even if the child was killed,
	 * because this process still has the read end open. */
	ssize_t put = write(child->go[1], "", 1);
	(void)put;
	close_pipe(child->go);
	read_all(child->status_fd, &status, sizeof(status.begin) + sizeof(status.exec_errno));
	close(child->status_fd);
	child->status_fd = -1;
	*begin = status.begin;
	*exec_errno = status.exec_errno;
}

void rs_child_finish(struct rs_child *child)
{
	close_pipe(child->go);
	if (child->status_fd >= 0)
		close(child->status_fd);
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*child = (struct rs_child){.go = {-1, -1}, .status_fd = -1};
}
