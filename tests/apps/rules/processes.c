/* SPDX-License-Identifier: MIT */
/*
 * Processes that share one report: children that are forked outside and inside regions,
 * grandchildren, and exec.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "pages.h"
#include "rules.h"

static void call_child(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("child");
}

/* Fork c children, one after the other, with n calls each. The parent makes a call around each
 * fork. */
static void fork_outside(void)
{
	unsigned long n_children = number(0), n = number(1);
	for (unsigned long i = 0; i < n_children; i++) {
		CALL_ONCE("parent");
		if (fork_and_wait()) {
			call_child(n);
			_exit(0);
		}
	}
}

/* Fork c children in turn, which end while n calls are open. */
static void fork_open(void)
{
	unsigned long n_children = number(0), n = number(1);
	for (unsigned long i = 0; i < n_children; i++) {
		if (fork_and_wait()) {
			for (unsigned long k = 0; k < n; k++)
				REGIONSTAT_BEGIN("child");
			_exit(0);
		}
	}
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

/* Fork each child inside "around", a call of the parent. The child's END of it is ignored, and its
 * own calls count. */
static void fork_inside(void)
{
	unsigned long n_children = number(0), n = number(1);
	for (unsigned long i = 0; i < n_children; i++) {
		REGIONSTAT_BEGIN("around");
		if (fork_and_wait()) {
			call_child(n);
			REGIONSTAT_END("around");
			/* From here on, calls of the region are the child's own. */
			CALL_ONCE("around");
			_exit(0);
		}
		REGIONSTAT_END("around");
	}
}

/* Fork a line of g generations. Each makes n calls before and after its child. */
static void fork_generations(void)
{
	unsigned long generations = number(0), n = number(1);
	call_child(n);
	for (unsigned long i = 0; i < generations; i++) {
		pid_t child = fork_flushed();
		if (child > 0) {
			wait_for(child);
			call_child(n);
			return;
		}
		call_child(n);
	}
	call_child(n);
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

/* Fork a child that touches fresh pages in its regions, which its own counters count. */
static void fork_faults(void)
{
	unsigned long n = number(0), k = number(1);
	volatile unsigned char *pages = map_pages(n * k);
	warm_up_faults();
	if (fork_and_wait()) {
		warm_up_faults();
		for (unsigned long i = 0; i < n; i++) {
			REGIONSTAT_BEGIN("touch");
			touch_pages(pages + i * k * PAGE_BYTES, k);
			REGIONSTAT_END("touch");
		}
		_exit(0);
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
	{"fork", fork_outside},
	{"fork-open", fork_open},
	{"fork-many", fork_many},
	{"fork-inside", fork_inside},
	{"fork-generations", fork_generations},
	{"fork-faults", fork_faults},
	{"fork-threads", fork_in_threads},
	{"exec", exec_again},
	{"system", run_system},
	{"raw-clone", raw_clone},
	{0},
};
