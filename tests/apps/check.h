/* SPDX-License-Identifier: MIT */
/*
 * Shared by many test programs: checks that end the program with status 3, threads and children and
 * waits for them, and the function that an argument names. For C and C++.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                   \
	do {                                                                               \
		if (!(condition)) {                                                        \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, \
				strerror(errno));                                          \
			exit(3);                                                           \
		}                                                                          \
	} while (0)

/* A child that must succeed. */
static inline void wait_for(pid_t child)
{
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* fork(2) that must succeed; nothing is printed twice. */
static inline pid_t fork_flushed(void)
{
	fflush(stdout);
	pid_t child = fork();
	CHECK(child >= 0);
	return child;
}

/* Run a function in a child, and wait for it. */
static inline void in_child(void (*run)(void))
{
	pid_t child = fork_flushed();
	if (child == 0) {
		run();
		fflush(stdout);
		_exit(0);
	}
	wait_for(child);
}

/* Run n threads at once, each with its element of arguments, an array of elements of that many
 * bytes (0: all with the same), and wait for them. */
static inline void on_threads(size_t n, void *(*run)(void *), void *arguments, size_t element_bytes)
{
	pthread_t *threads = (pthread_t *)calloc(n + 1, sizeof(*threads));
	char *argument = (char *)arguments;
	CHECK(threads);
	for (size_t i = 0; i < n; i++) {
		CHECK(!pthread_create(&threads[i], NULL, run, argument));
		if (element_bytes)
			argument += element_bytes;
	}
	for (size_t i = 0; i < n; i++)
		CHECK(!pthread_join(threads[i], NULL));
	free(threads);
}

/* Run a thread to its end. */
static inline void on_thread(void *(*run)(void *), void *argument)
{
	on_threads(1, run, argument, 0);
}

/* A function that an argument names. */
struct how {
	const char *name;
	void (*run)(void);
};

static inline const struct how *find_how(const struct how *hows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (name && !strcmp(hows[i].name, name))
			return &hows[i];
	fprintf(stderr, "what is '%s'?\n", name ? name : "");
	exit(2);
}

/* That of hows, an array. */
#define FIND_HOW(hows, name) find_how(hows, sizeof(hows) / sizeof((hows)[0]), name)

#endif
