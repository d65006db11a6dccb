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
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/write.h"

#define ENV_BYTES 96 /* size of the value of rs_segment_env() */

/* Set a variable. The environment may contain the name several times: unsetenv(3) removes all.
 * Return false if memory runs out. */
static bool set_variable(const char *name, const char *value)
{
	return unsetenv(name) == 0 && setenv(name, value, 1) == 0;
}

/* Set the program's variables in the child. Return false if memory runs out. */
static bool set_environment(
	const struct rs_launch_options *options, const struct rs_segment *segment)
{
	const struct rs_environment *more = options->environment;
	char text[ENV_BYTES];
	for (size_t i = 0; more && i < more->n; i++)
		if (!set_variable(more->variables[i].name, more->variables[i].value))
			return false;
	rs_segment_env(segment, text);
	return set_variable(RS_SEGMENT_ENV, text) &&
	       (!options->runtime_path || set_variable(RS_RUNTIME_ENV, options->runtime_path));
}

/* Run the child between fork and exec. The child has only one thread. */
__attribute__((noreturn)) static void run_child(int socket, const struct rs_launch_options *options,
	const struct rs_segment *segment, const struct rs_signals *signals)
{
	int number = set_environment(options, segment) ? 0 : ENOMEM;
	char go;
	if (rs_read_all(socket, &go, 1) != 1) /* the launcher has died */
		_exit(127);
	fcntl(segment->fd, F_SETFD, 0);
	struct rs_clock_point begin = rs_clock_point_now((enum rs_clock)segment->header->clock);
	bool is_written = write(socket, &begin, sizeof(begin)) == (ssize_t)sizeof(begin);
	rs_signals_restore_in_child(signals);
	if (number == 0) {
		execvp(options->argv[0], options->argv);
		number = errno;
	}
	if (is_written)
		is_written = write(socket, &number, sizeof(number)) == (ssize_t)sizeof(number);
	_exit(is_written ? 126 : 127);
}

bool rs_child_refused(struct rs_err *err, int number, const char *what)
{
	rs_err_set_errno(err, number, "%s", what);
	if (number == EAGAIN)
		rs_err_add_line(err, "try: a higher limit on processes (ulimit -u, or the cgroup's "
				     "pids.max)");
	return false;
}

bool rs_child_start(struct rs_child *child, const struct rs_launch_options *options,
	const struct rs_segment *segment, const struct rs_signals *signals, struct rs_err *err)
{
	int ends[2];
	*child = (struct rs_child){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		int number = errno;
		rs_err_set_errno(err, number, "cannot start the program: socketpair");
		return number == EMFILE ? rs_err_add_line(err, "try: ulimit -n 256") : false;
	}
	pid_t pid = fork();
	int number = errno;
	if (pid == 0) {
		close(ends[0]);
		run_child(ends[1], options, segment, signals);
	}
	close(ends[1]);
	*child = (struct rs_child){.pid = pid > 0 ? pid : 0, .socket = ends[0]};
	if (pid > 0)
		return true;
	return rs_child_refused(err, number, "cannot start the program: fork");
}

void rs_child_exec(struct rs_child *child, struct rs_clock_point *begin, int *exec_errno)
{
	struct {
		struct rs_clock_point begin;
		int exec_errno;
	} status = {0};
	send(child->socket, "", 1, MSG_NOSIGNAL); /* the child may have been killed */
	rs_read_all(child->socket, &status, sizeof(status.begin) + sizeof(status.exec_errno));
	close(child->socket);
	child->socket = -1;
	*begin = status.begin;
	*exec_errno = status.exec_errno;
}

void rs_child_finish(struct rs_child *child)
{
	if (child->socket >= 0)
		close(child->socket);
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*child = (struct rs_child){.socket = -1};
}
