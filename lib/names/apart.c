/* SPDX-License-Identifier: MIT */
/*
 * This file runs work in a forked process, because the work reads files that may be damaged or
 * malicious. The time and the memory of that process and its access to the parent's descriptors are
 * limited. If it dies, the results that it has sent so far are kept.
 */
#include "names/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/now.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#endif

#define MOST_MEMORY ((rlim_t)4 << 30)
#define MOST_FILES (1 << 20) /* limit of descriptors to close without close_range(2) */
#define MOST_MS_TO_DIE 1000
#ifdef HAS_SHADOW /* a sanitizer reports errors on stderr */
#define LAST_OF_NOTHING STDOUT_FILENO
#else
#define LAST_OF_NOTHING STDERR_FILENO
#endif

int64_t rs_apart_now_ms(void)
{
	return rs_now_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Close all descriptors of the parent except the pipe's end, which becomes descriptor 3. */
static int keep_one(int fd)
{
	const int kept = STDERR_FILENO + 1;
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd != kept && dup3(fd, kept, O_CLOEXEC) < 0)
		return fd;
	for (int i = STDIN_FILENO; nothing >= 0 && i <= LAST_OF_NOTHING; i++)
		dup2(nothing, i);
	long result = -1;
#ifdef SYS_close_range
	result = syscall(SYS_close_range, kept + 1, ~0u, 0);
#endif
	struct rlimit files;
	if (result != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0)
		for (int i = kept + 1; (rlim_t)i < files.rlim_cur && i < MOST_FILES; i++)
			close(i);
	return kept;
}

/* Limit the process. It cannot dump core, write to files or create processes. Its time and memory
 * are limited, and fatal signals kill it. It dies with its parent, which may already be dead. */
static void limit(pid_t parent, int most_ms)
{
	struct rlimit none = {0, 0},
		      time = {(rlim_t)(most_ms / 1000 + 1), (rlim_t)(most_ms / 1000 + 2)};
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_CPU, &time);
/* The shadow memory of a sanitizer needs more address space. */
#ifndef HAS_SHADOW
	struct rlimit memory = {MOST_MEMORY, MOST_MEMORY};
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_NPROC, &none);
#endif
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGXCPU};
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_DFL);
}

/* Pass all bytes from fd to take(), until the end of fd or until end_ms. */
static bool read_all(int fd, bool (*take)(const void *bytes, size_t n, void *context),
	void *context, int64_t end_ms)
{
	static char bytes[1 << 16];
	for (;;) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int64_t left = end_ms - rs_apart_now_ms();
		int ready = poll(&wait, 1, left > 0 ? (int)left : 0);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		if (!take(bytes, (size_t)n, context))
			return false;
	}
}

/* Wait for a process that has ended or was killed. Give up after one second: abandon a process that
 * sleeps uninterruptibly in the kernel, for example because a file server does not answer. */
static bool wait_for(pid_t pid, int *status)
{
	int64_t end_ms = rs_apart_now_ms() + MOST_MS_TO_DIE;
	struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	pid_t ended;
	for (;;) {
		ended = waitpid(pid, status, WNOHANG);
		if (ended == pid || (ended < 0 && errno != EINTR) || rs_apart_now_ms() >= end_ms)
			break;
		/* Poll every ms if there is no pidfd, or if it is ready because a tracer has to
		 * reap the process first. */
		if (poll(&wait, 1, wait.fd >= 0 ? MOST_MS_TO_DIE : 1) > 0) {
			close(wait.fd);
			wait.fd = -1;
		}
	}
	if (wait.fd >= 0)
		close(wait.fd);
	return ended == pid;
}

bool rs_apart(bool (*work)(void *context, int fd),
	bool (*take)(const void *bytes, size_t n, void *context), void *context, int most_ms)
{
	int ends[2], status = -1;
	int64_t end_ms = rs_apart_now_ms() + most_ms;
	pid_t parent = getpid();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		int fd = keep_one(ends[1]);
		limit(parent, most_ms);
		rs_arena_leave_guards();
		_exit(work(context, fd) ? 0 : 1);
	}
	close(ends[1]);
	bool done = pid > 0 && read_all(ends[0], take, context, end_ms);
	close(ends[0]);
	if (pid <= 0)
		return false;
	if (!done)
		kill(pid, SIGKILL);
	return wait_for(pid, &status) && done && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
