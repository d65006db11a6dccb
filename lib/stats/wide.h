/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic with 128-bit integers.
 */
#ifndef RS_STATS_WIDE_H
#define RS_STATS_WIDE_H

#include <stdint.h>

typedef unsigned __int128 rs_u128;
typedef __int128 rs_i128;

/* Return a, or 2^64 - 1 if a does not fit in 64 bits. */
static inline uint64_t rs_wide_to_u64(rs_u128 a)
{
	return a > UINT64_MAX ? UINT64_MAX : (uint64_t)a;
}

/* Return a * b / c, rounded to nearest, half up, or 2^64 - 1 if it does not fit. c must not be
 * 0. */
static inline uint64_t rs_wide_scale(uint64_t a, uint64_t b, uint64_t c)
{
	rs_u128 product = (rs_u128)a * b, remainder = product % c;
	return rs_wide_to_u64(product / c + (remainder >= c - remainder));
}

#endif
