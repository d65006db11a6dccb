/* SPDX-License-Identifier: MIT */
/* uneven MS...: a thread for each argument, which calls "part" for this number of milliseconds. */
#include <time.h>

#include "check.h"
#include "regionstat.h"

static void *run(void *argument)
{
	long ms = strtol(*(char **)argument, NULL, 10);
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	REGIONSTAT_BEGIN("part");
	nanosleep(&time, NULL);
	REGIONSTAT_END("part");
	return NULL;
}

int main(int argc, char **argv)
{
	on_threads((size_t)argc - 1, run, argv + 1, sizeof(argv[0]));
	return 0;
}
