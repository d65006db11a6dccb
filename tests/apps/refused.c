/* SPDX-License-Identifier: MIT */
/*
 * A library to preload into a command with one thread. After setlocale(), the command forks at each
 * call of malloc(), calloc() and realloc(). In the child, this call alone is refused. The file N in
 * the directory REFUSED is the child's standard error. The command writes "N STATUS" to the file
 * "status", with the child's wait status. If REFUSED is a number instead, each process is refused
 * the call with this number, and does not fork.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static const char *directory; /* NULL before setlocale() and in children */
static int n, only, status_fd;

static void redirect(void)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%d", directory, n);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file < 0 || dup2(file, STDERR_FILENO) < 0)
		abort();
	close(file);
}

/* Return 1 in the child. */
static int is_refused(void)
{
	int status;
	char line[64];
	if (only) {
		errno = ENOMEM;
		return ++n == only;
	}
	if (!directory)
		return 0;
	n++;
	pid_t child = fork();
	if (child == 0) {
		redirect();
		directory = NULL;
		errno = ENOMEM;
		return 1;
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	int length = snprintf(line, sizeof(line), "%d %d\n", n, status);
	if (write(status_fd, line, (size_t)length) != length)
		abort();
	return 0;
}

/* Start after setlocale(), whose lock a child of a thread that holds it cannot release. */
char *setlocale(int category, const char *locale)
{
	char *(*next)(int, const char *);
	char path[4096];
	*(void **)&next = dlsym(RTLD_NEXT, "setlocale");
	char *set = next(category, locale);
	only = atoi(getenv("REFUSED"));
	if (only)
		return set;
	snprintf(path, sizeof(path), "%s/status", getenv("REFUSED"));
	status_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	directory = getenv("REFUSED");
	return set;
}

__attribute__((destructor)) static void finish(void)
{
	directory = NULL;
}

void *malloc(size_t bytes)
{
	return is_refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return is_refused() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	return is_refused() ? NULL : __libc_realloc(memory, bytes);
}
