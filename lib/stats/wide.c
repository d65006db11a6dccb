/* SPDX-License-Identifier: MIT */
/*
 * 256-bit products of 128-bit integers, their differences, and the division that scales counts.
 * Exactness is the point: sums of squares of long runs leave nothing to round.
 */
#include "stats/wide.h"

#include <stdbool.h>

struct rs_wide rs_wide_multiply(rs_u128 a, rs_u128 b)
{
	rs_u128 a_low = (uint64_t)a, a_high = a >> 64;
	rs_u128 b_low = (uint64_t)b, b_high = b >> 64;
	rs_u128 low = a_low * b_low;
	rs_u128 middle = a_low * b_high + (low >> 64); /* cannot overflow: (2^64-1)^2 + 2^64-1 */
	rs_u128 other = a_high * b_low + (uint64_t)middle;
	return (struct rs_wide){
		.low = other << 64 | (uint64_t)low,
		.high = a_high * b_high + (middle >> 64) + (other >> 64),
	};
}

struct rs_wide rs_wide_subtract(struct rs_wide a, struct rs_wide b)
{
	if (a.high < b.high || (a.high == b.high && a.low < b.low))
		return (struct rs_wide){0};
	return (struct rs_wide){
		.low = a.low - b.low,
		.high = a.high - b.high - (a.low < b.low),
	};
}

long double rs_wide_to_real(struct rs_wide a)
{
	return (long double)a.high * 0x1p128L + (long double)a.low;
}

/* Long division, bit by bit. False: the quotient has more than 128 bits. */
static bool divide(struct rs_wide a, rs_u128 c, rs_u128 *quotient, rs_u128 *remainder)
{
	rs_u128 rest = a.high;
	rs_u128 result = 0;
	if (a.high >= c)
		return false;
	for (int bit = 127; bit >= 0; bit--) {
		bool carry = rest >> 127;
		rest = rest << 1 | (a.low >> bit & 1);
		result <<= 1;
		if (carry || rest >= c) {
			rest -= c;
			result |= 1;
		}
	}
	*quotient = result;
	*remainder = rest;
	return true;
}

rs_u128 rs_wide_scale(rs_u128 a, rs_u128 b, rs_u128 c)
{
	struct rs_wide product = rs_wide_multiply(a, b);
	rs_u128 quotient, remainder;
	if (product.high == 0) {
		quotient = product.low / c;
		remainder = product.low % c;
	} else if (!divide(product, c, &quotient, &remainder)) {
		return ~(rs_u128)0;
	}
	bool up = remainder >= c - remainder;
	return up && quotient != ~(rs_u128)0 ? quotient + 1 : quotient;
}

bool rs_wide_is_below_percent(uint64_t part, uint64_t whole, unsigned percent)
{
	return (rs_u128)part * 100 < (rs_u128)whole * percent;
}

uint64_t rs_wide_to_u64(rs_u128 a)
{
	return a > UINT64_MAX ? UINT64_MAX : (uint64_t)a;
}
