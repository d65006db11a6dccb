/* SPDX-License-Identifier: MIT */
/*
 * Page faults, whose number is exact: the first access to each page of fresh anonymous memory is
 * one fault.
 */

#include "../check.h"
#include "pages.h"
#include "rules.h"

#define MOST_SCOPES 8

/* Make n calls of "touch" with exactly k faults each, and n calls of "idle" without faults. */
static int faults(char **arguments)
{
	unsigned long n = number_of(arguments[0]), k = number_of(arguments[1]);
	volatile unsigned char *pages = map_pages(n * k);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("touch");
		touch_pages(pages + i * k * PAGE_BYTES, k);
		REGIONSTAT_END("touch");
		REGIONSTAT_BEGIN("idle");
		touch_pages(pages + i * k * PAGE_BYTES, k);
		REGIONSTAT_END("idle");
	}
	return 0;
}

/* Make the same calls with NEXT between the two regions. */
static int faults_next(char **arguments)
{
	unsigned long n = number_of(arguments[0]), k = number_of(arguments[1]);
	volatile unsigned char *pages = map_pages(n * k);
	warm_up_faults();
	REGIONSTAT_BEGIN("idle");
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_NEXT("idle", "touch");
		touch_pages(pages + i * k * PAGE_BYTES, k);
		REGIONSTAT_NEXT("touch", "idle");
	}
	REGIONSTAT_END("idle");
	return 0;
}

struct turns {
	pthread_mutex_t mutex; /* makes the threads run one after the other */
	pthread_barrier_t all_done;
	unsigned long n, k;
};

static void *fault_in_turn(void *argument)
{
	struct turns *turns = argument;
	volatile unsigned char *pages = map_pages(turns->n * turns->k);
	pthread_mutex_lock(&turns->mutex);
	for (unsigned long i = 0; i < turns->n; i++) {
		REGIONSTAT_BEGIN("touch");
		touch_pages(pages + i * turns->k * PAGE_BYTES, turns->k);
		REGIONSTAT_END("touch");
	}
	pthread_mutex_unlock(&turns->mutex);
	pthread_barrier_wait(&turns->all_done);
	return NULL;
}

/* Run t threads with n calls of k faults each. All threads are alive until the end. */
static int faults_of_threads(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]);
	struct turns turns = {.mutex = PTHREAD_MUTEX_INITIALIZER,
		.n = number_of(arguments[1]),
		.k = number_of(arguments[2])};
	pthread_barrier_init(&turns.all_done, NULL, (unsigned int)n_threads);
	on_threads(n_threads, fault_in_turn, &turns, 0);
	return 0;
}

/* Make n calls of "rising". Call i has i faults, for i from 0 to n - 1, so that arithmetic gives
 * the distribution. */
static int faults_rising(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	volatile unsigned char *pages = map_pages(n * (n + 1) / 2);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("rising");
		touch_pages(pages, i);
		REGIONSTAT_END("rising");
		pages += i * PAGE_BYTES;
	}
	return 0;
}

/* Give "outer" `own` faults of its own, in addition to those of "inner" within it. */
static int faults_nested(char **arguments)
{
	unsigned long n = number_of(arguments[0]), own = number_of(arguments[1]);
	unsigned long inner = number_of(arguments[2]);
	volatile unsigned char *pages = map_pages(n * (own + inner));
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("outer");
		touch_pages(pages, own);
		pages += own * PAGE_BYTES;
		REGIONSTAT_BEGIN("inner");
		touch_pages(pages, inner);
		pages += inner * PAGE_BYTES;
		REGIONSTAT_END("inner");
		REGIONSTAT_END("outer");
	}
	return 0;
}

/* Overlap two calls: first{a second{b first} c second}, with faults in each third. Inclusive values
 * count for both, self values for the innermost. */
static int faults_overlapping(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	unsigned long a = number_of(arguments[1]), b = number_of(arguments[2]);
	unsigned long c = number_of(arguments[3]);
	volatile unsigned char *pages = map_pages(n * (a + b + c));
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("first");
		touch_pages(pages, a);
		pages += a * PAGE_BYTES;
		REGIONSTAT_BEGIN("second");
		touch_pages(pages, b);
		pages += b * PAGE_BYTES;
		REGIONSTAT_END("first");
		touch_pages(pages, c);
		pages += c * PAGE_BYTES;
		REGIONSTAT_END("second");
	}
	return 0;
}

static volatile unsigned char *fault_and_descend(volatile unsigned char *pages, unsigned long depth)
{
	REGIONSTAT_SCOPE("descend");
	touch_pages(pages, 1);
	return depth > 1 ? fault_and_descend(pages + PAGE_BYTES, depth - 1) : pages + PAGE_BYTES;
}

/* Call "descend" recursively, n levels deep, with one fault on each level. */
static int faults_recursion(char **arguments)
{
	unsigned long n = number_of(arguments[0]), depth = number_of(arguments[1]);
	volatile unsigned char *pages = map_pages(n * depth);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++)
		pages = fault_and_descend(pages, depth);
	return 0;
}

/* Make n calls of each of the regions "1" to "64". In region P, every Pth call has a fault. */
static int faults_periodic(char **arguments)
{
	enum { N_PERIODS = 64 };
	unsigned long n = number_of(arguments[0]), n_pages = 0;
	for (unsigned long period = 1; period <= N_PERIODS; period++)
		n_pages += (n + period - 1) / period;
	volatile unsigned char *pages = map_pages(n_pages);
	warm_up_faults();
	for (unsigned long period = 1; period <= N_PERIODS; period++) {
		char name[24];
		snprintf(name, sizeof(name), "%lu", period);
		for (unsigned long i = 0; i < n; i++) {
			size_t n_touched = i % period == 0;
			regionstat_begin(name);
			touch_pages(pages, n_touched);
			regionstat_end(name);
			pages += n_touched * PAGE_BYTES;
		}
	}
	return 0;
}

/* Make n calls of "slow". The first n_slow have `faults` faults, and the others one. */
static int faults_slow_first(char **arguments)
{
	unsigned long n = number_of(arguments[0]), faults_each = number_of(arguments[1]);
	unsigned long n_slow = number_of(arguments[2]);
	volatile unsigned char *pages = map_pages(n_slow * faults_each + n);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		size_t n_touched = i < n_slow ? faults_each : 1;
		REGIONSTAT_BEGIN("slow");
		touch_pages(pages, n_touched);
		REGIONSTAT_END("slow");
		pages += n_touched * PAGE_BYTES;
	}
	return 0;
}

/* Overlap three calls that end in the order of their begins, with one fault after each marker but the
 * last. */
static int faults_in_turn(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	volatile unsigned char *pages = map_pages(n * 5);
	warm_up_faults();
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("first");
		touch_pages(pages, 1);
		REGIONSTAT_BEGIN("second");
		touch_pages(pages + PAGE_BYTES, 1);
		REGIONSTAT_BEGIN("third");
		touch_pages(pages + 2 * PAGE_BYTES, 1);
		REGIONSTAT_END("first");
		touch_pages(pages + 3 * PAGE_BYTES, 1);
		REGIONSTAT_END("second");
		touch_pages(pages + 4 * PAGE_BYTES, 1);
		REGIONSTAT_END("third");
		pages += 5 * PAGE_BYTES;
	}
	return 0;
}

/* Open K scopes of one region at a time, which end in the order of their begins, as those of
 * coroutines may. There is one fault between two markers, and all are within a scope. */
static int faults_of_scopes(char **arguments)
{
	static struct regionstat_site_ site = {"scope", 0, 1};
	unsigned long n = number_of(arguments[0]), k = number_of(arguments[1]);
	volatile unsigned char *pages = map_pages(n);
	regionstat_ticket_ open[MOST_SCOPES];
	if (k > MOST_SCOPES)
		return 2;
	warm_up_faults();
	REGIONSTAT_BEGIN("all");
	for (unsigned long i = 0; i < n; i++) {
		regionstat_ticket_ next = regionstat_scope_begin_(&site);
		if (i >= k)
			regionstat_scope_end_(&open[i % k]);
		open[i % k] = next;
		touch_pages(pages + i * PAGE_BYTES, 1);
	}
	for (unsigned long i = n; i < n + k; i++)
		regionstat_scope_end_(&open[i % k]);
	REGIONSTAT_END("all");
	return 0;
}

const struct rule fault_rules[] = {
	{"faults", "N K", 2, faults},
	{"faults-next", "N K", 2, faults_next},
	{"faults-threads", "THREADS N K", 3, faults_of_threads},
	{"faults-rising", "N", 1, faults_rising},
	{"faults-periodic", "N", 1, faults_periodic},
	{"faults-slow-first", "N FAULTS N_SLOW", 3, faults_slow_first},
	{"faults-nested", "N OWN INNER", 3, faults_nested},
	{"faults-recursion", "N DEPTH", 2, faults_recursion},
	{"faults-overlapping", "N A B C", 4, faults_overlapping},
	{"faults-in-turn", "N", 1, faults_in_turn},
	{"faults-scopes", "N K", 2, faults_of_scopes},
	{0},
};
