/* SPDX-License-Identifier: MIT */
/*
 * Reads a segment that a program may have damaged. It uses pread(), which allocates no memory for
 * holes and cannot fault. Each unit of data can be claimed only once. So the reading time depends
 * on how much the program wrote, even if lists in the segment are cyclic or share elements.
 */
#ifndef RS_STATS_SEGMENT_READER_H
#define RS_STATS_SEGMENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/arena.h"

#define RS_READER_WINDOWS 64u

struct rs_reader_window;

struct rs_segment_reader {
	int fd; /* borrowed */
	struct rs_reader_window *windows; /* RS_READER_WINDOWS of them */
	uint64_t n_windows; /* how many times a window was read so far */
	/* a window that was read earlier than the window with this count is read again before it is
	 * used */
	uint64_t oldest;
	/* for each extent of the segment, an array with one bit for each unit, which is set if the
	 * unit is claimed; NULL: no unit is claimed */
	uint64_t **claims;
	size_t n_claims; /* number of extents in claims */
	struct rs_arena arena; /* owns the arrays in claims */
};

/* Initialize a reader of the segment fd. Release it with rs_segment_reader_finish(). Return false
 * and set err if memory runs out. Call it, and the functions below, from within
 * rs_arena_guard(). */
bool rs_segment_reader_init(struct rs_segment_reader *reader, int fd, struct rs_err *err);

/* Release what the reader owns; fd stays open. reader may be zeroed or NULL. */
void rs_segment_reader_finish(struct rs_segment_reader *reader);

/* Copy n bytes at offset of the segment to into. They may come from a window, a cached part of the
 * segment. Return false if they are not within the segment or cannot be read. */
bool rs_segment_reader_read(
	struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* As rs_segment_reader_read(), but always read the segment, not a window. */
bool rs_segment_reader_read_now(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* Begin to read data that starts at offset. Later reads use no window that is older than the window
 * with the first byte. Otherwise the data could be from two points in time, since a running program
 * writes to the segment. Return false if the first byte cannot be read. */
bool rs_segment_reader_begin(struct rs_segment_reader *reader, uint64_t offset);

/* Discard all windows, so that later reads see what the program has written since. */
void rs_segment_reader_forget(struct rs_segment_reader *reader);

/* Claim n bytes at offset, both multiples of RS_DATA_UNIT. Return false if some of the bytes are
 * claimed already, or are not in the data area of the segment. */
bool rs_segment_reader_claim(struct rs_segment_reader *reader, uint64_t offset, uint64_t n);

#endif
