/* SPDX-License-Identifier: MIT */
/*
 * Page faults, whose number is exact: the first access to each page of fresh anonymous memory is
 * one fault.
 */

#include "pages.h"
#include "rules.h"

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

const struct how fault_rules[] = {
	{"faults", faults},
	{"faults-threads", faults_of_threads},
	{"faults-periodic", faults_periodic},
	{0},
};
