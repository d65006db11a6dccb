/*
 * Processes and threads whose lives a test steers: some tell it their numbers, some go on until it
 * closes their standard input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rules.h"

static void call_region(const char *name, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		regionstat_begin(name);
		regionstat_end(name);
	}
}

/* Until whoever holds the other end lets go of it. */
static void wait_for_end(int fd)
{
	char byte;
	while (read(fd, &byte, 1) > 0)
		;
}

static void *make_a_call_that_is_cut(void *name)
{
	REGIONSTAT_BEGIN("cut");
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	REGIONSTAT_END("cut");
	require(pthread_setname_np(pthread_self(), name) == 0, "pthread_setname_np");
	printf("thread %ld %s\n", syscall(SYS_gettid), (const char *)name);
	return NULL;
}

/* t threads in turn, each with a name, none with a call that is measured. */
static int threads_named(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]);
	for (unsigned long i = 0; i < n_threads; i++) {
		pthread_t thread;
		char name[40];
		snprintf(name, sizeof(name), "worker %lu", i);
		name[15] = '\0'; /* as much as a thread's name holds */
		require(pthread_create(&thread, NULL, make_a_call_that_is_cut, name) == 0,
			"a thread");
		pthread_join(thread, NULL);
	}
	return 0;
}

/* n calls, a line that says so, and n more once the standard input has ended. */
static int call_at_a_gate(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	call_region("gate", n);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	wait_for_end(STDIN_FILENO);
	call_region("gate", n);
	return 0;
}

const struct rule life_rules[] = {
	{"threads-named", "THREADS", 1, threads_named},
	{"gate", "N", 1, call_at_a_gate},
	{0},
};
