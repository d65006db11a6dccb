/* SPDX-License-Identifier: MIT */
/* Tests how often regionstat looks at the threads of a process to which it attaches. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/attach.h"

/* N_LOOKS of attach_signals.c, if the second thread is not yet in pause(2) */
#define MOST_LOOKS_AT_OTHERS 5

static int n_pauses;

/* Replace the pause between two looks. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time;
	(void)rest;
	n_pauses++;
	return 0;
}

static void handle(int number)
{
	(void)number;
}

/* Wait until the first thread has ended, and tell the parent. */
static void *stay(void *ready)
{
	char text[64] = "";
	while (!strchr(text, 'Z'))
		rs_attach_status(getpid(), "State", text, sizeof(text));
	cr_assert_eq(write(*(int *)ready, "", 1), 1);
	for (;;)
		pause();
	return NULL;
}

/* End the first thread as musl does: all signals are blocked. */
static void lose_first_thread(int *ready)
{
	pthread_t thread;
	sigset_t all;
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, stay, ready);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	syscall(SYS_exit, 0);
}

Test(attach_signals, a_thread_that_has_ended_is_not_looked_at_again)
{
	struct regionstat_request_1_ request;
	int ready[2];
	char byte;
	cr_assert_eq(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0)
		lose_first_thread(&ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	uint64_t signals = rs_attach_find_signals(child, &request);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert(signals & UINT64_C(1) << (SIGUSR1 - 1));
	cr_assert_leq(n_pauses, MOST_LOOKS_AT_OTHERS);
}
