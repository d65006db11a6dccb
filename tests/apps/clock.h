/* SPDX-License-Identifier: MIT */
/*
 * Reading a clock, using the CPU and sleeping, for test programs in C and C++. All times are in ns.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Read a clock again and again until it has advanced by this time. */
static inline void spin_ns(clockid_t clock, uint64_t ns)
{
	for (uint64_t begin = clock_ns(clock); clock_ns(clock) - begin < ns;)
		;
}

static inline void sleep_ns(uint64_t ns)
{
	const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	nanosleep(&time, NULL);
}

#endif
