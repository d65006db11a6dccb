/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat live` and the view of --live. The view and the program cannot
 * both write to the terminal. Therefore the program writes to a temporary file, which is copied to
 * the terminal after the view has ended. The program's standard input is empty.
 */
#include "one_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write.h"
#include "command.h"
#include "live/find.h"
#include "live/screen.h"
#include "live/terminal.h"
#include "options_table.h"
#include "output.h"

#define MOST_LISTED 16u
#define COPY_BYTES 65536u
#define KILL_AFTER_MS 2000 /* as long as --timeout waits before SIGKILL */

/* ---- the verb ---- */

/* Return the PID of the user's only running regionstat. Return 0 and set err if there is none, or
 * if there are several. */
static pid_t find_only(struct rs_err *err)
{
	struct rs_live_run runs[MOST_LISTED];
	size_t n = rs_live_list(runs, MOST_LISTED);
	if (n == 1)
		return runs[0].pid;
	if (n == 0) {
		rs_err_set(err, "regionstat measures no program of this user");
		rs_err_add_line(err, "try: regionstat --live COMMAND");
		return 0;
	}
	rs_err_set(err, "regionstat measures %zu programs; choose one", n);
	for (size_t i = 0; i < n && i < MOST_LISTED; i++)
		rs_err_add_line(err, "try: regionstat live %d, which is %s", (int)runs[i].pid,
			runs[i].command);
	return 0;
}

/* Return the PID in options->words. If there are no words, return the PID of the user's only
 * running regionstat. Return 0 and set err on failure. */
static pid_t choose(const struct rs_options *options, struct rs_err *err)
{
	const char *word = options->words[0];
	int64_t pid;
	if (!word)
		return find_only(err);
	if (!options->words[1] && rs_option_number(&pid, word, 1, INT32_MAX))
		return (pid_t)pid;
	if (options->words[1])
		rs_err_set(err, "live: more than one PID: '%s'",
			rs_text_shown(options->words[1]).text);
	else
		rs_err_set(err, "live: '%s' is not a process id", rs_text_shown(word).text);
	rs_err_add_line(err, "try: regionstat live PID, or --live COMMAND for a new run");
	return 0;
}

int rs_command_live(struct rs_options *options)
{
	struct rs_live_command command;
	struct rs_err err;
	pid_t pid = choose(options, &err);
	int fd = pid > 0 ? rs_live_open(pid, &err) : -1, number = -1;
	if (fd >= 0) {
		rs_live_find_command(&command, fd);
		number = rs_live_show(fd, command.words, &err);
		close(fd);
	}
	return number < 0 ? rs_command_fail(NULL, &err) : -number;
}

/* ---- --live ---- */

/* Show the run until it ends. This is the main function of the view's process, and never
 * returns. */
static void view(int fd, char *const *argv)
{
	struct rs_err err;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	int number = rs_live_show(fd, argv, &err);
	if (number < 0)
		rs_command_complain(&err);
	else if (number == 0)
		fputs("regionstat: the program runs on; the report follows at its end\n", stderr);
	fflush(stderr);
	_exit(0);
}

/* Redirect standard streams that are the terminal. The input becomes /dev/null; the outputs go to
 * the temporary file. Return false on failure. */
static bool take_terminals(struct rs_command_view *view)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	view->output = tmpfile();
	bool done = null >= 0 && view->output;
	int output = done ? fileno(view->output) : -1;
	for (int i = 0; i < 3 && done; i++) {
		if (!isatty(i))
			continue;
		view->terminals[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		done = view->terminals[i] >= 0 && dup2(i == 0 ? null : output, i) >= 0;
	}
	if (done) {
		fcntl(output, F_SETFD, FD_CLOEXEC);
		fcntl(output, F_SETFL, O_APPEND);
	}
	int number = errno;
	if (null >= 0)
		close(null);
	errno = number;
	return done;
}

bool rs_command_view_begin(
	struct rs_command_view *own, const struct rs_options *options, int fd, struct rs_err *err)
{
	*own = (struct rs_command_view){.process = -1, .terminal = -1, .terminals = {-1, -1, -1}};
	if (!options->live)
		return true;
	if (!rs_live_check_terminal(err)) {
		rs_err_prefix(err, "--live");
		return false;
	}
	own->terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	if (own->terminal >= 0)
		tcgetattr(own->terminal, &own->modes);
	pid_t pid = fork();
	if (pid == 0)
		view(fd, options->words);
	if (pid > 0)
		own->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (own->process >= 0 && take_terminals(own))
		return true;
	int number = errno;
	/* the kernel is old, or seccomp(2) forbids pidfd_open(2) */
	if (pid > 0 && own->process < 0) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	rs_command_view_end(own);
	return rs_err_set_errno(err, number, "--live: cannot start the view");
}

/* Copy the program's output to the terminal. */
static void copy_output(FILE *output, int terminal)
{
	static char text[COPY_BYTES];
	size_t bytes;
	rewind(output);
	while ((bytes = fread(text, 1, sizeof(text), output)) > 0)
		rs_write_all(terminal, text, bytes);
}

/* End the process of the view by SIGTERM. The process may not react: it may be stopped, or may wait
 * for a terminal that the user has stopped by Ctrl-S. In this case, kill it. */
static void end_process(const struct rs_command_view *own)
{
	/* The launcher reaps all orphans, and may already have reaped the view. Therefore use the
	 * pidfd and not the PID. */
	struct pollfd polled = {.fd = own->process, .events = POLLIN};
	int n;
	syscall(SYS_pidfd_send_signal, own->process, SIGTERM, NULL, 0);
	syscall(SYS_pidfd_send_signal, own->process, SIGCONT, NULL, 0);
	while ((n = poll(&polled, 1, KILL_AFTER_MS)) < 0 && errno == EINTR)
		;
	if (n != 0)
		return;
	syscall(SYS_pidfd_send_signal, own->process, SIGKILL, NULL, 0);
	while (poll(&polled, 1, -1) < 0 && errno == EINTR)
		;
	/* do this only in the foreground: in the background, the kernel would stop the whole job */
	if (own->terminal >= 0 && tcgetpgrp(own->terminal) == getpgrp())
		tcsetattr(own->terminal, TCSANOW, &own->modes);
}

void rs_command_view_end(struct rs_command_view *own)
{
	if (own->process >= 0) {
		end_process(own);
		close(own->process);
	}
	if (own->terminal >= 0)
		close(own->terminal);
	fflush(NULL);
	for (int i = 0; i < 3; i++) {
		if (own->terminals[i] < 0)
			continue;
		dup2(own->terminals[i], i);
		close(own->terminals[i]);
		own->terminals[i] = i;
	}
	int terminal = own->terminals[1] >= 0 ? own->terminals[1] : own->terminals[2];
	if (own->output && terminal >= 0)
		copy_output(own->output, terminal);
	if (own->output)
		fclose(own->output);
	*own = (struct rs_command_view){.process = -1, .terminal = -1, .terminals = {-1, -1, -1}};
}
