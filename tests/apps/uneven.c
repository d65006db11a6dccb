/* SPDX-License-Identifier: MIT */
/* uneven MS...: a thread for each argument, which calls "part" for this number of milliseconds. */
#include "check.h"
#include "clock.h"
#include "regionstat.h"

static void *run(void *argument)
{
	uint64_t ms = strtoull(*(char **)argument, NULL, 10);
	REGIONSTAT_BEGIN("part");
	sleep_ns(ms * 1000000);
	REGIONSTAT_END("part");
	return NULL;
}

int main(int argc, char **argv)
{
	on_threads((size_t)argc - 1, run, argv + 1, sizeof(argv[0]));
	return 0;
}
