/* SPDX-License-Identifier: MIT */
/*
 * sampled ROUNDS CALLS SLEEPS THREADS BURNERS: on two CPUs, beside BURNERS busy processes, each of
 * THREADS threads calls "work" within "outer" CALLS times. A call takes ROUNDS, twice or three
 * times as many rounds of work, by a random number. SLEEPS of the calls, evenly spread, also sleep
 * for 20 ms. The program prints `work CALLS NS CPU_NS`: the calls of all threads, their time, and
 * their on-CPU time. NS is measured by the program's clock within the calls. It is 0 if no call
 * sleeps, because reading the clock takes time. CPU_NS is the CPU time of the same work without
 * markers, which each thread does first.
 */
#include <regionstat.h>

#include "../stats/random.h"
#include "burners.h"
#include "truth.h"

#define MOST_THREADS 64

struct thread {
	_Alignas(64) uint64_t state; /* state of the random numbers; no other thread's cache line */
	uint64_t sum_ns;
	uint64_t cpu_ns;
};

static uint64_t n_rounds, n_calls, n_sleeps;
static struct thread threads[MOST_THREADS];

/* The value is in a register. In memory, each call without markers would wait for the store of the
 * call before. With markers it would not, because they take longer than the store. */
static uint64_t call(struct thread *thread, uint64_t index, uint64_t value)
{
	uint64_t rounds = n_rounds * (1 + random_next(&thread->state) % 3);
	REGIONSTAT_BEGIN("work");
	uint64_t since_ns = n_sleeps > 0 ? truth_now_ns() : 0;
	value = truth_work_on(value, rounds);
	if (n_sleeps > 0 && index % (n_calls / n_sleeps) == n_calls / n_sleeps - 1)
		sleep_ns(20000000);
	if (n_sleeps > 0)
		thread->sum_ns += truth_now_ns() - since_ns;
	REGIONSTAT_END("work");
	return value;
}

static void *run(void *context)
{
	struct thread *thread = context;
	uint64_t value = 0, state = thread->state, since_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t i = 0; i < n_calls; i++)
		value = truth_work_on(value, n_rounds * (1 + random_next(&thread->state) % 3));
	thread->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - since_ns;
	thread->state = state; /* repeat the same random numbers */
	REGIONSTAT_SCOPE("outer");
	for (uint64_t i = 0; i < n_calls; i++)
		value = call(thread, i, value);
	return NULL;
}

int main(int argc, char **argv)
{
	pid_t burners[MOST_THREADS];
	double sum_ns = 0, all_cpu_ns = 0;
	CHECK(argc == 6);
	uint64_t n_threads = strtoull(argv[4], NULL, 10), n_burners = strtoull(argv[5], NULL, 10);
	CHECK(n_threads <= MOST_THREADS && n_burners <= MOST_THREADS);
	n_rounds = strtoull(argv[1], NULL, 10);
	n_calls = strtoull(argv[2], NULL, 10);
	n_sleeps = strtoull(argv[3], NULL, 10);
	use_cpus(2);
	start_burners(burners, (int)n_burners);
	for (uint64_t i = 0; i < n_threads; i++)
		threads[i].state = 1000003u * (i + 1) + (uint64_t)getpid();
	on_threads(n_threads, run, threads, sizeof(threads[0]));
	for (uint64_t i = 0; i < n_threads; i++) {
		sum_ns += (double)threads[i].sum_ns;
		all_cpu_ns += (double)threads[i].cpu_ns;
	}
	stop_burners(burners, (int)n_burners);
	printf("work %llu %.0f %.0f\n", (unsigned long long)(n_calls * n_threads), sum_ns,
		all_cpu_ns);
	return 0;
}
