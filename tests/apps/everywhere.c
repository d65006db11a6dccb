/* SPDX-License-Identifier: MIT */
/*
 * One use of every marker, for programs that are built and run in every way. N_THREADS threads and
 * the first one each run work(), and a child of fork() runs child(). The report has only these
 * regions and calls:
 *
 *   outer   (N_THREADS + 1) x N_OUTER
 *   inner   2 for each outer; parse and answer 3 for each; request 1 for each
 *   child   N_CHILD
 *   handler N_SIGNALS, in a handler that interrupts no marker
 *
 * It prints "everywhere: 42" and exits with status 42.
 */
#include <pthread.h>
#include <regionstat.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 3
#define N_OUTER 10
#define N_CHILD 7
#define N_SIGNALS 5
#define STATUS 42

static void parts(void)
{
	REGIONSTAT_BEGIN("parse");
	REGIONSTAT_NEXT("parse", "answer");
	REGIONSTAT_END("answer");
}

static void *work(void *arg)
{
	for (int i = 0; i < N_OUTER; i++) {
		REGIONSTAT_SCOPE("outer");
		struct regionstat_call request = REGIONSTAT_START("request");
		for (int j = 0; j < 2; j++) {
			REGIONSTAT_SCOPE("inner");
			char *heap = malloc(1000);
			if (!heap)
				abort();
			heap[i] = (char)j;
			free(heap);
		}
		for (int j = 0; j < 3; j++)
			parts();
		regionstat_stop(request);
	}
	return arg;
}

static void handler(int number)
{
	(void)number;
	REGIONSTAT_SCOPE("handler");
}

static int child(void)
{
	pid_t pid = fork();
	int status = -1;
	if (pid == 0) {
		for (int i = 0; i < N_CHILD; i++) {
			REGIONSTAT_SCOPE("child");
		}
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(void)
{
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	work(NULL);
	for (int i = 0; i < N_THREADS; i++)
		if (pthread_join(threads[i], NULL) != 0)
			return 1;
	if (signal(SIGUSR1, handler) == SIG_ERR)
		return 1;
	for (int i = 0; i < N_SIGNALS; i++)
		if (raise(SIGUSR1) != 0)
			return 1;
	if (child() != 0)
		return 1;
	printf("everywhere: %d\n", STATUS);
	return STATUS;
}
