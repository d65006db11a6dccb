/* SPDX-License-Identifier: MIT */
/*
 * coming ROUNDS [exec|kill|wait]: threads and processes come and go while 8 threads work.
 *
 * Each thread calls "step" ROUNDS times, with "part" three times in it, and hands a "request" to
 * the next round. Meanwhile the main thread starts children, which call "child" 10 times and end,
 * and pauses and resumes counting. exec: at last the program executes itself and calls "again".
 * kill: the program kills itself with SIGKILL inside "last". wait: after all rounds, it prints a
 * line and waits for SIGUSR1 in the region "waiting".
 */
#include <regionstat.h>

#include <signal.h>
#include <stdbool.h>

#include "check.h"

#define N_THREADS 8
#define N_CHILDREN 6

#ifdef REGIONSTAT_THREAD_SANITIZER_
/* In a child, ThreadSanitizer takes threads of the parent for threads of the child. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "report_thread_leaks=0";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:start_again\n";
}
#endif

static unsigned long rounds;

static void work(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

static void step(unsigned long round)
{
	REGIONSTAT_SCOPE("step");
	work(500);
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_SCOPE("part");
		work(200 + (unsigned)(round % 7) * 100);
		if (round % 64 == 0)
			usleep(100);
		REGIONSTAT_WORK("part", 64, 2);
	}
}

static void *run(void *unused)
{
	for (unsigned long round = 0; round < rounds; round++) {
		struct regionstat_call request = REGIONSTAT_START("request");
		step(round);
		regionstat_stop(request);
	}
	return unused;
}

static void child(void)
{
	for (int i = 0; i < 10; i++) {
		REGIONSTAT_SCOPE("child");
		usleep(300);
	}
}

static void run_all(void)
{
	pthread_t *threads = start_threads(N_THREADS, run, NULL, 0);
	for (int i = 0; i < N_CHILDREN; i++) {
		in_child(child);
		REGIONSTAT_PAUSE();
		usleep(3000);
		REGIONSTAT_RESUME();
	}
	join_threads(N_THREADS, threads);
}

static void wait_for_signal(const sigset_t *set)
{
	int number;
	REGIONSTAT_SCOPE("waiting");
	puts("waiting");
	fflush(stdout);
	sigwait(set, &number);
}

int main(int argc, char **argv)
{
	const char *end = argc > 2 ? argv[2] : "";
	bool waits = strcmp(end, "wait") == 0;
	sigset_t set;
	CHECK(argc > 1);
	/* From the beginning: it may arrive at any time. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (waits)
		sigprocmask(SIG_BLOCK, &set, NULL);
	rounds = strtoul(argv[1], NULL, 10);
	if (strcmp(end, "again") == 0) {
		REGIONSTAT_SCOPE("again");
		return 0;
	}
	run_all();
	if (strcmp(end, "exec") == 0)
		execl(argv[0], argv[0], argv[1], "again", (char *)NULL);
	if (strcmp(end, "kill") == 0) {
		REGIONSTAT_SCOPE("last");
		raise(SIGKILL);
	}
	if (waits)
		wait_for_signal(&set);
	return 0;
}
