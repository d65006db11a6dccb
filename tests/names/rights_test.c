/* SPDX-License-Identifier: MIT */
/*
 * Tests of the rights of the process that reads files, as the kernel shows them. They are the
 * rights of the user that the program names, or of the file's owner. Only root can take another
 * user's rights. cli/markers_rights.py reads names with them.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/directory.h"
#include "base/write.h"
#include "names/apart.h"
#include "names/rights.h"

#define MOST_MS 60000
#define SOMEBODY 54321u /* a user that is in no user database */
#define ANOTHER 54322u
#define NOBODY 65534u

static char path[128];
static char told[8192];
static size_t told_bytes;

static void start(void)
{
	directory_init();
	cr_assert_eq(chmod(directory, 0755), 0);
	snprintf(path, sizeof(path), "%s/file", directory);
}

TestSuite(rights, .init = start, .fini = directory_finish, .timeout = 120);

static void need_root(void)
{
	if (geteuid() != 0)
		cr_skip_test("only root can become another user");
}

static void make_file(uid_t owner, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, "text", 4), 4);
	cr_assert_eq(fchown(fd, owner, owner), 0);
	cr_assert_eq(fchmod(fd, mode), 0);
	close(fd);
}

/* Write the kernel's status of this process. Write "" before that if the file was not opened. */
static bool tell_status(void *context, int fd)
{
	struct stat status;
	char text[4096];
	const uint32_t *uid = context;
	int file = rs_rights_open(path, *uid, &status);
	int own = file >= 0 && read(file, text, 4) == 4 ? open("/proc/self/status", O_RDONLY) : -1;
	ssize_t n = own >= 0 ? read(own, text, sizeof(text)) : 0;
	return n >= 0 && rs_write_all(fd, text, (size_t)n) == 0;
}

static bool take(const void *bytes, size_t n, void *context)
{
	(void)context;
	if (n >= sizeof(told) - told_bytes)
		return false;
	memcpy(told + told_bytes, bytes, n);
	told_bytes += n;
	return true;
}

/* Return the status of a process that opened the file, or "" if it could not. */
static const char *open_as(uint32_t uid)
{
	told_bytes = 0;
	memset(told, 0, sizeof(told));
	cr_assert(rs_apart(tell_status, take, &uid, MOST_MS));
	return told;
}

static void expect_user(uint32_t uid, uint32_t reader, gid_t gid)
{
	char uids[64], gids[64];
	const char *status = open_as(uid);
	snprintf(uids, sizeof(uids), "\nUid:\t%u\t%u\t%u\t%u\n", reader, reader, reader, reader);
	snprintf(gids, sizeof(gids), "\nGid:\t%u\t%u\t%u\t%u\n", gid, gid, gid, gid);
	cr_expect(strstr(status, uids), "as %u: %s", uid, status);
	cr_expect(reader == 0 || strstr(status, gids), "as %u: %s", uid, status);
	cr_expect(reader != SOMEBODY || strstr(status, "\nGroups:\t \n"), "%s", status);
	cr_expect(strstr(status, "\nCapPrm:\t0000000000000000\n"), "%s", status);
	cr_expect(strstr(status, "\nCapEff:\t0000000000000000\n"), "%s", status);
	cr_expect(strstr(status, "\nNoNewPrivs:\t1\n"), "%s", status);
}

/* The program may claim to be any user. So another user's file is read with its owner's rights. */
Test(rights, reader_is_the_program_or_the_author)
{
	static const struct {
		uid_t owner;
		mode_t mode;
		uint32_t uid, reader;
	} cases[] = {
		{0, 0644, 0, 0},
		{0, 0600, 0, 0},
		{0, 0644, SOMEBODY, SOMEBODY},
		{SOMEBODY, 0600, SOMEBODY, SOMEBODY},
		{SOMEBODY, 0600, 0, SOMEBODY},
		{SOMEBODY, 0644, ANOTHER, SOMEBODY},
		/* Others may have written these files. */
		{0, 0666, 0, NOBODY},
		{0, 0664, 0, 0}, /* writable by root's group */
		{SOMEBODY, 0664, 0, NOBODY},
		{SOMEBODY, 0664, SOMEBODY, NOBODY},
		{SOMEBODY, 0666, SOMEBODY, NOBODY},
	};
	need_root();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_file(cases[i].owner, cases[i].mode);
		expect_user(cases[i].uid, cases[i].reader, NOBODY);
	}
}

Test(rights, what_the_program_may_not_read)
{
	need_root();
	make_file(0, 0600);
	cr_expect_str_eq(open_as(SOMEBODY), "");
	make_file(ANOTHER, 0600);
	cr_expect_str_eq(open_as(SOMEBODY), "");
	make_file(SOMEBODY, 0600);
	cr_assert_eq(chmod(directory, 0700), 0);
	cr_expect_str_eq(open_as(SOMEBODY), "");
	cr_expect_str_neq(open_as(0), "");
}

/* A user in the user database has the groups of that database. */
Test(rights, groups_of_a_user)
{
	struct passwd *entry = NULL;
	need_root();
	setpwent();
	while ((entry = getpwent()) && (entry->pw_uid == 0 || entry->pw_uid == NOBODY))
		;
	if (!entry)
		cr_skip_test("the user database has only root");
	uid_t uid = entry->pw_uid;
	gid_t gid = entry->pw_gid;
	make_file(0, 0640);
	cr_assert_eq(chown(path, 0, gid), 0);
	expect_user(uid, uid, gid);
	cr_expect_str_eq(open_as(SOMEBODY), "");
}

/* If regionstat is not run by root, it reads as its own user, without capabilities. */
Test(rights, without_root)
{
	make_file(geteuid(), 0644);
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && setresuid(SOMEBODY, SOMEBODY, SOMEBODY) != 0)
			_exit(2);
		/* It cannot take another user's rights, so it keeps its own. */
		const char *status = open_as(ANOTHER);
		char uids[64];
		snprintf(uids, sizeof(uids), "\nUid:\t%u\t", (unsigned)geteuid());
		_exit(strstr(status, uids) && strstr(status, "\nCapEff:\t0000000000000000\n") ? 0
											      : 1);
	}
	int status = -1;
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
}

Test(rights, what_is_no_regular_file)
{
	static const char *const paths[] = {"", "/", "/dev/zero", "/dev/tty", "/nowhere"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(path, sizeof(path), "%s", paths[i]);
		cr_expect_str_eq(open_as(0), "", "%s", paths[i]);
	}
	snprintf(path, sizeof(path), "%s/fifo", directory);
	cr_assert_eq(mkfifo(path, 0644), 0);
	cr_expect_str_eq(open_as(0), "");
}

/* ---- the separate process ---- */

static bool tell_descriptors(void *context, int fd)
{
	const int *open_one = context;
	char text[64];
	bool has = fcntl(*open_one, F_GETFD) >= 0, has_own = fcntl(fd, F_GETFD) >= 0;
	for (int i = 0; i < 256; i++)
		has |= i > 3 && fcntl(i, F_GETFD) >= 0;
	int made = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	snprintf(text, sizeof(text), "%d %d %d", has, has_own,
		made >= 0 && write(made, "x", 1) == 1);
	return rs_write_all(fd, text, strlen(text)) == 0;
}

/* The process has only the pipe and none of its parent's descriptors, and cannot write files. */
Test(rights, nothing_is_open_and_nothing_written)
{
	int own = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 100);
	cr_assert_geq(own, 100);
	signal(SIGXFSZ, SIG_IGN);
	told_bytes = 0;
	cr_assert(rs_apart(tell_descriptors, take, &own, MOST_MS));
	told[told_bytes] = '\0';
	cr_expect_str_eq(told, "0 1 0");
	close(own);
}

static bool tell_parent_signal(void *context, int fd)
{
	(void)context;
	int number = 0;
	return prctl(PR_GET_PDEATHSIG, &number) == 0 &&
	       rs_write_all(fd, &number, sizeof(number)) == 0;
}

static bool tell_it_as_somebody(void *context, int fd)
{
	rs_rights_become(SOMEBODY);
	return geteuid() == SOMEBODY && tell_parent_signal(context, fd);
}

/* The process dies with its parent. The kernel resets that when the user changes, so it is set
 * again. */
Test(rights, ends_with_its_parent)
{
	int number = 0;
	told_bytes = 0;
	cr_assert(rs_apart(tell_parent_signal, take, NULL, MOST_MS));
	memcpy(&number, told, sizeof(number));
	cr_expect_eq(number, SIGKILL);
	need_root();
	told_bytes = 0;
	cr_assert(rs_apart(tell_it_as_somebody, take, NULL, MOST_MS));
	memcpy(&number, told, sizeof(number));
	cr_expect_eq(number, SIGKILL);
}

/* A tracer of the separate process. A wait for the end of a traced process may block. */
struct tracer {
	pid_t pid;
	int to, from; /* pipes: the tracer reads a pid, and answers if it traces that process */
	bool has_it;
};

static void trace(int to, int from)
{
	pid_t pid = 0;
	char ready = 0;
	if (read(to, &pid, sizeof(pid)) == (ssize_t)sizeof(pid))
		ready = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	bool is_told = write(from, &ready, 1) == 1;
	while (is_told && read(to, &pid, sizeof(pid)) > 0) /* until the pipe is closed */
		;
	_exit(0);
}

static bool tell_pid_and_hang(void *context, int fd)
{
	pid_t own = getpid();
	(void)context;
	if (rs_write_all(fd, &own, sizeof(own)) == 0)
		for (;;)
			pause();
	return false;
}

static bool take_pid(const void *bytes, size_t n, void *context)
{
	struct tracer *tracer = context;
	char ready = 0;
	if (n != sizeof(pid_t) || write(tracer->to, bytes, n) != (ssize_t)n)
		return false;
	tracer->has_it = read(tracer->from, &ready, 1) == 1 && ready;
	return false; /* the separate process is killed at once */
}

/* rs_apart() must not wait for a traced process: its end is not reported until the tracer ends, and
 * the tracer waits for this process. */
Test(rights, end_that_does_not_come)
{
	struct tracer tracer = {0};
	int to[2], from[2];
	cr_assert(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
	tracer.pid = fork();
	if (tracer.pid == 0) {
		close(to[1]);
		trace(to[0], from[1]);
	}
	close(to[0]);
	tracer.to = to[1];
	tracer.from = from[0];
	cr_assert_not(rs_apart(tell_pid_and_hang, take_pid, &tracer, MOST_MS));
	close(to[1]);
	cr_assert_eq(waitpid(tracer.pid, NULL, 0), tracer.pid);
	if (!tracer.has_it)
		cr_skip_test("no process may be traced here");
}
