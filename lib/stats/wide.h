/* SPDX-License-Identifier: MIT */
/*
 * Integers wider than the machine's: the exact products that scaling and variances need.
 */
#ifndef RS_STATS_WIDE_H
#define RS_STATS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 rs_u128;
typedef __int128 rs_i128;

/* 256 bits. */
struct rs_wide {
	rs_u128 low;
	rs_u128 high;
};

/* a * b, exact. */
struct rs_wide rs_wide_multiply(rs_u128 a, rs_u128 b);

/* a - b, or 0 when b is greater. */
struct rs_wide rs_wide_subtract(struct rs_wide a, struct rs_wide b);

/* The nearest long double. */
long double rs_wide_to_real(struct rs_wide a);

/* a * b / c, rounded to nearest, half up; 2^128 - 1 when it does not fit. c must not be 0. */
rs_u128 rs_wide_scale(rs_u128 a, rs_u128 b, rs_u128 c);

/* Whether part is less than so many percent of whole, exactly. */
bool rs_wide_is_below_percent(uint64_t part, uint64_t whole, unsigned percent);

/* a, or 2^64 - 1 when it does not fit. */
uint64_t rs_wide_to_u64(rs_u128 a);

#endif
