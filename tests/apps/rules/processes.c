/* SPDX-License-Identifier: MIT */
/*
 * Processes that share one report: children that are alive at once, exec, and children that libc
 * does not fork.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "rules.h"

static void call_child(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("child");
}

/* Fork c children that are alive at once. */
static void fork_many(void)
{
	unsigned long n_children = number(0), n = number(1);
	pid_t *children = calloc(n_children + 1, sizeof(*children));
	int gate[2];
	char byte;
	CHECK(children && pipe(gate) == 0);
	for (unsigned long i = 0; i < n_children; i++) {
		children[i] = fork_flushed();
		if (children[i] == 0) {
			close(gate[1]);
			call_child(n);
			/* The parent closes the gate after the last fork; the child ends then. */
			_exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
		}
	}
	close(gate[1]);
	for (unsigned long i = 0; i < n_children; i++)
		wait_for(children[i]);
	free(children);
}

/* Make n calls and execute this program again, x times. A call is open each time. */
static void exec_again(void)
{
	unsigned long n_execs = number(0), n = number(1);
	char left[32];
	call_child(n);
	if (n_execs == 0)
		return;
	REGIONSTAT_BEGIN("left by exec");
	snprintf(left, sizeof(left), "%lu", n_execs - 1);
	execl("/proc/self/exe", "rules", "exec", left, arguments[1], (char *)NULL);
	CHECK(0);
}

/* Start children by vfork and exec, as posix_spawn() and system() do. */
static void run_system(void)
{
	unsigned long n_children = number(0), n = number(1);
	char command[4096], self[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	CHECK(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "exec '%s' exec 0 %lu", self, n);
	for (unsigned long i = 0; i < n_children; i++) {
		REGIONSTAT_BEGIN("system");
		int status = system(command);
		REGIONSTAT_END("system");
		CHECK(status == 0);
	}
}

/* Start a child by the system call itself, so that libc runs no fork handlers. */
static void raw_clone(void)
{
	unsigned long n_children = number(0), n = number(1);
	call_child(1);
	for (unsigned long i = 0; i < n_children; i++) {
		pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		CHECK(child >= 0);
		if (child == 0) {
			call_child(n);
			_exit(0);
		}
		wait_for(child);
	}
}

static void *fork_from_thread(void *argument)
{
	call_child(1);
	if (fork_and_wait()) {
		call_child(*(unsigned long *)argument);
		_exit(0);
	}
	return NULL;
}

/* Run t threads at once, which each make a call and fork a child with n calls. */
static void fork_in_threads(void)
{
	unsigned long n_threads = number(0), n = number(1);
	on_threads(n_threads, fork_from_thread, &n, 0);
}

const struct how process_rules[] = {
	{"fork-many", fork_many},
	{"fork-threads", fork_in_threads},
	{"exec", exec_again},
	{"system", run_system},
	{"raw-clone", raw_clone},
	{0},
};
