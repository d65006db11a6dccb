/* SPDX-License-Identifier: MIT */
/*
 * Programs with a known number of instructions in every region, for multiplexed events:
 *
 * 	taking_turns lengths TINY SHORT MIDDLE LONG SKEWED
 * 	taking_turns sleeps CALLS
 * 	taking_turns threads THREADS CALLS
 * 	taking_turns preempted THREADS CALLS
 *
 * lengths: the arguments are numbers of calls. A call of "tiny" has 100 instructions, of "short"
 * 5,000, of "middle" 2 million (2 ms if one takes 1 ns), and of "long" 50 million. In "skewed",
 * every 100th call has 10 million and the others have 5,000. sleeps: "io" sleeps for 3.7 ms in
 * every call, "mixed" for 30 ms in every tenth call, and "work" never. A call of "io" takes no
 * multiple of the kernel's multiplexing interval of 4 ms. Otherwise each interval would begin in
 * the same part of a call. threads: all threads are on one CPU, and "outer" calls "inner". Every
 * other thread gives up the CPU after each call. preempted: as `threads`, while another thread
 * takes the CPU every 150 us.
 *
 * The program prints the true numbers, one line for each region. Separated by tabs, a line has the
 * region, its calls, the instructions of each call (0 if they differ), and those of all calls.
 */
#include <regionstat.h>

#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "../apps/check.h"
#include "instructions.h"

#define MAX_THREADS 64
#define TINY_PAIRS 50u
#define SHORT_PAIRS 2500u
#define MIDDLE_PAIRS 1000000u
#define LONG_PAIRS 25000000u
#define SKEWED_PAIRS 5000000u
#define WORK_PAIRS 500000u
#define LITTLE_PAIRS 1000u
#define INNER_PAIRS 500000u
#define AROUND_PAIRS 50000u

static long n_calls;

static void sleep_us(long us)
{
	const struct timespec pause = {.tv_nsec = us * 1000};
	if (us)
		nanosleep(&pause, NULL);
}

/* Define a function for each region, as in a real program. */
#define REGION(name)                                                              \
	static __attribute__((noinline)) void run_##name(uint64_t pairs, long us) \
	{                                                                         \
		REGIONSTAT_BEGIN(#name);                                          \
		sleep_us(us);                                                     \
		execute_instruction_pairs(pairs);                                 \
		REGIONSTAT_END(#name);                                            \
	}
REGION(io)
REGION(mixed)
REGION(work)

#define REGION_AWAKE(name)                                               \
	static __attribute__((noinline)) void run_##name(uint64_t pairs) \
	{                                                                \
		REGIONSTAT_BEGIN(#name);                                 \
		execute_instruction_pairs(pairs);                        \
		REGIONSTAT_END(#name);                                   \
	}
REGION_AWAKE(tiny)
REGION_AWAKE(short)
REGION_AWAKE(middle)
REGION_AWAKE(long)
REGION_AWAKE(skewed)
REGION_AWAKE(inner)

static __attribute__((noinline)) void run_outer(uint64_t pairs)
{
	REGIONSTAT_BEGIN("outer");
	run_inner(opaque_number(INNER_PAIRS));
	execute_instruction_pairs(pairs);
	REGIONSTAT_END("outer");
}

static void print_truth(const char *region, long calls, uint64_t each_pairs, uint64_t all_pairs)
{
	if (calls)
		printf("%s\t%ld\t%llu\t%llu\n", region, calls, 2 * (unsigned long long)each_pairs,
			2 * (unsigned long long)all_pairs);
}

static int lengths(char **counts)
{
	long tiny = atol(counts[0]), brief = atol(counts[1]), middle = atol(counts[2]);
	long lasting = atol(counts[3]), skewed = atol(counts[4]), n_large = 0;
	for (long i = 0; i < tiny; i++)
		run_tiny(opaque_number(TINY_PAIRS));
	for (long i = 0; i < brief; i++)
		run_short(opaque_number(SHORT_PAIRS));
	for (long i = 0; i < middle; i++)
		run_middle(opaque_number(MIDDLE_PAIRS));
	for (long i = 0; i < lasting; i++)
		run_long(opaque_number(LONG_PAIRS));
	for (long i = 0; i < skewed; i++) {
		n_large += i % 100 == 50;
		run_skewed(opaque_number(i % 100 == 50 ? SKEWED_PAIRS : SHORT_PAIRS));
	}
	print_truth("tiny", tiny, TINY_PAIRS, (uint64_t)tiny * TINY_PAIRS);
	print_truth("short", brief, SHORT_PAIRS, (uint64_t)brief * SHORT_PAIRS);
	print_truth("middle", middle, MIDDLE_PAIRS, (uint64_t)middle * MIDDLE_PAIRS);
	print_truth("long", lasting, LONG_PAIRS, (uint64_t)lasting * LONG_PAIRS);
	print_truth("skewed", skewed, 0,
		(uint64_t)n_large * SKEWED_PAIRS + (uint64_t)(skewed - n_large) * SHORT_PAIRS);
	return 0;
}

/* The truth does not include nanosleep(2)'s own instructions in user mode, some for each call. */
static int sleeps(long calls)
{
	uint64_t n_asleep = 0;
	for (long i = 0; i < calls; i++)
		run_io(opaque_number(WORK_PAIRS), 3700);
	for (long i = 0; i < calls; i++) {
		n_asleep += i % 10 == 0;
		run_mixed(opaque_number(i % 10 ? MIDDLE_PAIRS : LITTLE_PAIRS), i % 10 ? 0 : 30000);
	}
	for (long i = 0; i < calls; i++)
		run_work(opaque_number(WORK_PAIRS), 0);
	print_truth("io", calls, 0, (uint64_t)calls * WORK_PAIRS);
	print_truth("mixed", calls, 0,
		n_asleep * LITTLE_PAIRS + ((uint64_t)calls - n_asleep) * MIDDLE_PAIRS);
	print_truth("work", calls, 0, (uint64_t)calls * WORK_PAIRS);
	return 0;
}

static void *run_thread(void *number)
{
	for (long i = 0; i < n_calls; i++) {
		run_outer(opaque_number(AROUND_PAIRS));
		if (*(int *)number % 2)
			sched_yield();
	}
	return NULL;
}

static int threads(int n_threads, long calls)
{
	int numbers[MAX_THREADS];
	n_calls = calls;
	for (int i = 0; i < n_threads; i++)
		numbers[i] = i;
	on_threads((size_t)n_threads, run_thread, numbers, sizeof(numbers[0]));
	calls *= n_threads;
	print_truth("outer", calls, 0, (uint64_t)calls * (INNER_PAIRS + AROUND_PAIRS));
	print_truth("inner", calls, INNER_PAIRS, (uint64_t)calls * INNER_PAIRS);
	return 0;
}

static void *take_the_cpu(void *unused)
{
	for (;;)
		sleep_us(150);
	return unused;
}

/* Another thread takes the CPU from the first marker on, so also while the overhead is
 * calibrated. */
static int preempted(int n_threads, long calls)
{
	const struct sched_param first = {.sched_priority = 1};
	pthread_t id;
	CHECK(!pthread_create(&id, NULL, take_the_cpu, NULL) &&
		!pthread_setschedparam(id, SCHED_FIFO, &first));
	return threads(n_threads, calls);
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "lengths"))
		return lengths(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "sleeps"))
		return sleeps(atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "threads") && atoi(argv[2]) <= MAX_THREADS)
		return threads(atoi(argv[2]), atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "preempted") && atoi(argv[2]) <= MAX_THREADS)
		return preempted(atoi(argv[2]), atol(argv[3]));
	return 2;
}
