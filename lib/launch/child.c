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

struct start {
	const struct rs_launch_options *options;
	const struct rs_segment *segment;
	const struct rs_signals *signals;
	struct rs_environment own; /* the variables of the segment and the runtime */
	/* The program's environment, ended by NULL. It is the launcher's environment with some
	 * variables replaced. The array is in own.arena. */
	const char **variables;
};

static void make_environment(void *context)
{
	struct start *start = context;
	struct rs_environment *own = &start->own;
	const struct rs_launch_options *options = start->options;
	const struct rs_environment none = {0};
	const struct rs_environment *more = options->environment ? options->environment : &none;
	char segment[ENV_BYTES];
	size_t n = 0, kept = 0;
	rs_segment_env(start->segment, segment);
	rs_environment_set(own, RS_SEGMENT_ENV, "%s", segment);
	if (options->runtime_path)
		rs_environment_set(own, RS_RUNTIME_ENV, "%s", options->runtime_path);
	while (environ && environ[n])
		n++;
	const char **variables = rs_arena_array(
		&own->arena, n + more->n + own->n + 1, sizeof(*variables));
	for (size_t i = 0; i < n; i++)
		if (!rs_environment_has(own, environ[i]) && !rs_environment_has(more, environ[i]))
			variables[kept++] = environ[i];
	for (size_t i = 0; i < more->n; i++)
		variables[kept++] = more->variables[i];
	for (size_t i = 0; i < own->n; i++)
		variables[kept++] = own->variables[i];
	start->variables = variables;
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
__attribute__((noreturn)) static void run_child(int go_fd, int status_fd, const struct start *start)
{
	char go;
	ssize_t got;
	do
		got = read(go_fd, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1) /* the launcher has died */
		_exit(127);
	close(go_fd);
	fcntl(start->segment->fd, F_SETFD, 0);
	struct rs_clock_point begin = rs_clock_point_now(
		(enum rs_clock)start->segment->header->clock);
	bool is_written = write(status_fd, &begin, sizeof(begin)) == (ssize_t)sizeof(begin);
	rs_signals_restore_in_child(start->signals);
	char *const *argv = start->options->argv;
	execvpe(argv[0], argv, (char *const *)(uintptr_t)start->variables);
	int number = errno;
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
	struct start start = {.options = options, .segment = segment, .signals = signals};
	bool done = false;
	*child = (struct rs_child){.go = {-1, -1}, .status_fd = -1};
	if (!rs_arena_guard(make_environment, &start)) {
		rs_err_set(err, "cannot start the program: out of memory");
		goto out;
	}
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
		run_child(go[0], status[1], &start);
	}
	*child = (struct rs_child){.pid = pid, .go = {go[0], go[1]}, .status_fd = status[0]};
	go[0] = go[1] = status[0] = -1;
	done = true;
out:
	close_pipe(go);
	close_pipe(status);
	rs_environment_finish(&start.own);
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
