/* SPDX-License-Identifier: MIT */
/* This file reads steal time from the eighth number in the first line of /proc/stat. */
#include "launch/steal.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "plan/host.h"

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
	char text[512];
	bool is_known = rs_host_read(text, sizeof(text), "/proc/stat") == 0;
	return is_known ? rs_steal_of(text, sysconf(_SC_CLK_TCK)) : RS_STEAL_UNKNOWN;
}

uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns && end_ns != RS_STEAL_UNKNOWN ? end_ns - begin_ns : 0;
}
