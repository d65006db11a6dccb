/* SPDX-License-Identifier: MIT */
/*
 * The grid of histograms once they are collected, the same on every machine. Values below 512 have
 * a bucket each, and each octave above has 256, so a bucket is never wider than 1/256 of its lower
 * bound. That is four times as fine as the accumulators' buckets, since the markers' overhead is
 * subtracted from those. Octave 0 has the values below 256, octave o > 0 those of [2^(o+7),
 * 2^(o+8)).
 */
#ifndef RS_STATS_BUCKETS_H
#define RS_STATS_BUCKETS_H

#include <stdint.h>

#define RS_OCTAVE_BUCKETS 256u
#define RS_OCTAVES 57u
#define RS_HISTOGRAM_BUCKETS (RS_OCTAVES * RS_OCTAVE_BUCKETS)

/* The bucket of a value: octave * RS_OCTAVE_BUCKETS + sub-bucket. */
static inline uint32_t rs_bucket_of(uint64_t value)
{
	uint32_t zeros = (uint32_t)__builtin_clzll(value | RS_OCTAVE_BUCKETS);
	/* the leading bit of what is left is 256: it carries into the octave */
	return (55 - zeros) * RS_OCTAVE_BUCKETS + (uint32_t)(value << zeros >> 55);
}

/* The least value that falls into a bucket. */
static inline uint64_t rs_bucket_low(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	uint64_t sub = bucket % RS_OCTAVE_BUCKETS;
	return octave == 0 ? sub : (sub + RS_OCTAVE_BUCKETS) << (octave - 1);
}

/* The number of consecutive values that fall into a bucket. */
static inline uint64_t rs_bucket_width(uint32_t bucket)
{
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	return octave == 0 ? 1 : UINT64_C(1) << (octave - 1);
}

#endif
