/* SPDX-License-Identifier: MIT */
/*
 * overhead KIND STEPS CALLS ROUNDS: does the same dependent work without and with markers, ROUNDS
 * times each, alternately, and prints `round,calls,unmarked_ns,marked_ns` of the process's CPU
 * time. STEPS: the steps of work in a call, each about 1 ns. CALLS: the calls in a round. KIND:
 *   one       one region
 *   many      64 regions, each with code of its own, one after the other
 *   nested    an "outer" call around each 100 calls of one region
 *   next      two regions in turn, by NEXT
 *   started   one region, by START and STOP
 *   worked    one region, with WORK
 *   recursive one region, every second call within another one
 *   tree      one region, each call with two calls within it, except the innermost
 *   asleep    one region, each call with a sleep of 50 us after the work
 *   threads   CALLS threads one after the other, each with 4 calls
 * Compare regionstat's overhead of this run with the difference.
 */
#include <regionstat.h>

#include "../apps/check.h"
#include "../apps/clock.h"

#define CALLS_IN_OUTER 100
#define CALLS_OF_THREAD 4

static unsigned steps;

/* The value of the last step. No step can begin before the one before it has ended. */
static __thread uint64_t word = 3;

static inline __attribute__((always_inline)) void work(void)
{
	uint64_t value = word;
	for (unsigned i = 0; i < steps; i++) {
		value *= UINT64_C(0x9e3779b97f4a7c15);
		__asm__ volatile("" : "+r"(value));
	}
	word = value;
}

/* Execute a marker, or in the unmarked variant let the compiler forget what memory holds, as any
 * function call does. Otherwise only the marked work would keep its word in memory. */
#define MARK(marked, marker)                               \
	do {                                               \
		if (marked)                                \
			marker;                            \
		else                                       \
			__asm__ volatile("" ::: "memory"); \
	} while (0)

/* Define a call of one region with its own code. marked is a constant where this is expanded. */
#define CALL(name, marked)                            \
	do {                                          \
		MARK(marked, REGIONSTAT_BEGIN(name)); \
		work();                               \
		MARK(marked, REGIONSTAT_END(name));   \
	} while (0)
#define CALL_8(name, marked)            \
	do {                            \
		CALL(name "0", marked); \
		CALL(name "1", marked); \
		CALL(name "2", marked); \
		CALL(name "3", marked); \
		CALL(name "4", marked); \
		CALL(name "5", marked); \
		CALL(name "6", marked); \
		CALL(name "7", marked); \
	} while (0)
#define CALL_64(name, marked)             \
	do {                              \
		CALL_8(name "0", marked); \
		CALL_8(name "1", marked); \
		CALL_8(name "2", marked); \
		CALL_8(name "3", marked); \
		CALL_8(name "4", marked); \
		CALL_8(name "5", marked); \
		CALL_8(name "6", marked); \
		CALL_8(name "7", marked); \
	} while (0)

#define LOOP static __attribute__((noinline, aligned(64))) void

/* Define both variants of a kind from one source. */
#define VARIANTS(kind)                   \
	LOOP kind##_unmarked(uint64_t n) \
	{                                \
		kind(n, 0);              \
	}                                \
	LOOP kind##_marked(uint64_t n)   \
	{                                \
		kind(n, 1);              \
	}

static inline __attribute__((always_inline)) void one(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i++)
		CALL("region", marked);
}
VARIANTS(one)

static inline __attribute__((always_inline)) void many(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i += 64)
		CALL_64("region ", marked);
}
VARIANTS(many)

static inline __attribute__((always_inline)) void nested(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i += CALLS_IN_OUTER) {
		MARK(marked, REGIONSTAT_BEGIN("outer"));
		for (int k = 0; k < CALLS_IN_OUTER; k++)
			CALL("inner", marked);
		MARK(marked, REGIONSTAT_END("outer"));
	}
}
VARIANTS(nested)

static inline __attribute__((always_inline)) void next(uint64_t n, int marked)
{
	MARK(marked, REGIONSTAT_BEGIN("even"));
	for (uint64_t i = 0; i < n; i += 2) {
		work();
		MARK(marked, REGIONSTAT_NEXT("even", "odd"));
		work();
		MARK(marked, REGIONSTAT_NEXT("odd", "even"));
	}
	MARK(marked, REGIONSTAT_END("even"));
}
VARIANTS(next)

static inline __attribute__((always_inline)) void started(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i++) {
		struct regionstat_call call = {{0}};
		MARK(marked, call = REGIONSTAT_START("region"));
		work();
		MARK(marked, regionstat_stop(call));
	}
}
VARIANTS(started)

static inline __attribute__((always_inline)) void worked(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i++) {
		MARK(marked, REGIONSTAT_BEGIN("region"));
		work();
		MARK(marked, REGIONSTAT_WORK("region", 64, 2));
		MARK(marked, REGIONSTAT_END("region"));
	}
}
VARIANTS(worked)

static inline __attribute__((always_inline)) void recursive(uint64_t n, int marked)
{
	for (uint64_t i = 0; i < n; i += 2) {
		MARK(marked, REGIONSTAT_BEGIN("region"));
		work();
		CALL("region", marked);
		MARK(marked, REGIONSTAT_END("region"));
	}
}
VARIANTS(recursive)

/* Do n calls, the first around all others. n is a power of 2 minus 1. */
#define TREE(name, marked)                                                  \
	static __attribute__((noinline, aligned(64))) void name(uint64_t n) \
	{                                                                   \
		MARK(marked, REGIONSTAT_BEGIN("region"));                   \
		work();                                                     \
		if (n > 1) {                                                \
			name(n / 2);                                        \
			name(n / 2);                                        \
		}                                                           \
		MARK(marked, REGIONSTAT_END("region"));                     \
	}
TREE(tree_unmarked, 0)
TREE(tree_marked, 1)

static inline __attribute__((always_inline)) void asleep(uint64_t n, int marked)
{
	const struct timespec nap = {0, 50000};
	for (uint64_t i = 0; i < n; i++) {
		MARK(marked, REGIONSTAT_BEGIN("region"));
		work();
		nanosleep(&nap, NULL);
		MARK(marked, REGIONSTAT_END("region"));
	}
}
VARIANTS(asleep)

static void *live_unmarked(void *none)
{
	one_unmarked(CALLS_OF_THREAD);
	return none;
}

static void *live_marked(void *none)
{
	one_marked(CALLS_OF_THREAD);
	return none;
}

static void live(uint64_t n, void *(*life)(void *))
{
	for (uint64_t i = 0; i < n; i++)
		on_thread(life, NULL);
}

static void threads_unmarked(uint64_t n)
{
	live(n, live_unmarked);
}

static void threads_marked(uint64_t n)
{
	live(n, live_marked);
}

int main(int argc, char **argv)
{
#define KIND(name)                                    \
	{                                             \
#name, name##_unmarked, name##_marked \
	}
	static const struct {
		const char *name;
		void (*unmarked)(uint64_t n);
		void (*marked)(uint64_t n);
	} kinds[] = {KIND(one), KIND(many), KIND(nested), KIND(next), KIND(started), KIND(worked),
		KIND(recursive), KIND(tree), KIND(asleep), KIND(threads)};
	for (size_t i = 0; argc == 5 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		uint64_t calls = strtoull(argv[3], NULL, 10);
		unsigned long rounds = strtoul(argv[4], NULL, 10);
		steps = (unsigned)strtoul(argv[2], NULL, 10);
		for (unsigned long round = 0; round < rounds; round++) {
			uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
			kinds[i].unmarked(calls);
			uint64_t middle = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
			kinds[i].marked(calls);
			uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
			printf("%lu,%llu,%llu,%llu\n", round, (unsigned long long)calls,
				(unsigned long long)(middle - begin),
				(unsigned long long)(end - middle));
		}
		return 0;
	}
	fputs("usage: overhead KIND STEPS CALLS ROUNDS\n", stderr);
	return 2;
}
