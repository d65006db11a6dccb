/* SPDX-License-Identifier: MIT */
/* The time of a clock as one integer. */
#ifndef RS_BASE_NOW_H
#define RS_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* Return the time of a clock (clock_gettime(2)) in ns. */
static inline int64_t rs_now_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Return the time of CLOCK_MONOTONIC in ns. */
static inline uint64_t rs_monotonic_ns(void)
{
	return (uint64_t)rs_now_ns(CLOCK_MONOTONIC);
}

#endif
