/* SPDX-License-Identifier: MIT */
/*
 * regionstat_report() runs `regionstat report` on the segment, because a report needs libraries
 * that a program should not have to load. Signal handlers must not call it.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "runtime/attach/attach.h"

/* The reason for which the latest call failed. */
static struct rs_err why;

extern char **environ;

/* Return the argument of -o for a path. Double each percent sign. Put "./" before a dash, which
 * would mean standard output or an option. Return NULL if memory runs out. The caller frees the
 * text. */
static char *value_of(const char *path)
{
	char *value = malloc(2 * strlen(path) + sizeof("./")), *to = value;
	if (!value)
		return NULL;
	if (*path == '-') {
		*to++ = '.';
		*to++ = '/';
	}
	for (; *path; *to++ = *path++)
		if (*path == '%')
			*to++ = '%';
	*to = '\0';
	return value;
}

/* Return the environment without the variables that load markers and other libraries into the
 * command. Return NULL if memory runs out. The caller frees the array. */
static char **clean_environment(void)
{
	size_t n = 0, n_kept = 0;
	while (environ && environ[n])
		n++;
	char **kept = calloc(n + 1, sizeof(*kept));
	for (size_t i = 0; kept && i < n; i++)
		if (strncmp(environ[i], "REGIONSTAT_", strlen("REGIONSTAT_")) != 0 &&
			strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
			kept[n_kept++] = environ[i];
	return kept;
}

/* Start the installed regionstat, or the one in PATH if none is installed. The command inherits the
 * descriptor fd. Its standard error is messages, or the program's if messages is -1. Return 0 or an
 * error number. */
static int spawn(pid_t *pid, char *const argv[], char *const environment[], int fd, int messages)
{
	posix_spawn_file_actions_t actions;
	int number = posix_spawn_file_actions_init(&actions);
	if (number)
		return number;
	/* With equal numbers, the child's descriptor loses FD_CLOEXEC
	 * (posix_spawn_file_actions_adddup2(3)). */
	number = posix_spawn_file_actions_adddup2(&actions, fd, fd);
	if (!number && messages >= 0)
		number = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
	if (!number)
		number = posix_spawn(pid, REGIONSTAT_COMMAND, &actions, NULL, argv, environment);
	if (number == ENOENT && !getauxval(AT_SECURE))
		number = posix_spawnp(pid, "regionstat", &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return number;
}

/* Start `regionstat report`. Return 0 or an error number. */
static int start_report(pid_t *pid, const char *path, int fd, int messages)
{
	char segment[32], *value = value_of(path), **environment = clean_environment();
	char *const argv[] = {
		(char *)"regionstat", (char *)"report", (char *)"-o", value, segment, NULL};
	snprintf(segment, sizeof(segment), "/dev/fd/%d", fd);
	int number = value && environment ? spawn(pid, argv, environment, fd, messages) : ENOMEM;
	free(value);
	free(environment);
	return number;
}

/* Run `regionstat report`. Its standard error is messages, or the program's if messages is -1.
 * Return NULL or the reason for which it failed. */
static const char *run_report(const struct rs_runtime *runtime, const char *path, int messages)
{
	pid_t pid;
	int result = 0;
	bool opened;
	int fd = rs_address_descriptor(runtime, &opened);
	int number = fd >= 0 ? start_report(&pid, path, fd, messages) : 0;
	if (opened)
		close(fd);
	if (fd < 0)
		return "the program has closed the descriptor of its segment";
	if (number) {
		rs_err_set_errno(&why, number, "cannot run regionstat");
		rs_err_add_line(&why, "try: install it, or add its directory to PATH");
		return why.text;
	}
	pid_t waited;
	do
		waited = waitpid(pid, &result, 0);
	while (waited < 0 && errno == EINTR);
	if (waited < 0)
		return "the program ignores SIGCHLD or waits for all children, so it is unknown "
		       "if regionstat report failed";
	if (!result)
		return NULL;
	ssize_t n = pread(messages, why.text, sizeof(why.text) - 1, 0);
	why.text[n > 0 ? n : 0] = '\0';
	if (n > 0 && why.text[n - 1] == '\n')
		why.text[n - 1] = '\0';
	return n > 0 ? why.text : "regionstat report failed; its reason is on the standard error";
}

const char *rs_report(const char *path)
{
	if (!rs_state || !path)
		return "nothing is measured, or there is no path";
	if (rs_state->is_own && rs_state->header->program_pid != (uint32_t)getpid()) {
		rs_err_set(&why,
			"this process was forked from process %u, and regionstat_open() measures "
			"only that process",
			(unsigned)rs_state->header->program_pid);
		rs_err_add_line(&why, "try: call regionstat_report() in that process, or start the "
				      "program under regionstat, which measures children too");
		return why.text;
	}
	int messages = memfd_create("regionstat report", MFD_CLOEXEC);
	const char *reason = run_report(rs_state, path, messages);
	if (messages >= 0)
		close(messages);
	return reason;
}
