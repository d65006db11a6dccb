/* SPDX-License-Identifier: MIT */
/* Tests of finding processes that are still running. cli/region_running.py has programs without
 * markers and processes of other pid namespaces. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <regionstat.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/processes.h"
#include "launch/still_running.h"

static struct rs_segment segment;

static void start(void)
{
	struct rs_err err;
	const struct rs_segment_config config = {.clock = RS_CLOCK_MONOTONIC};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
}

static void finish(void)
{
	rs_segment_finish(&segment);
}

TestSuite(running, .init = start, .fini = finish);

/* Return an entry as the process itself would write it. */
static struct rs_process entry_of(pid_t pid)
{
	struct rs_process entry = {.state = RS_PROCESS_ALIVE,
		.pid = (uint32_t)pid,
		.pid_namespace = rs_process_namespace()};
	memcpy(&entry.image, (const void *)getauxval(AT_RANDOM), sizeof(entry.image));
	return entry;
}

static void add(const struct rs_process *entry)
{
	uint32_t index = atomic_fetch_add(&segment.header->n_processes, 1);
	off_t offset = (off_t)(RS_PROCESSES_OFFSET + index * sizeof(*entry));
	cr_assert_eq(pwrite(segment.fd, entry, sizeof(*entry), offset), sizeof(*entry));
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static pid_t start_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if an assertion fails */
		for (;;)
			pause();
	}
	cr_assert_gt(pid, 0);
	return pid;
}

static void check_only(enum rs_running_kind kind, uint32_t index, pid_t pid)
{
	struct rs_running running;
	cr_assert(rs_running_find(&running, &segment, kind));
	cr_assert_eq(running.n, 1);
	cr_assert_eq(running.items[0].index, index);
	cr_assert_eq(running.items[0].pid, pid);
	cr_assert(running.items[0].is_proven);
	rs_running_finish(&running);
}

static void check_one(uint32_t index, pid_t pid)
{
	check_only(RS_RUNNING_MARKS, index, pid);
}

static void check_none(void)
{
	struct rs_running running;
	cr_assert(rs_running_find(&running, &segment, RS_RUNNING_MARKS));
	cr_assert_eq(running.n, 0);
	rs_running_finish(&running);
}

Test(running, until_a_process_ends)
{
	pid_t pid = start_child();
	struct rs_process entry = entry_of(pid);
	check_none();
	add(&entry);
	check_one(0, pid);
	kill(pid, SIGKILL);
	siginfo_t info;
	cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	check_none(); /* the process is a zombie */
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	check_none();
}

Test(running, programs_that_an_exec_replaced_do_not)
{
	struct rs_process entry = entry_of(getpid());
	entry.state = RS_PROCESS_REPLACED;
	add(&entry);
	entry.state = RS_PROCESS_CLAIMED;
	add(&entry);
	entry.state = RS_PROCESS_FREE;
	add(&entry);
	check_none();
	entry.state = RS_PROCESS_EXITED;
	add(&entry);
	check_one(3, getpid());
}

/* A process that could not read /proc has only its pid and the random bytes of its image. */
Test(running, known_by_its_image)
{
	struct rs_process entry = entry_of(getpid());
	entry.pid_namespace = 0;
	entry.image ^= 1;
	add(&entry);
	check_none();
	entry.image ^= 1;
	add(&entry);
	check_one(1, getpid());
	entry.image = 0;
	add(&entry);
	check_one(1, getpid());
}

/* Start a program without markers, which runs until it is killed. */
static pid_t start_cat(void)
{
	int input[2]; /* nothing is ever written to this pipe */
	cr_assert_eq(pipe(input), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(input[0], STDIN_FILENO);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fcntl(segment.fd, F_SETFD, FD_CLOEXEC);
		execlp("cat", "cat", (char *)NULL);
		_exit(1);
	}
	char path[32], name[16] = "";
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	while (strcmp(name, "cat\n") != 0) {
		FILE *file = fopen(path, "r");
		cr_assert(file && fgets(name, sizeof(name), file));
		fclose(file);
	}
	return pid;
}

/* The program wrote the pid of an unrelated process into an entry. */
Test(running, strangers_do_not)
{
	struct rs_process entry = entry_of(getpid());
	add(&entry);
	check_one(0, getpid());
	pid_t pid = start_cat();
	entry = entry_of(pid);
	add(&entry);
	check_one(0, getpid());
	end(pid);
}

/* A daemon closes all descriptors, and keeps its mappings. */
Test(running, one_without_the_descriptor)
{
	int closed[2];
	char byte;
	struct rs_process entry = entry_of(getpid());
	entry.state = RS_PROCESS_REPLACED;
	add(&entry);
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
	check_only(RS_RUNNING_MAY_MARK, RS_RUNNING_NO_ENTRY, pid);
	end(pid);
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
	check_none();
	check_only(RS_RUNNING_MAY_MARK, RS_RUNNING_NO_ENTRY, pid);
	end(pid);
}

/* The entry names a pid namespace that has no process with its pid. */
Test(running, of_a_namespace_that_is_gone)
{
	struct rs_process entry = entry_of(getpid());
	entry.pid_namespace++;
	add(&entry);
	check_none();
}
