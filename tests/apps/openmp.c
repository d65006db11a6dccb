/* SPDX-License-Identifier: MIT */
/*
 * openmp HOW N: OpenMP's constructs, and their times by the program's own clocks, read just within
 * and just around them. Every construct stands on a line of its own, because reports name it by
 * that line. HOW:
 *
 *   times    N rounds of all constructs around which a clock can be read, 4 threads
 *   nested   nested parallel regions, N levels of 2 threads, with worksharing in each part; prints
 *            the number of parts
 *   tasks    N rounds of taskloops and teams
 *   fork     N loops before a fork, in the child, and after the fork
 */
#include <omp.h>

#include "check.h"
#include "truth.h"

#define THREADS 4

enum what { PARALLEL, LOOP, SECTIONS, SINGLE, MASKED, BARRIER, N_WHATS };
static const char *const names[N_WHATS] = {"parallel times", "loop times", "sections times",
	"single times", "masked times", "OpenMP barrier"};
static struct truth truths[N_WHATS][THREADS];
/* Time until the barrier. There are two, with the one that ends the region. */
static uint64_t come_ns[THREADS];
static int n;

static void print_all(void)
{
	for (int i = 0; i < N_WHATS; i++)
		for (int t = 0; t < THREADS; t++)
			if (truths[i][t].calls)
				truth_print(names[i], &truths[i][t]);
}

/* The first and the last statement of each body. A thread without a part in a construct has no
 * time. */
#define WITHIN(truth, ...)                                        \
	do {                                                      \
		uint64_t within_ns = truth_enter(&truth->within); \
		__VA_ARGS__;                                      \
		truth_leave(&truth->within, within_ns);           \
	} while (0)

static void loop(struct truth *truth)
{
	uint64_t since_ns = truth_enter(&truth->around);
#pragma omp for schedule(static, 1) nowait /* loop times */
	for (int i = 0; i < THREADS; i++)
		WITHIN(truth, truth_work(20000));
	truth_leave(&truth->around, since_ns);
	truth->calls++;
}

static void sections(struct truth *truth)
{
	uint64_t since_ns = truth_enter(&truth->around);
#pragma omp sections nowait /* sections times */
	{
#pragma omp section
		WITHIN(truth, truth_work(10000));
#pragma omp section
		WITHIN(truth, truth_work(20000));
	}
	truth_leave(&truth->around, since_ns);
	truth->calls++;
}

/* Work on the one thread that executes a construct. since_ns: before the construct. */
static void work_alone(struct truth *truth, uint64_t since_ns)
{
	truth->around.since_ns = since_ns;
	truth->around.n_open = 1;
	truth->calls++;
	WITHIN(truth, truth_work(20000));
}

static void single(struct truth *truth)
{
	uint64_t since_ns = truth_now_ns();
#pragma omp single nowait /* single times */
	work_alone(truth, since_ns);
	if (truth->around.n_open)
		truth_leave(&truth->around, since_ns);
}

static void masked(struct truth *truth)
{
	uint64_t since_ns = truth_now_ns();
#pragma omp master /* masked times */
	work_alone(truth, since_ns);
	if (truth->around.n_open)
		truth_leave(&truth->around, since_ns);
}

/* No thread leaves before the last one arrives, so each has waited at least until then. The
 * parallel region ends between barriers, so all have left before any arrives again. */
static void barrier(struct truth *truth, int t)
{
	truth_work(t == 1 ? 100000 : 10);
	uint64_t since_ns = truth_enter(&truth->around), last_ns = 0;
	come_ns[t] = truth_now_ns();
#pragma omp barrier
	truth_leave(&truth->around, since_ns);
	truth->calls++;
	for (int i = 0; i < THREADS; i++)
		last_ns = come_ns[i] > last_ns ? come_ns[i] : last_ns;
	truth->within.sum_ns += last_ns - come_ns[t];
}

__attribute__((noinline)) static void times(void)
{
	struct truth *parallel = &truths[PARALLEL][0];
	printf("process %d\n", (int)getpid());
	for (int i = 0; i < n; i++) {
		uint64_t since_ns = truth_enter(&parallel->around);
#pragma omp parallel num_threads(THREADS) /* parallel times */
		{
			int t = omp_get_thread_num();
			uint64_t within_ns = t == 0 ? truth_enter(&parallel->within) : 0;
			loop(&truths[LOOP][t]);
			sections(&truths[SECTIONS][t]);
			single(&truths[SINGLE][t]);
			masked(&truths[MASKED][t]);
			barrier(&truths[BARRIER][t], t);
			if (t == 0)
				truth_leave(&parallel->within, within_ns);
		}
		truth_leave(&parallel->around, since_ns);
		parallel->calls++;
	}
}

/* ---- counts ---- */

static _Atomic int n_parts;

__attribute__((noinline)) static void nest(int depth)
{
#pragma omp parallel num_threads(2) /* parallel nested */
	{
#pragma omp for /* loop nested */
		for (int i = 0; i < 2; i++)
			truth_work(10);
#pragma omp sections /* sections nested */
		{
#pragma omp section
			truth_work(10);
#pragma omp section
			truth_work(10);
		}
#pragma omp single /* single nested */
		truth_work(10);
		n_parts++;
		if (depth > 1)
			nest(depth - 1);
	}
}

static void nested(void)
{
	omp_set_max_active_levels(16);
	nest(n);
	printf("parts %d\n", n_parts);
}

/* Each of four tasks of a taskloop contains another taskloop. */
__attribute__((noinline)) static void taskloops(void)
{
#pragma omp parallel num_threads(THREADS) /* parallel tasks */
#pragma omp single /* single tasks */
	{
#pragma omp taskloop num_tasks(4)
		for (int i = 0; i < 4; i++) {
#pragma omp taskloop num_tasks(2)
			for (int k = 0; k < 2; k++)
				truth_work(10);
		}
#pragma omp taskwait
	}
}

__attribute__((noinline)) static void teams(void)
{
#pragma omp teams num_teams(2) /* teams */
#pragma omp distribute parallel for num_threads(1) /* distribute */
	for (int i = 0; i < 8; i++)
		truth_work(10);
}

static void tasks(void)
{
	for (int i = 0; i < n; i++) {
		taskloops();
		teams();
	}
}

__attribute__((noinline)) static void loops(void)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel for num_threads(THREADS) /* parallel fork */
		for (int k = 0; k < 100; k++)
			truth_work(10);
	}
}

static void fork_and_loop(void)
{
	loops();
	pid_t child = fork_flushed();
	loops();
	if (child == 0)
		exit(0);
	wait_for(child);
}

int run_openmp(int argc, char **argv);
int run_openmp(int argc, char **argv)
{
	static const struct how hows[] = {
		{"times", times}, {"nested", nested}, {"tasks", tasks}, {"fork", fork_and_loop}};
	const struct how *how = FIND_HOW(hows, argv[1]);
	n = argc > 2 ? atoi(argv[2]) : 1;
	how->run();
	print_all();
	return 0;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	return run_openmp(argc, argv);
}
#endif
