/* SPDX-License-Identifier: MIT */
/*
 * estimated SHAPE THREADS CALLS FAULTS RARE RARE_FAULTS: each of THREADS threads calls "outer"
 * CALLS times. With the SHAPE `nest`, outer calls middle three times, and middle calls inner three
 * times. With `recursion`, outer calls itself up to three times. With `flat`, it does neither. A
 * call has up to 2 * FAULTS page faults by a random number. One of RARE calls of outer, on average,
 * has RARE_FAULTS more; with `nest`, they are in one more call of inner. For each region the
 * program prints `NAME CALLS FAULTS`. The faults of a call within a call of the same region count
 * once.
 */
#include <stdbool.h>
#include <stdint.h>

#include <regionstat.h>

#include "../stats/random.h"
#include "check.h"
#include "touch.h"

#define MOST_THREADS 64
#define PAGE_BYTES 4096
#define N_PAGES 8192u
enum { OUTER, MIDDLE, INNER, N };

struct thread {
	uint64_t state; /* state of the random numbers */
	volatile char *pages;
	uint64_t n_touched; /* of the pages */
	uint64_t faults; /* all so far */
	struct {
		uint64_t open, calls, faults;
	} regions[N];
};

static const char *shape;
static uint64_t n_calls, most_faults, rare, rare_faults;
static struct thread threads[MOST_THREADS];

static void fault(struct thread *thread, uint64_t n)
{
	if (thread->n_touched + n > N_PAGES) {
		madvise((void *)thread->pages, N_PAGES * PAGE_BYTES, MADV_DONTNEED);
		thread->n_touched = 0;
	}
	touch(thread->pages + thread->n_touched * PAGE_BYTES, n, PAGE_BYTES);
	thread->n_touched += n;
	thread->faults += n;
}

/* Run one call of a region: its faults, and the statements after the name. */
#define CALL(level, name, ...)                                                     \
	do {                                                                       \
		REGIONSTAT_BEGIN(name);                                            \
		uint64_t before_ = thread->faults;                                 \
		thread->regions[level].calls++;                                    \
		thread->regions[level].open++;                                     \
		fault(thread, random_next(&thread->state) % most_faults);          \
		__VA_ARGS__;                                                       \
		if (--thread->regions[level].open == 0)                            \
			thread->regions[level].faults += thread->faults - before_; \
		REGIONSTAT_END(name);                                              \
	} while (0)

static void inner(struct thread *thread, uint64_t more)
{
	CALL(INNER, "inner", fault(thread, more));
}

static void middle(struct thread *thread)
{
	CALL(MIDDLE, "middle", for (int i = 0; i < 3; i++) inner(thread, 0));
}

static void outer(struct thread *thread, uint64_t depth)
{
	uint64_t more = rare > 0 && random_next(&thread->state) % rare == 0 ? rare_faults : 0;
	bool nests = shape[0] == 'n';
	CALL(OUTER, "outer", fault(thread, nests ? 0 : more);
		if (nests && more > 0) inner(thread, more); if (depth > 0) outer(thread, depth - 1);
		for (int i = 0; i < 3 && nests; i++) middle(thread));
}

static void *run(void *context)
{
	struct thread *thread = context;
	thread->pages = fresh_pages(N_PAGES * PAGE_BYTES);
	for (uint64_t i = 0; i < n_calls; i++)
		outer(thread, shape[0] == 'r' ? random_next(&thread->state) % 4 : 0);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const names[N] = {"outer", "middle", "inner"};
	CHECK(argc == 7);
	uint64_t n_threads = strtoull(argv[2], NULL, 10);
	CHECK(n_threads <= MOST_THREADS);
	shape = argv[1];
	n_calls = strtoull(argv[3], NULL, 10);
	most_faults = 2 * strtoull(argv[4], NULL, 10) + 1;
	rare = strtoull(argv[5], NULL, 10);
	rare_faults = strtoull(argv[6], NULL, 10);
	for (uint64_t i = 0; i < n_threads; i++)
		threads[i].state = 1000003u * (i + 1) + (uint64_t)getpid();
	on_threads(n_threads, run, threads, sizeof(threads[0]));
	for (int level = 0; level < N; level++) {
		uint64_t calls = 0, faults = 0;
		for (uint64_t i = 0; i < n_threads; i++) {
			calls += threads[i].regions[level].calls;
			faults += threads[i].regions[level].faults;
		}
		printf("%s %llu %llu\n", names[level], (unsigned long long)calls,
			(unsigned long long)faults);
	}
	return 0;
}
