/* SPDX-License-Identifier: MIT */
/* This file reads steal time from the eighth number in the first line of /proc/stat. */
#include "launch/steal.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t rs_steal_of(const char *text, long ticks_per_s)
{
	uint64_t steal;
	/* The fields before it are user, nice, system, idle, iowait, irq and softirq. */
	if (ticks_per_s <= 0 ||
		sscanf(text, "cpu%*[ ]%*u %*u %*u %*u %*u %*u %*u %" SCNu64, &steal) != 1)
		return 0;
	uint64_t tick_ns = NS_PER_S / (uint64_t)ticks_per_s;
	return __builtin_mul_overflow(steal, tick_ns, &steal) ? 0 : steal;
}

uint64_t rs_steal_now(void)
{
	char line[512];
	FILE *file = fopen("/proc/stat", "re");
	uint64_t steal_ns = RS_STEAL_UNKNOWN;
	if (file && fgets(line, sizeof(line), file))
		steal_ns = rs_steal_of(line, sysconf(_SC_CLK_TCK));
	if (file)
		fclose(file);
	return steal_ns;
}

uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns && end_ns != RS_STEAL_UNKNOWN ? end_ns - begin_ns : 0;
}
