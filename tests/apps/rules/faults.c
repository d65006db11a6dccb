/* SPDX-License-Identifier: MIT */
/*
 * Page faults, whose number is exact: the first access to each page of fresh anonymous memory is
 * one fault.
 */

#include "pages.h"
#include "rules.h"

#define MOST_SCOPES 8

/* Make n calls of "touch" with exactly k faults each, and n calls of "idle" without faults. */
static void faults(void)
{
	unsigned long n = number(0), k = number(1);
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
static void faults_of_threads(void)
{
	unsigned long n_threads = number(0);
	struct turns turns = {.mutex = PTHREAD_MUTEX_INITIALIZER, .n = number(1), .k = number(2)};
	pthread_barrier_init(&turns.all_done, NULL, (unsigned int)n_threads);
	on_threads(n_threads, fault_in_turn, &turns, 0);
}

/* Make n calls of each of the regions "1" to "64". In region P, every Pth call has a fault. */
static void faults_periodic(void)
{
	enum { N_PERIODS = 64 };
	unsigned long n = number(0), n_pages = 0;
	for (unsigned long period = 1; period <= N_PERIODS; period++)
		n_pages += (n + period - 1) / period;
	volatile unsigned char *pages = map_pages(n_pages);
	warm_up_faults();
	for (unsigned long period = 1; period <= N_PERIODS; period++) {
		char name[24];
		snprintf(name, sizeof(name), "%lu", period);
		for (unsigned long i = 0; i < n; i++) {
			regionstat_begin(name);
			pages = touch_pages(pages, i % period == 0);
			regionstat_end(name);
		}
	}
}

/* Open K scopes of one region at a time, which end in the order of their begins, as those of
 * coroutines may. There is one fault between two markers, and all are within a scope. */
static void faults_of_scopes(void)
{
	static struct regionstat_site_ site = {"scope", 0, 1};
	unsigned long n = number(0), k = number(1);
	volatile unsigned char *pages = map_pages(n);
	regionstat_ticket_ open[MOST_SCOPES];
	CHECK(k <= MOST_SCOPES);
	warm_up_faults();
	REGIONSTAT_BEGIN("all");
	for (unsigned long i = 0; i < n; i++) {
		regionstat_ticket_ next = regionstat_scope_begin_(&site);
		if (i >= k)
			regionstat_scope_end_(&open[i % k]);
		open[i % k] = next;
		pages = touch_pages(pages, 1);
	}
	for (unsigned long i = n; i < n + k; i++)
		regionstat_scope_end_(&open[i % k]);
	REGIONSTAT_END("all");
}

const struct how fault_rules[] = {
	{"faults", faults},
	{"faults-threads", faults_of_threads},
	{"faults-periodic", faults_periodic},
	{"faults-scopes", faults_of_scopes},
	{0},
};
