/* SPDX-License-Identifier: MIT */
/*
 * The buckets of histograms after collection. They are the same on every machine. An octave is a
 * range of values: octave 0 holds values below 256, and octave o > 0 holds values v with 2^(o+7) <=
 * v < 2^(o+8). Each octave has 256 buckets. A bucket of values below 512 has the width 1. The width
 * of any other bucket is at most 1/256 of its smallest value.
 *
 * These buckets are four times finer than the buckets of accumulators, because collection subtracts
 * the overhead of markers, which moves values to other buckets.
 */
#ifndef RS_SEGMENT_BUCKETS_H
#define RS_SEGMENT_BUCKETS_H

#include <stdint.h>

#define RS_OCTAVE_BUCKETS 256u
#define RS_OCTAVES 57u
#define RS_HISTOGRAM_BUCKETS (RS_OCTAVES * RS_OCTAVE_BUCKETS)

/* Return the bucket of a value: octave * RS_OCTAVE_BUCKETS + bucket within the octave. */
static inline uint32_t rs_bucket_of(uint64_t value)
{
	uint32_t zeros = (uint32_t)__builtin_clzll(value | RS_OCTAVE_BUCKETS);
	/* the leading bit of the shifted value is 256 and carries into the octave */
	return (55 - zeros) * RS_OCTAVE_BUCKETS + (uint32_t)(value << zeros >> 55);
}

/* Return the smallest value of a bucket. */
static inline uint64_t rs_bucket_low(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	uint64_t sub = bucket % RS_OCTAVE_BUCKETS;
	return octave == 0 ? sub : (sub + RS_OCTAVE_BUCKETS) << (octave - 1);
}

/* Return how many different values a bucket holds. */
static inline uint64_t rs_bucket_width(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	return octave == 0 ? 1 : UINT64_C(1) << (octave - 1);
}

#endif
