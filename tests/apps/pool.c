/* SPDX-License-Identifier: MIT */
/*
 * pool THREADS TASKS: a thread pool with a bounded queue, as in a server. The main thread calls
 * "submit", and the workers call "wait" and "task". Each task has "parse" and "answer", separated
 * by NEXT. All counts are exactly TASKS; "wait" has one more for each worker's end.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <regionstat.h>

#define QUEUE_TASKS 32

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	pthread_cond_t not_full;
	uint64_t tasks[QUEUE_TASKS];
	size_t first;
	size_t n;
	bool closed;
	uint64_t result; /* sum over all tasks */
};

static void pool_submit(struct pool *pool, uint64_t task)
{
	REGIONSTAT_SCOPE("submit");
	pthread_mutex_lock(&pool->lock);
	while (pool->n == QUEUE_TASKS)
		pthread_cond_wait(&pool->not_full, &pool->lock);
	pool->tasks[(pool->first + pool->n++) % QUEUE_TASKS] = task;
	pthread_cond_signal(&pool->not_empty);
	pthread_mutex_unlock(&pool->lock);
}

/* Take a task. Return false if the pool is closed and empty. */
static bool pool_take(struct pool *pool, uint64_t *task)
{
	REGIONSTAT_SCOPE("wait");
	pthread_mutex_lock(&pool->lock);
	while (pool->n == 0 && !pool->closed)
		pthread_cond_wait(&pool->not_empty, &pool->lock);
	bool taken = pool->n > 0;
	if (taken) {
		*task = pool->tasks[pool->first];
		pool->first = (pool->first + 1) % QUEUE_TASKS;
		pool->n--;
		pthread_cond_signal(&pool->not_full);
	}
	pthread_mutex_unlock(&pool->lock);
	return taken;
}

static void pool_close(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->not_empty);
	pthread_mutex_unlock(&pool->lock);
}

/* Return the number of steps of the Collatz sequence: work that depends on the task. */
static uint64_t collatz_steps(uint64_t number)
{
	uint64_t n = 0;
	for (; number > 1; n++)
		number = number % 2 ? 3 * number + 1 : number / 2;
	return n;
}

static uint64_t work(uint64_t task)
{
	uint64_t steps = 0;
	REGIONSTAT_SCOPE("task");
	REGIONSTAT_BEGIN("parse");
	uint64_t start = task * UINT64_C(2654435761) % 1000000 + 1;
	REGIONSTAT_NEXT("parse", "answer");
	for (uint64_t i = 0; i < 20; i++)
		steps += collatz_steps(start + i);
	REGIONSTAT_END("answer");
	return steps;
}

static void *run_worker(void *argument)
{
	struct pool *pool = argument;
	uint64_t task, sum = 0;
	while (pool_take(pool, &task))
		sum += work(task);
	pthread_mutex_lock(&pool->lock);
	pool->result += sum;
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long n_threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long n_tasks = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (n_threads < 1 || n_threads > 1024) {
		fputs("usage: pool THREADS TASKS\n", stderr);
		return 2;
	}
	struct pool pool = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.not_empty = PTHREAD_COND_INITIALIZER,
		.not_full = PTHREAD_COND_INITIALIZER,
	};
	pthread_t threads[1024];
	for (unsigned long i = 0; i < n_threads; i++) {
		if (pthread_create(&threads[i], NULL, run_worker, &pool) != 0) {
			fputs("pool: cannot start a thread\n", stderr);
			return 1;
		}
	}
	for (unsigned long i = 0; i < n_tasks; i++)
		pool_submit(&pool, i);
	pool_close(&pool);
	for (unsigned long i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)pool.result);
	return 0;
}
