/* SPDX-License-Identifier: MIT */
/*
 * Processes that share one report: children that are forked outside and inside regions,
 * grandchildren, and exec.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "../check.h"
#include "pages.h"
#include "rules.h"

static void call_child(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("child");
}

/* Fork c children, one after the other, with n calls each. The parent makes a call around each
 * fork. */
static int fork_outside(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	for (unsigned long i = 0; i < n_children; i++) {
		CALL_ONCE("parent");
		pid_t child = fork_flushed();
		if (child == 0) {
			call_child(n);
			_exit(0);
		}
		wait_for(child);
	}
	return 0;
}

/* Fork c children in turn, which end while n calls are open. */
static int fork_open(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	for (unsigned long i = 0; i < n_children; i++) {
		pid_t child = fork_flushed();
		if (child == 0) {
			for (unsigned long k = 0; k < n; k++)
				REGIONSTAT_BEGIN("child");
			_exit(0);
		}
		wait_for(child);
	}
	return 0;
}

/* Fork c children that are alive at once. */
static int fork_many(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	pid_t *children = calloc(n_children + 1, sizeof(*children));
	int gate[2];
	char byte;
	require(children && pipe(gate) == 0, "pipe");
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
	return 0;
}

/* Fork each child inside "around", a call of the parent. The child's END of it is ignored, and its
 * own calls count. */
static int fork_inside(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	for (unsigned long i = 0; i < n_children; i++) {
		REGIONSTAT_BEGIN("around");
		pid_t child = fork_flushed();
		if (child == 0) {
			call_child(n);
			REGIONSTAT_END("around");
			/* From here on, calls of the region are the child's own. */
			CALL_ONCE("around");
			_exit(0);
		}
		wait_for(child);
		REGIONSTAT_END("around");
	}
	return 0;
}

/* Fork a line of g generations. Each makes n calls before and after its child. */
static int fork_generations(char **arguments)
{
	unsigned long generations = number_of(arguments[0]), n = number_of(arguments[1]);
	call_child(n);
	for (unsigned long i = 0; i < generations; i++) {
		pid_t child = fork_flushed();
		if (child > 0) {
			wait_for(child);
			call_child(n);
			return 0;
		}
		call_child(n);
	}
	call_child(n);
	return 0;
}

/* Make n calls and execute this program again, x times. A call is open each time. */
static int exec_again(char **arguments)
{
	unsigned long n_execs = number_of(arguments[0]), n = number_of(arguments[1]);
	char left[32];
	call_child(n);
	if (n_execs == 0)
		return 0;
	REGIONSTAT_BEGIN("left by exec");
	snprintf(left, sizeof(left), "%lu", n_execs - 1);
	execl("/proc/self/exe", "rules", "exec", left, arguments[1], (char *)NULL);
	require(0, "exec");
	return 1;
}

/* Start children by vfork and exec, as posix_spawn() and system() do. */
static int run_system(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	char command[4096], self[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	require(length > 0, "readlink");
	self[length] = '\0';
	snprintf(command, sizeof(command), "exec '%s' exec 0 %lu", self, n);
	for (unsigned long i = 0; i < n_children; i++) {
		REGIONSTAT_BEGIN("system");
		int status = system(command);
		REGIONSTAT_END("system");
		require(status == 0, "system");
	}
	return 0;
}

/* Start a child by the system call itself, so that libc runs no fork handlers. */
static int raw_clone(char **arguments)
{
	unsigned long n_children = number_of(arguments[0]), n = number_of(arguments[1]);
	call_child(1);
	for (unsigned long i = 0; i < n_children; i++) {
		pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		require(child >= 0, "clone");
		if (child == 0) {
			call_child(n);
			_exit(0);
		}
		wait_for(child);
	}
	return 0;
}

/* Fork a child that touches fresh pages in its regions, which its own counters count. */
static int fork_faults(char **arguments)
{
	unsigned long n = number_of(arguments[0]), k = number_of(arguments[1]);
	volatile unsigned char *pages = map_pages(n * k);
	warm_up_faults();
	pid_t child = fork_flushed();
	if (child == 0) {
		warm_up_faults();
		for (unsigned long i = 0; i < n; i++) {
			REGIONSTAT_BEGIN("touch");
			touch_pages(pages + i * k * PAGE_BYTES, k);
			REGIONSTAT_END("touch");
		}
		_exit(0);
	}
	wait_for(child);
	return 0;
}

static void *fork_from_thread(void *argument)
{
	call_child(1);
	pid_t child = fork_flushed();
	if (child == 0) {
		call_child(*(unsigned long *)argument);
		_exit(0);
	}
	wait_for(child);
	return NULL;
}

/* Run t threads at once, which each make a call and fork a child with n calls. */
static int fork_in_threads(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]), n = number_of(arguments[1]);
	on_threads(n_threads, fork_from_thread, &n, 0);
	return 0;
}

const struct rule process_rules[] = {
	{"fork", "CHILDREN N", 2, fork_outside},
	{"fork-open", "CHILDREN N", 2, fork_open},
	{"fork-many", "CHILDREN N", 2, fork_many},
	{"fork-inside", "CHILDREN N", 2, fork_inside},
	{"fork-generations", "GENERATIONS N", 2, fork_generations},
	{"fork-faults", "N K", 2, fork_faults},
	{"fork-threads", "THREADS N", 2, fork_in_threads},
	{"exec", "EXECS N", 2, exec_again},
	{"system", "CHILDREN N", 2, run_system},
	{"raw-clone", "CHILDREN N", 2, raw_clone},
	{0},
};
