/* SPDX-License-Identifier: MIT */
/* Tests of finding processes that are still running: wrong entries, closed descriptors, and a
 * program that has not begun. cli/region_running.py has other processes that follow the rules. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <regionstat.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/still_running.h"
#include "tables.h"

static void start(void)
{
	tables_start(0);
}

TestSuite(running, .init = start, .fini = tables_finish);

static void add(pid_t pid, uint64_t pid_namespace, uint32_t state)
{
	tables_add(&(struct rs_process){
		.state = state, .pid = (uint32_t)pid, .pid_namespace = pid_namespace});
}

/* Expect this process alone, or none if pid is 0. */
static void check(enum rs_running_kind kind, uint32_t index, pid_t pid)
{
	struct rs_running running;
	cr_assert(rs_running_find(&running, &segment, kind));
	cr_assert_eq(running.n, pid != 0);
	if (pid != 0) {
		cr_assert_eq(running.items[0].index, index);
		cr_assert_eq(running.items[0].pid, pid);
		cr_assert(running.items[0].is_proven);
	}
	rs_running_finish(&running);
}

/* The program wrote pids into entries: of an unrelated process, of a pid namespace without it, and,
 * without a namespace, of another image and of none. Two more entries are not in use. */
Test(running, strangers_do_not)
{
	uint64_t image;
	memcpy(&image, (const void *)getauxval(AT_RANDOM), sizeof(image));
	add(getppid(), rs_process_namespace(), RS_PROCESS_ALIVE);
	add(getpid(), rs_process_namespace() + 1, RS_PROCESS_ALIVE);
	tables_add(&(struct rs_process){
		.state = RS_PROCESS_ALIVE, .pid = (uint32_t)getpid(), .image = image ^ 1});
	add(getpid(), 0, RS_PROCESS_ALIVE);
	add(getpid(), rs_process_namespace(), RS_PROCESS_CLAIMED);
	add(getpid(), rs_process_namespace(), RS_PROCESS_FREE);
	check(RS_RUNNING_MARKS, 0, 0);
	add(getpid(), rs_process_namespace(), RS_PROCESS_ALIVE);
	check(RS_RUNNING_MARKS, 6, getpid());
}

/* A daemon closes all descriptors, and keeps its mappings. */
Test(running, one_without_the_descriptor)
{
	int closed[2];
	char byte;
	add(getpid(), rs_process_namespace(), RS_PROCESS_REPLACED);
	cr_assert_eq(pipe(closed), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(segment.fd);
		close(closed[1]);
		for (;;)
			pause();
	}
	close(closed[1]);
	cr_assert_eq(read(closed[0], &byte, 1), 0); /* the child has closed both */
	check(RS_RUNNING_MARKS, 0, 0);
	check(RS_RUNNING_MAY_MARK, RS_RUNNING_NO_ENTRY, pid);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

/* The program was executed, and has not begun to run. Its object, this test, contains the
 * marker header. */
Test(running, an_executed_program_with_markers)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		fcntl(segment.fd, F_SETFD, 0);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL); /* stops at exec */
		execl("/proc/self/exe", "marked", (char *)NULL);
		_exit(1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSTOPPED(status));
	check(RS_RUNNING_MARKS, 0, 0);
	check(RS_RUNNING_MAY_MARK, RS_RUNNING_NO_ENTRY, pid);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static bool begins_late;
static pid_t late;

/* Begin a process after the first search has read the list of processes. */
struct dirent *readdir(DIR *directory)
{
	static struct dirent *(*of_libc)(DIR *);
	if (!of_libc)
		*(void **)(void *)&of_libc = dlsym(RTLD_NEXT, "readdir64");
	struct dirent *entry = of_libc(directory);
	if (entry || !begins_late)
		return entry;
	begins_late = false;
	late = fork();
	if (late == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return NULL;
}

static void find_late(void)
{
	struct rs_running running;
	begins_late = true;
	add(getpid(), rs_process_namespace(), RS_PROCESS_REPLACED);
	cr_assert(rs_running_find(&running, &segment, RS_RUNNING_INHERITED));
	cr_assert_eq(running.n, 1);
	cr_assert_eq(running.items[0].pid, late);
	rs_running_finish(&running);
	kill(late, SIGKILL);
	cr_assert_eq(waitpid(late, NULL, 0), late);
}

/* A daemon forks again, and its parent ends, while the search is at other processes. */
Test(running, one_that_begins_during_the_search)
{
	find_late();
}

/* Some sandboxes have no /proc/loadavg (ProcSubset=pid of systemd.exec(5)). */
Test(running, one_that_begins_while_the_newest_task_is_unknown)
{
	if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("/dev/null", "/proc/loadavg", NULL, MS_BIND, NULL) != 0)
		cr_skip_test("/proc/loadavg cannot be hidden: %s", strerror(errno));
	find_late();
}
