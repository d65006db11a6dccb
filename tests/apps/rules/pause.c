/* SPDX-License-Identifier: MIT */
/* PAUSE and RESUME with several threads and processes, and with the launcher. */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "../clock.h"
#include "pages.h"
#include "rules.h"

static atomic_bool stop_busy;

struct busy_threads {
	int nice; /* niceness of the threads beside the one that pauses */
	pthread_barrier_t ready;
};

/* Use markers all the time, without page faults. */
static void *keep_busy(void *argument)
{
	struct busy_threads *busy = argument;
	CHECK(setpriority(PRIO_PROCESS, 0, busy->nice) == 0);
	CALL_ONCE("busy");
	pthread_barrier_wait(&busy->ready);
	while (!atomic_load_explicit(&stop_busy, memory_order_relaxed))
		CALL_ONCE("busy");
	return NULL;
}

/* Cause n_faults faults during a pause, on memory that is returned to the kernel, so that it can
 * fault again. */
static void fault_paused(volatile unsigned char *pages, size_t n_pages, unsigned long n_faults)
{
	while (n_faults > 0) {
		unsigned long n = n_faults < n_pages ? n_faults : n_pages;
		touch_pages(pages, n);
		madvise((void *)(uintptr_t)pages, n * PAGE_BYTES, MADV_DONTNEED);
		n_faults -= n;
	}
}

/* Arguments: N K M BUSY NICE. In each of n rounds there is a call of "work" with k faults, and a
 * pause with m / n faults and an ignored call of "ignored". BUSY threads with this niceness use
 * markers meanwhile. */
static void run_pause(void)
{
	unsigned long n = number(0), k = number(1), m = number(2), n_busy = number(3);
	enum { PAUSED_PAGES = 1000 };
	volatile unsigned char *pages = map_pages(n * k);
	volatile unsigned char *paused_pages = map_pages(PAUSED_PAGES);
	struct busy_threads busy = {.nice = (int)number(4)};
	pthread_barrier_init(&busy.ready, NULL, (unsigned int)n_busy + 1);
	pthread_t *threads = start_threads(n_busy, keep_busy, &busy, 0);
	pthread_barrier_wait(&busy.ready);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("work");
		touch_pages(pages + i * k * PAGE_BYTES, k);
		REGIONSTAT_END("work");
		REGIONSTAT_PAUSE();
		REGIONSTAT_BEGIN("ignored");
		fault_paused(paused_pages, PAUSED_PAGES, m * (i + 1) / n - m * i / n);
		REGIONSTAT_END("ignored");
		REGIONSTAT_RESUME();
	}
	atomic_store(&stop_busy, true);
	join_threads(n_busy, threads);
}

/* Threads that pause and resume at the same time. */
struct pausing {
	unsigned long n;
	unsigned long n_threads;
	pthread_barrier_t ready;
};

static void *pause_often(void *argument)
{
	struct pausing *pausing = argument;
	pthread_barrier_wait(&pausing->ready);
	for (unsigned long i = 0; i < pausing->n; i++) {
		REGIONSTAT_PAUSE();
		CALL_ONCE("ignored");
		REGIONSTAT_RESUME();
	}
	return NULL;
}

static void pause_in_threads(unsigned long n, unsigned long n_threads)
{
	struct pausing pausing = {.n = n, .n_threads = n_threads};
	pthread_barrier_init(&pausing.ready, NULL, (unsigned int)n_threads);
	on_threads(n_threads, pause_often, &pausing, 0);
	pthread_barrier_destroy(&pausing.ready);
}

/* In each thread, pause n times, during which nothing counts. Then make n calls that count. */
static void run_pause_threads(void)
{
	unsigned long n = number(0);
	pause_in_threads(n, number(1));
	for (unsigned long i = 0; i < n; i++)
		CALL_ONCE("counted");
}

/* Return true if a thread of a process is stopped, or has ended. */
static int is_stopped(const char *path)
{
	char text[512] = "";
	FILE *file = fopen(path, "r");
	if (!file)
		return 1;
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	if (n == 0)
		return 1;
	const char *name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'T';
}

/* Stop the launcher. kill() returns while its threads still run, so wait for each of them. */
static void stop_parent(void)
{
	char path[64];
	glob_t tasks;
	CHECK(kill(getppid(), SIGSTOP) == 0);
	snprintf(path, sizeof(path), "/proc/%d/task/*/stat", (int)getppid());
	CHECK(glob(path, 0, NULL, &tasks) == 0);
	for (size_t i = 0; i < tasks.gl_pathc; i++)
		while (!is_stopped(tasks.gl_pathv[i]))
			usleep(100);
	globfree(&tasks);
}

/* Pause and resume without an answer, because the launcher, the parent process, is stopped
 * meanwhile. */
static void run_pause_unanswered(void)
{
	stop_parent();
	pause_in_threads(number(0), number(1));
	CHECK(kill(getppid(), SIGCONT) == 0);
}

/* Pause n times while the launcher is stopped, and make a call of "counted" after each. */
static void run_pause_stopped(void)
{
	stop_parent();
	for (unsigned long i = number(0); i > 0; i--) {
		REGIONSTAT_PAUSE();
		CALL_ONCE("ignored");
		REGIONSTAT_RESUME();
		CALL_ONCE("counted");
	}
	CHECK(kill(getppid(), SIGCONT) == 0);
}

/* Run n children in turn that pause and are killed. After each, the parent resumes and makes a
 * call. */
static void run_pause_and_die(void)
{
	CALL_ONCE("first");
	for (unsigned long i = number(0); i > 0; i--) {
		pid_t child = fork();
		CHECK(child >= 0);
		if (child == 0) {
			REGIONSTAT_PAUSE();
			raise(SIGKILL);
		}
		CHECK(waitpid(child, NULL, 0) == child);
		REGIONSTAT_RESUME();
		CALL_ONCE("counted");
	}
}

/* Bounds of the time during which counting ran, and CPU time of the main thread in it, in ns. */
struct counted {
	int64_t least, cpu;
};

static int64_t now_ns(void)
{
	return (int64_t)clock_ns(CLOCK_MONOTONIC);
}

static int64_t cpu_ns(void)
{
	return (int64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void *wait_all_the_time(void *argument)
{
	pthread_barrier_t *barrier = argument;
	CALL_ONCE("worker");
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

/* Sleep 5 ms and then use the CPU for 1 ms while counting runs. Use the CPU and sleep for 20 ms
 * each while it is paused. */
static void sleep_and_pause(struct counted *counted, int64_t resumed_ns)
{
	int64_t cpu_begin = cpu_ns();
	usleep(5000);
	CALL_ONCE("main");
	spin_ns(CLOCK_THREAD_CPUTIME_ID, 1000000);
	int64_t before = now_ns();
	counted->cpu += cpu_ns() - cpu_begin;
	REGIONSTAT_PAUSE();
	counted->least += before - resumed_ns;
	spin_ns(CLOCK_THREAD_CPUTIME_ID, 20000000);
	usleep(20000);
	REGIONSTAT_RESUME();
}

/* In the main thread, pause n times. Another thread waits from its only call until its end. Print
 * the least lifetime of both threads without pauses, and the CPU time of the main thread in it. */
static void run_pause_lifetime(void)
{
	struct counted counted = {0};
	pthread_barrier_t barrier;
	pthread_t thread;
	pthread_barrier_init(&barrier, NULL, 2);
	CALL_ONCE("main");
	CHECK(pthread_create(&thread, NULL, wait_all_the_time, &barrier) == 0);
	pthread_barrier_wait(&barrier);
	for (unsigned long i = number(0); i > 0; i--)
		sleep_and_pause(&counted, now_ns());
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	printf("least %lld cpu %lld\n", (long long)counted.least, (long long)counted.cpu);
}

const struct how pause_rules[] = {
	{"pause", run_pause},
	{"pause-lifetime", run_pause_lifetime},
	{"pause-threads", run_pause_threads},
	{"pause-unanswered", run_pause_unanswered},
	{"pause-stopped", run_pause_stopped},
	{"pause-and-die", run_pause_and_die},
	{0},
};
