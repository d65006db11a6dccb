/* SPDX-License-Identifier: MIT */
/*
 * Buckets of histograms once they are collected: values below 64 have a bucket each in octave 0;
 * octave o > 0 has 64 buckets for [2^(o+5), 2^(o+6)), so a bucket is never wider than 1/64 of its
 * lower bound. Octaves are also known by blocks, the longest values first: block RS_BLOCK_LEAST has
 * octaves 0 and 1, block b below it octave RS_OCTAVES - 1 - b.
 */
#ifndef RS_STATS_BUCKETS_H
#define RS_STATS_BUCKETS_H

#include <stdint.h>

#define RS_OCTAVE_BUCKETS 64u
#define RS_OCTAVES 59u
#define RS_BLOCKS (RS_OCTAVES - 1)
#define RS_BLOCK_LEAST (RS_BLOCKS - 1)

static inline uint32_t rs_block_of(uint64_t value)
{
	return (uint32_t)__builtin_clzll(value | RS_OCTAVE_BUCKETS);
}

/* The bucket of a value: octave * RS_OCTAVE_BUCKETS + sub-bucket. */
static inline uint32_t rs_bucket_of(uint64_t value)
{
	uint32_t block = rs_block_of(value);
	/* the leading bit of the place is 64: it carries into the octave */
	return (RS_BLOCK_LEAST - block) * RS_OCTAVE_BUCKETS +
	       (uint32_t)(value << block >> RS_BLOCK_LEAST);
}

/* The first bucket of a block. */
static inline uint32_t rs_block_first(uint32_t block)
{
	uint32_t lead = block == RS_BLOCK_LEAST ? 0 : RS_OCTAVE_BUCKETS;
	return (RS_BLOCK_LEAST - block) * RS_OCTAVE_BUCKETS + lead;
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
