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
#include <regionstat.h>
#include <signal.h>

#include "check.h"

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
			CHECK(heap);
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

static void child(void)
{
	for (int i = 0; i < N_CHILD; i++) {
		REGIONSTAT_SCOPE("child");
	}
}

int main(void)
{
	on_threads(N_THREADS, work, NULL, 0);
	work(NULL);
	CHECK(signal(SIGUSR1, handler) != SIG_ERR);
	for (int i = 0; i < N_SIGNALS; i++)
		CHECK(raise(SIGUSR1) == 0);
	in_child(child);
	printf("everywhere: %d\n", STATUS);
	return STATUS;
}
