/* SPDX-License-Identifier: MIT */
/*
 * uneven MS...: a thread for each argument, which is in region "part" for so many milliseconds.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "regionstat.h"

#define MOST_THREADS 16

static void *run(void *data)
{
	long ms = strtol(data, NULL, 10);
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	REGIONSTAT_BEGIN("part");
	nanosleep(&time, NULL);
	REGIONSTAT_END("part");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST_THREADS];
	int n = argc - 1;
	if (n > MOST_THREADS)
		return 2;
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, argv[1 + i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
