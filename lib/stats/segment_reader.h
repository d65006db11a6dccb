/* SPDX-License-Identifier: MIT */
/*
 * A reader of a segment that the program may have damaged. It uses pread(), which cannot fault and
 * allocates no memory for holes. Each byte of data can be claimed only once. So reading takes no
 * longer than the program's data needs, even if its lists are cyclic.
 */
#ifndef RS_STATS_SEGMENT_READER_H
#define RS_STATS_SEGMENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A reader of the segment fd: the other members are zero. Use it in rs_arena_guard(), and release
 * it with rs_segment_reader_finish(). */
struct rs_segment_reader {
	int fd; /* borrowed */
	/* for each extent: an array with a bit for each unit, set if the unit is claimed; NULL: no
	 * unit is claimed */
	uint64_t **claims;
	size_t n_claims; /* number of extents in claims */
	struct rs_arena arena; /* owns claims */
};

/* Release what the reader owns; fd stays open. reader may be zeroed. */
void rs_segment_reader_finish(struct rs_segment_reader *reader);

/* Copy n bytes at offset. Return false if they are not within the segment or cannot be read. */
bool rs_segment_reader_read(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* Claim n bytes at offset, both multiples of RS_DATA_UNIT, in the data of the segment. Return false
 * if some bytes are claimed already, or are not in the data of the segment. */
bool rs_segment_reader_claim(struct rs_segment_reader *reader, uint64_t offset, uint64_t n);

#endif
