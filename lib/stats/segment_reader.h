/* SPDX-License-Identifier: MIT */
/*
 * Reading a hostile segment through a few windows: by pread, which allocates no hole and causes no
 * fault. Every byte is given to one owner at most, so that the whole work stays proportional to
 * what the program really wrote, however its lists are tangled.
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
	uint64_t **claims; /* for each extent a bit a unit, NULL when none is claimed */
	size_t n_claims; /* extents so far */
	struct rs_arena arena; /* owns those bits */
};

/* reader: filled on success; release with rs_segment_reader_finish(). False: no memory. */
bool rs_segment_reader_init(struct rs_segment_reader *reader, int fd, struct rs_err *err);

/* Release what the reader owns, not fd. reader: filled, zeroed, or NULL. */
void rs_segment_reader_finish(struct rs_segment_reader *reader);

/* Copy n bytes at offset; they may come from a window. False: not wholly within the segment. */
bool rs_segment_reader_read(
	struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* The same, as they are in the segment now. */
bool rs_segment_reader_read_now(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n);

/* Drop what the windows hold: the program wrote meanwhile. */
void rs_segment_reader_forget(struct rs_segment_reader *reader);

enum rs_reader_claim {
	RS_READER_CLAIMED, /* these bytes are the caller's from now on */
	RS_READER_TAKEN, /* some of them have an owner already, or are not within the data */
	RS_READER_NO_MEMORY,
};

/* Claim n bytes at offset, both multiples of RS_DATA_UNIT, within the data of the segment. */
enum rs_reader_claim rs_segment_reader_claim(
	struct rs_segment_reader *reader, uint64_t offset, uint64_t n);

#endif
