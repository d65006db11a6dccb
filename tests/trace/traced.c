/* SPDX-License-Identifier: MIT */
/*
 * A program whose calls are known, for the tests of traces.
 *
 * usage: traced [OPTION...] CALLS
 *
 * Each thread makes CALLS calls of "request" within one of "thread". Every request has a "step",
 * which has a "leaf", and a "next" that follows the step by NEXT.
 *
 *   -t N     N threads
 *   -o N     N leaves of the first thread, at even distances, take -d US, or 2 ms. Print when
 *            each begins, in ns of CLOCK_MONOTONIC, before its BEGIN.
 *   -d US
 *   -g NS    each leaf of -o takes NS longer than the one before. Print how long it took, instead
 *            of its begin.
 *   -k FILE  die by a signal -u US after the first request; FILE then has the tid of each thread,
 *            and the begin of the last request that had ended
 *   -u US
 *   -f       a forked child does the same
 *   -F       as -f, and the fork lies within a call of "around"
 *   -h       a handler of a timer's signal calls "handler"
 *   -a       another thread stops the calls of "async" that the first one starts
 *   -s       each leaf sleeps for 1 ms
 *   -w       each leaf reports work of 64 bytes and 8 operations
 *   -p       each call reports work: its own number as bytes, the number of the call around as
 *            operations
 *   -S       stop the launcher while the calls are made
 *   -n N     after 20,000 requests, sleep for 1 ms after each N requests
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "../apps/check.h"
#include "../apps/clock.h"
#include "regionstat.h"

static unsigned long calls, outliers, nap_requests;
static unsigned long timer_us, growth_ns, outlier_ns = 2000000;
static int sleeps, works, handles, numbers;
static struct last {
	volatile unsigned long tid, begin;
} * last;
static __thread unsigned long number; /* of the thread's latest call */

static unsigned long now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Report the number of a call that has begun, and the number of the call around it. */
#define NUMBER(name, around)            \
	(void)(numbers ? ++number : 0); \
	unsigned long name = number;    \
	if (numbers)                    \
	REGIONSTAT_WORK(#name, name, around)

static void make_leaf(int is_outlier, unsigned long step)
{
	if (is_outlier && !growth_ns)
		printf("%lu\n", now_ns());
	REGIONSTAT_SCOPE("leaf");
	NUMBER(leaf, step);
	if (works)
		REGIONSTAT_WORK("leaf", 64, 8);
	if (sleeps)
		sleep_ns(1000000);
	unsigned long begin = is_outlier ? now_ns() : 0, now = begin;
	while (is_outlier && now < begin + outlier_ns)
		now = now_ns();
	if (is_outlier && growth_ns) {
		printf("%lu\n", now - begin);
		outlier_ns += growth_ns;
	}
}

static void make_request(int is_outlier, unsigned long thread)
{
	REGIONSTAT_SCOPE("request");
	NUMBER(request, thread);
	REGIONSTAT_BEGIN("step");
	NUMBER(step, request);
	make_leaf(is_outlier, step);
	REGIONSTAT_NEXT("step", "next");
	NUMBER(next, request);
	REGIONSTAT_END("next");
}

static void handle(int signal_number)
{
	(void)signal_number;
	REGIONSTAT_SCOPE("handler");
}

static void set_timer(unsigned long us, int repeats)
{
	struct itimerval timer = {
		.it_value = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)}};
	if (repeats)
		timer.it_interval = timer.it_value;
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void *work(void *index)
{
	REGIONSTAT_SCOPE("thread");
	bool is_first = index == NULL;
	struct last *mine = last ? last + (size_t)index : NULL;
	number = (size_t)index << 32;
	NUMBER(thread, 0);
	unsigned long every = outliers ? calls / outliers : 0;
	if (mine)
		mine->tid = (unsigned long)gettid();
	for (unsigned long i = 0; i < calls; i++) {
		unsigned long begin = mine ? now_ns() : 0;
		make_request(is_first && every && i % every == every / 2, thread);
		if (mine)
			mine->begin = begin;
		if (nap_requests && i >= 20000 && i % nap_requests == 0)
			sleep_ns(1000000);
		if (is_first && i == 0 && timer_us)
			set_timer(timer_us, handles);
	}
	return NULL;
}

static void *stop_all(void *started)
{
	struct regionstat_call *call = started;
	for (unsigned long i = 0; i < calls; i++)
		regionstat_stop(call[i]);
	return NULL;
}

static void cross_threads(void)
{
	struct regionstat_call *started = calloc(calls, sizeof(*started));
	for (unsigned long i = 0; i < calls; i++)
		started[i] = REGIONSTAT_START("async");
	on_thread(stop_all, started);
	free(started);
}

static void map_last(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, 4096) == 0)
		last = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Stop the parent, which is the launcher, and wait until it has stopped. */
static void stop_parent(void)
{
	char path[64], line[128], state = 0;
	kill(getppid(), SIGSTOP);
	snprintf(path, sizeof(path), "/proc/%d/status", getppid());
	while (state != 'T') {
		FILE *file = fopen(path, "r");
		while (fgets(line, sizeof(line), file))
			sscanf(line, "State: %c", &state);
		fclose(file);
	}
}

int main(int argc, char **argv)
{
	unsigned long n_threads = 1;
	int forks = 0, forks_within = 0, crosses = 0, stops = 0;
	for (int option; (option = getopt(argc, argv, "t:o:d:g:k:u:n:fFhaswpS")) >= 0;) {
		n_threads = option == 't' ? strtoul(optarg, NULL, 10) : n_threads;
		outliers = option == 'o' ? strtoul(optarg, NULL, 10) : outliers;
		outlier_ns = option == 'd' ? strtoul(optarg, NULL, 10) * 1000 : outlier_ns;
		growth_ns = option == 'g' ? strtoul(optarg, NULL, 10) : growth_ns;
		timer_us = option == 'u' ? strtoul(optarg, NULL, 10) : timer_us;
		nap_requests = option == 'n' ? strtoul(optarg, NULL, 10) : nap_requests;
		forks |= option == 'f' || option == 'F';
		forks_within |= option == 'F';
		handles |= option == 'h';
		crosses |= option == 'a';
		sleeps |= option == 's';
		works |= option == 'w';
		numbers |= option == 'p';
		stops |= option == 'S';
		if (option == 'k')
			map_last(optarg);
	}
	calls = strtoul(argv[optind], NULL, 10);
	if (handles)
		signal(SIGALRM, handle);
	if (stops)
		stop_parent();
	if (forks_within)
		REGIONSTAT_BEGIN("around");
	pid_t child = forks ? fork() : 0;
	/* the argument of each thread is its index */
	pthread_t *threads = start_threads(n_threads - 1, work, (void *)1, 1);
	if (crosses)
		cross_threads();
	else
		work(NULL);
	join_threads(n_threads - 1, threads);
	if (forks_within)
		REGIONSTAT_END("around");
	if (stops)
		kill(getppid(), SIGCONT);
	if (child > 0)
		waitpid(child, NULL, 0);
	return 0;
}
