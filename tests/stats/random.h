/* SPDX-License-Identifier: MIT */
/*
 * A deterministic random number generator for tests: splitmix64,
 * https://prng.di.unimi.it/splitmix64.c
 */
#ifndef RS_TEST_STATS_RANDOM_H
#define RS_TEST_STATS_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Return a number in (0, 1). */
static inline double random_uniform(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) / 0x1p53;
}

/* Return a normally distributed number (Box and Muller). */
static inline double random_normal(uint64_t *state)
{
	double angle = 2 * M_PI * random_uniform(state);
	return sqrt(-2 * log(random_uniform(state))) * cos(angle);
}

#endif
