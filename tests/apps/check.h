/* SPDX-License-Identifier: MIT */
/*
 * Helpers for test programs in C and C++. They check conditions and end the program with status 3,
 * and run threads and children and wait for them. They also interrupt the program by a timer, and
 * find the function that an argument selects.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
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

/* Wait for a child, which must succeed. */
static inline void wait_for(pid_t child)
{
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Call fork(2), which must succeed. Flush output before, so that nothing is printed twice. */
static inline pid_t fork_flushed(void)
{
	fflush(stdout);
	pid_t child = fork();
	CHECK(child >= 0);
	return child;
}

/* Return true in a child, and then false in the parent: after the child has succeeded. */
static inline int fork_and_wait(void)
{
	pid_t child = fork_flushed();
	if (child == 0)
		return 1;
	wait_for(child);
	return 0;
}

/* Run a function in a child, and wait for it. */
static inline void in_child(void (*run)(void))
{
	if (fork_and_wait()) {
		run();
		fflush(stdout);
		_exit(0);
	}
}

/* Start n threads. Each gets its element of the array `arguments`, whose elements have
 * element_bytes. If that is 0, all threads get the same. */
static inline pthread_t *start_threads(
	size_t n, void *(*run)(void *), void *arguments, size_t element_bytes)
{
	pthread_t *threads = (pthread_t *)calloc(n + 1, sizeof(*threads));
	char *argument = (char *)arguments;
	CHECK(threads);
	for (size_t i = 0; i < n; i++) {
		CHECK(!pthread_create(&threads[i], NULL, run, argument));
		if (element_bytes)
			argument += element_bytes;
	}
	return threads;
}

/* Wait for the threads that start_threads() has started. */
static inline void join_threads(size_t n, pthread_t *threads)
{
	for (size_t i = 0; i < n; i++)
		CHECK(!pthread_join(threads[i], NULL));
	free(threads);
}

/* Run n threads at once and wait for them. */
static inline void on_threads(size_t n, void *(*run)(void *), void *arguments, size_t element_bytes)
{
	join_threads(n, start_threads(n, run, arguments, element_bytes));
}

/* Run one thread and wait for its end. */
static inline void on_thread(void *(*run)(void *), void *argument)
{
	on_threads(1, run, argument, 0);
}

/* Let a timer's signal run a handler every so many microseconds, or no more if us is 0. flags: of
 * sigaction(2). */
static inline void interrupt_every_us(long us, void (*handler)(int), int flags)
{
	struct itimerval period = {{0, us}, {0, us}};
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	CHECK(!us || !sigaction(SIGALRM, &action, NULL));
	CHECK(!setitimer(ITIMER_REAL, &period, NULL));
}

static inline void interrupt_no_more(void)
{
	interrupt_every_us(0, NULL, 0);
}

/* A function and the word that selects it. */
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

/* Find the function in the array hows that `name` selects. */
#define FIND_HOW(hows, name) find_how(hows, sizeof(hows) / sizeof((hows)[0]), name)

#endif
