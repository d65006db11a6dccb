/* SPDX-License-Identifier: MIT */
/*
 * switches WHAT: calls of which some sleep, lose their CPU to other processes, or run a signal
 * handler. For each region the program prints the kernel's counts, for comparison in the test:
 *
 *   REGION calls N least L most M
 *
 * L calls had a context switch between their markers, and M between the time before BEGIN and the
 * time after END (getrusage(2), RUSAGE_THREAD). So a report must have between L and M calls with a
 * context switch, except for switches that the kernel makes on its own. Because of these, the
 * program also prints its run time as `ms T`.
 */
#include <regionstat.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

#include "check.h"
#include "clock.h"

#define MS 1000000u

struct tally {
	unsigned long calls, least, most;
};

static unsigned long switches(void)
{
	struct rusage usage;
	CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
	return (unsigned long)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static void spin(unsigned long steps)
{
	for (volatile unsigned long i = 0; i < steps; i++)
		;
}

static void add(struct tally *sum, const struct tally *other)
{
	__atomic_fetch_add(&sum->calls, other->calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->least, other->least, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->most, other->most, __ATOMIC_RELAXED);
}

static void tell(const char *region, const struct tally *tally)
{
	printf("%s calls %lu least %lu most %lu\n", region, tally->calls, tally->least,
		tally->most);
}

/* Run statements between begin and end, as one call. */
#define CALL(tally, begin, end, ...)                    \
	do {                                            \
		unsigned long before_ = switches();     \
		begin;                                  \
		unsigned long begun_ = switches();      \
		__VA_ARGS__;                            \
		unsigned long ended_ = switches();      \
		end;                                    \
		(tally)->calls++;                       \
		(tally)->least += ended_ != begun_;     \
		(tally)->most += switches() != before_; \
	} while (0)

/* Make one call that sleeps if ns is not 0, and then spins. */
static void call(const char *region, struct tally *tally, uint64_t ns, unsigned long steps)
{
	CALL(tally, regionstat_begin(region), regionstat_end(region), if (ns) sleep_ns(ns);
		spin(steps));
}

/* Make one call that sleeps if ns is not 0, by markers with sites, which use the fast path. */
static void call_io(struct tally *tally, uint64_t ns)
{
	CALL(tally, REGIONSTAT_BEGIN("io"), REGIONSTAT_END("io"), if (ns) sleep_ns(ns));
}

/* Make n calls, of which every `every`th one sleeps. */
static void call_often(int n, int every, uint64_t ns)
{
	struct tally tally = {0};
	for (int i = 1; i <= n; i++)
		call_io(&tally, i % every ? 0 : ns);
	tell("io", &tally);
}

static void sleeps(void)
{
	call_often(20000, 200, 20000);
}

/* Make a few long sleeps, longer than all others. */
static void long_sleeps(void)
{
	call_often(400, 100, 150 * MS);
}

static void halves(void)
{
	call_often(4000, 2, 20000);
}

static struct tally of_threads;

static void *sleep_in_thread(void *data)
{
	struct tally tally = {0};
	(void)data;
	for (int i = 1; i <= 2000; i++)
		call_io(&tally, i % 200 ? 0 : 20000);
	add(&of_threads, &tally);
	return NULL;
}

static void *spin_in_thread(void *data)
{
	struct tally tally = {0};
	(void)data;
	for (int i = 0; i < 30; i++)
		call("spin", &tally, 0, 500000);
	add(&of_threads, &tally);
	return NULL;
}

static void threads(void)
{
	on_threads(8, sleep_in_thread, NULL, 0);
	tell("io", &of_threads);
}

static void neighbours(void)
{
	on_threads(6, spin_in_thread, NULL, 0);
	tell("spin", &of_threads);
}

static void *live_shortly(void *data)
{
	struct tally tally = {0};
	(void)data;
	call_io(&tally, 0);
	call_io(&tally, 100000);
	add(&of_threads, &tally);
	return NULL;
}

/* End threads, so that their memory and slots are reused. */
static void ends(void)
{
	for (int i = 0; i < 60; i++)
		on_threads(2, live_shortly, NULL, 0);
	tell("io", &of_threads);
}

/* The call around a sleep has a switch, and the calls beside it have none. */
static void nested(void)
{
	struct tally all[5] = {{0}};
	static const char *const names[] = {"outer", "quick", "slow", "next", "beside"};
	for (int i = 0; i < 50; i++) {
		CALL(&all[0], REGIONSTAT_BEGIN("outer"), REGIONSTAT_END("outer"),
			call("quick", &all[1], 0, 10);
			call("slow", &all[2], 50000, 10));
		unsigned long before = switches();
		REGIONSTAT_BEGIN("next");
		unsigned long begun = switches();
		sleep_ns(50000);
		unsigned long middle = switches();
		REGIONSTAT_NEXT("next", "beside");
		unsigned long after = switches();
		spin(10);
		unsigned long ended = switches();
		REGIONSTAT_END("beside");
		all[3].least += middle != begun;
		all[3].most += after != before;
		all[4].least += ended != after;
		all[4].most += switches() != middle;
		all[3].calls++, all[4].calls++;
	}
	for (int i = 0; i < 5; i++)
		tell(names[i], &all[i]);
}

/* Each child prints its own switches, and the parent prints its own. */
static void forks(void)
{
	struct tally tally = {0};
	call_io(&tally, 20000);
	for (int i = 0; i < 4; i++) {
		if (fork_and_wait()) {
			tally = (struct tally){0};
			for (int n = 0; n < 100; n++)
				call_io(&tally, n % 10 ? 0 : 20000);
			tell("io", &tally);
			fflush(stdout);
			_exit(0);
		}
		call_io(&tally, 20000);
	}
	tell("io", &tally);
}

/* Call vfork(). Its caller waits for the child, which has the same memory and no rseq(2) area. */
static __attribute__((noinline)) pid_t sleep_in_child(void)
{
	pid_t pid = vfork();
	if (pid == 0) {
		sleep_ns(20000);
		_exit(0);
	}
	return pid;
}

static void vforks(void)
{
	struct tally tally = {0};
	for (int i = 1; i <= 400; i++) {
		pid_t pid;
		CALL(&tally, REGIONSTAT_BEGIN("io"), REGIONSTAT_END("io"),
			pid = i % 10 ? 0 : sleep_in_child());
		if (pid)
			wait_for(pid);
	}
	tell("io", &tally);
}

static volatile int n_handled;

static void handle(int number)
{
	(void)number;
	REGIONSTAT_BEGIN("handler");
	n_handled++;
	REGIONSTAT_END("handler");
}

/* A handler with markers in each call of "around". That call is interrupted, and later calls are
 * not affected. */
static void signals(void)
{
	struct tally tally = {0}, quiet = {0};
	CHECK(signal(SIGUSR1, handle) != SIG_ERR);
	for (int i = 0; i < 300; i++) {
		CALL(&tally, REGIONSTAT_BEGIN("around"), REGIONSTAT_END("around"), raise(SIGUSR1));
		call("quiet", &quiet, 0, 10);
	}
	tell("around", &tally);
	tell("quiet", &quiet);
	printf("handled %d\n", n_handled);
}

static struct regionstat_call handed;

static void *stop_it(void *data)
{
	(void)data;
	regionstat_stop(handed);
	return NULL;
}

/* Asynchronous calls that end on the thread that started them, and one that does not. */
static void asynchronous(void)
{
	struct tally here = {0};
	for (int i = 1; i <= 100; i++) {
		struct regionstat_call one;
		CALL(&here, one = REGIONSTAT_START("here"), regionstat_stop(one),
			if (i % 10 == 0) sleep_ns(20000));
	}
	handed = REGIONSTAT_START("elsewhere");
	on_thread(stop_it, NULL);
	tell("here", &here);
}

static const struct how hows[] = {{"sleeps", sleeps}, {"long", long_sleeps}, {"threads", threads},
	{"neighbours", neighbours}, {"ends", ends}, {"nested", nested}, {"forks", forks},
	{"signals", signals}, {"async", asynchronous}, {"halves", halves}, {"vforks", vforks}};

int main(int argc, char **argv)
{
	const struct how *how = FIND_HOW(hows, argv[1]);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	(void)argc;
	how->run();
	printf("ms %llu\n", (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / MS);
	return 0;
}
