/* SPDX-License-Identifier: MIT */
/* The clock of regions against CLOCK_MONOTONIC, which is read within each call and around it. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "rules.h"

static uint64_t now_ns(void)
{
	struct timespec now;
	require(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock_gettime");
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Print the sums of the times within the calls and around them. */
static int clocked(char **arguments)
{
	uint64_t duration_ns = number_of(arguments[0]), calls = number_of(arguments[1]);
	uint64_t within_ns = 0, around_ns = 0;
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t before = now_ns(), begin, end;
		REGIONSTAT_BEGIN("clocked");
		begin = end = now_ns();
		while (end - begin < duration_ns)
			end = now_ns();
		REGIONSTAT_END("clocked");
		within_ns += end - begin;
		around_ns += now_ns() - before;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", within_ns, around_ns);
	return 0;
}

const struct rule clock_rules[] = {
	{"clocked", "DURATION_NS CALLS", 2, clocked},
	{NULL, NULL, 0, NULL},
};
