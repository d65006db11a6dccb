/* SPDX-License-Identifier: MIT */
/*
 * Buckets of histograms once they are collected: values below 256 have a bucket each in octave 0;
 * octave o > 0 has 256 buckets for [2^(o+7), 2^(o+8)), so a bucket is never wider than 1/256 of its
 * lower bound: four times as fine as the accumulators', whose overhead is subtracted.
 *
 * Octaves of time for sums of events are numbered by blocks, the longest values first: block
 * RS_BLOCK_LEAST has the values below 128, block b below it those with b leading zeros.
 */
#ifndef RS_STATS_BUCKETS_H
#define RS_STATS_BUCKETS_H

#include <stdint.h>

#define RS_OCTAVE_BUCKETS 256u
#define RS_OCTAVES 57u
#define RS_BLOCKS 58u
#define RS_BLOCK_LEAST (RS_BLOCKS - 1)

static inline uint32_t rs_block_of(uint64_t value)
{
	return (uint32_t)__builtin_clzll(value | 64);
}

/* The least value of a block. */
static inline uint64_t rs_block_low(uint32_t block)
{
	return block == RS_BLOCK_LEAST ? 0 : UINT64_C(1) << (63 - block);
}

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
