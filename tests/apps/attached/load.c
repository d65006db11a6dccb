/* SPDX-License-Identifier: MIT */
/*
 * load [THREADS [US [BLOCKED]]]: threads that call regions until standard input ends, and sleep for
 * US microseconds after each 64 steps. BLOCKED more threads make one step for each line "w". Each
 * line of standard input is answered by a line with two numbers. The first tells how many calls of
 * "scope" a runtime has begun so far: their tickets are not 0. The second tells how many steps the
 * threads have made. A line "f" first forks a child that calls "child" 100 times. A line "s" first
 * ends all threads.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

#define STACK_BYTES 65536

struct count {
	_Atomic unsigned long begun, steps;
	char apart[112];
};
static struct count *counts;
static _Atomic int stops;
static useconds_t pause_us = 100;
static sem_t wakes;

static void step(struct count *count)
{
	static struct regionstat_site_ site = {"scope", 0, 1};
	regionstat_ticket_ ticket = regionstat_scope_begin_(&site);
	if (ticket)
		atomic_fetch_add_explicit(&count->begun, 1, memory_order_relaxed);
	REGIONSTAT_BEGIN("steps");
	for (volatile int i = 0; i < 200; i++)
		;
	REGIONSTAT_NEXT("steps", "more steps");
	REGIONSTAT_END("more steps");
	regionstat_begin("by name");
	regionstat_end("by name");
	regionstat_scope_end_(&ticket);
	atomic_fetch_add_explicit(&count->steps, 1, memory_order_relaxed);
}

static void *work(void *own)
{
	struct regionstat_call call = REGIONSTAT_START("started");
	REGIONSTAT_BEGIN("whole");
	for (unsigned n = 0; !atomic_load_explicit(&stops, memory_order_relaxed); n++) {
		step(own);
		if (n % 64 == 0)
			usleep(pause_us);
	}
	REGIONSTAT_END("whole");
	regionstat_stop(call);
	return NULL;
}

static void *wait_and_work(void *own)
{
	while (sem_wait(&wakes) == 0 && !atomic_load_explicit(&stops, memory_order_relaxed))
		step(own);
	return NULL;
}

static void wake(int n)
{
	while (n-- > 0)
		sem_post(&wakes);
}

static void run_child(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 100; i++) {
			REGIONSTAT_SCOPE("child");
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void end(const pthread_t *threads, int *n, int n_blocked)
{
	atomic_store(&stops, 1);
	wake(n_blocked);
	while (*n > 0)
		pthread_join(threads[--*n], NULL);
}

#ifdef FIRST_ENDS /* The first thread ends, and another one does its work. */
#define main run
int run(int argc, char **argv);
#endif

int main(int argc, char **argv)
{
	int n_blocked = argc > 3 ? atoi(argv[3]) : 0,
	    n = (argc > 1 ? atoi(argv[1]) : 4) + n_blocked;
	char line[16];
	if (argc > 2)
		pause_us = (useconds_t)atoi(argv[2]);
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	int n_running = n;
	pthread_attr_t attributes;
	counts = aligned_alloc(128, (size_t)n * sizeof(*counts));
	if (!threads || !counts)
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sem_init(&wakes, 0, 0);
	for (int i = 0; i < n; i++) {
		counts[i] = (struct count){0};
		if (pthread_create(&threads[i], &attributes, i < n_blocked ? wait_and_work : work,
			    &counts[i]) != 0) {
			puts("refused");
			return 1;
		}
	}
	puts("ready");
	for (;;) {
		unsigned long begun = 0, steps = 0;
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			break;
		if (line[0] == 'f')
			run_child();
		if (line[0] == 's')
			end(threads, &n_running, n_blocked);
		if (line[0] == 'w')
			wake(n_blocked);
		for (int i = 0; i < n; i++) {
			begun += counts[i].begun;
			steps += counts[i].steps;
		}
		printf("%lu %lu\n", begun, steps);
	}
	end(threads, &n_running, n_blocked);
	free(threads);
	free(counts);
	puts("done");
	return 0;
}

#ifdef FIRST_ENDS
#undef main

static int n_words;

static void *run_and_exit(void *words)
{
	exit(run(n_words, words));
}

int main(int argc, char **argv)
{
	pthread_t thread;
	n_words = argc;
	if (pthread_create(&thread, NULL, run_and_exit, argv) != 0)
		return 1;
	pthread_exit(NULL);
}
#endif
