/* SPDX-License-Identifier: MIT */
/*
 * regionstat_report(): run `regionstat report` on the segment. A report needs libraries that no
 * program should have to load. No signal handler may call it.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "runtime/attach/attach.h"

/* Why the latest call failed. */
static struct rs_err why;

extern char **environ;

/* Start `regionstat report`: the installed one, or that of PATH. Return 0 or an error number. */
static int start_report(pid_t *pid, const char *path, int fd)
{
	char segment[32];
	char *const argv[] = {
		(char *)"regionstat", (char *)"report", (char *)"-o", (char *)path, segment, NULL};
	posix_spawn_file_actions_t actions;
	int number = posix_spawn_file_actions_init(&actions);
	snprintf(segment, sizeof(segment), "/dev/fd/%d", fd);
	if (number)
		return number;
	/* The same number twice: the child's copy loses FD_CLOEXEC. */
	number = posix_spawn_file_actions_adddup2(&actions, fd, fd);
	if (!number)
		number = posix_spawn(pid, REGIONSTAT_COMMAND, &actions, NULL, argv, environ);
	if (number == ENOENT && !getauxval(AT_SECURE))
		number = posix_spawnp(pid, "regionstat", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return number;
}

const char *rs_report(const char *path)
{
	const struct rs_runtime *runtime = rs_state;
	struct stat status;
	pid_t pid;
	int result = 0;
	if (!runtime || !path)
		return "nothing is measured, or there is no path";
	bool is_open = rs_address_stat(runtime->fd, &status) && status.st_ino == runtime->inode &&
		       status.st_dev == runtime->device;
	int opened = is_open ? -1 : rs_address_open(runtime->launcher_pid, runtime->launcher_fd);
	int number = start_report(&pid, path, is_open ? runtime->fd : opened);
	if (opened >= 0)
		close(opened);
	if (number) {
		rs_err_set_errno(&why, number, "cannot run regionstat");
		rs_err_add_line(&why, "try: install it, or add its directory to PATH");
		return why.text;
	}
	while (waitpid(pid, &result, 0) < 0 && errno == EINTR)
		;
	if (!result)
		return NULL;
	rs_err_set(&why, "regionstat report failed; it printed the reason to the standard error");
	return why.text;
}
