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

#include "base/err.h"
#include "base/arena.h"

#define RS_READER_WINDOWS 64u

struct rs_reader_window;

struct rs_segment_reader {
	int fd; /* borrowed */
	struct rs_reader_window *windows; /* an array of RS_READER_WINDOWS windows */
	uint64_t n_windows; /* how many windows were read so far */
	/* number of the oldest valid window: windows that were read before it are read again */
	uint64_t oldest;
	/* for each extent: an array with a bit for each unit, set if the unit is claimed; NULL: no
	 * unit is claimed */
	uint64_t **claims;
	size_t n_claims; /* number of extents in claims */
	struct rs_arena arena; /* owns claims */
};

/* Initialize a reader of the segment fd. Release it with rs_segment_reader_finish(). Return false
 * and set err if memory runs out. Use the reader in rs_arena_guard(). */
bool rs_segment_reader_init(struct rs_segment_reader *reader, int fd, struct rs_err *err);

/* Release what the reader owns; fd stays open. reader may be zeroed. */
void rs_segment_reader_finish(struct rs_segment_reader *reader);

/* Copy n bytes at offset. They can come from a window that was read earlier. Return false if they
 * are not within the segment or cannot be read. */
bool rs_segment_reader_read(
	struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* Copy n bytes at offset as the segment has them now, not from a window. */
bool rs_segment_reader_read_now(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* Begin to read data that starts at offset. A running program can write to the segment between two
 * reads, so old windows could contain parts that are older than the first byte of the data. From
 * now on, use only windows that are at least as new as the window with the first byte. Return false
 * if the first byte cannot be read. */
bool rs_segment_reader_begin(struct rs_segment_reader *reader, uint64_t offset);

/* Empty the windows, since the program may have written to the segment. */
void rs_segment_reader_forget(struct rs_segment_reader *reader);

/* Claim n bytes at offset, both multiples of RS_DATA_UNIT, in the data of the segment. Return false
 * if some bytes are claimed already, or are not in the data of the segment. */
bool rs_segment_reader_claim(struct rs_segment_reader *reader, uint64_t offset, uint64_t n);

#endif
