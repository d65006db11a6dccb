/* SPDX-License-Identifier: MIT */
/*
 * This file reads a segment that may be damaged. It checks bounds, and that no byte is claimed
 * twice. The data of one thread is close together. So this file caches the parts of the segment
 * that it read last, which are called windows.
 */
#include "stats/segment_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "segment/layout.h"

#define MOST_EXTENTS (RS_SEGMENT_BYTES / RS_EXTENT_BYTES)
#define UNIT_BYTES RS_DATA_UNIT
#define CLAIM_WORDS (RS_EXTENT_BYTES / UNIT_BYTES / 64)

/* Size of a window in bytes: larger than an accumulator, but small enough to read a nearly empty
 * segment fast. */
#define WINDOW_BYTES UINT64_C(0x2000)

struct rs_reader_window {
	/* value of n_windows when this window was read; 0: the window has no valid bytes */
	uint64_t order;
	/* index of the window in the segment: bytes[] begins at offset number * WINDOW_BYTES */
	uint64_t number;
	unsigned char bytes[WINDOW_BYTES];
};

bool rs_segment_reader_init(struct rs_segment_reader *reader, int fd, struct rs_err *err)
{
	*reader = (struct rs_segment_reader){.fd = fd, .oldest = 1};
	reader->windows = calloc(RS_READER_WINDOWS, sizeof(*reader->windows));
	return reader->windows ? true : rs_err_set_errno(err, ENOMEM, "cannot read the results");
}

void rs_segment_reader_finish(struct rs_segment_reader *reader)
{
	rs_arena_finish(&reader->arena);
	free(reader->windows);
	*reader = (struct rs_segment_reader){.fd = -1};
}

static bool is_inside(uint64_t offset, uint64_t n)
{
	return offset <= RS_SEGMENT_BYTES && n <= RS_SEGMENT_BYTES - offset;
}

bool rs_segment_reader_read_now(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n)
{
	if (!is_inside(offset, n))
		return false;
	unsigned char *bytes = into;
	while (n > 0) {
		ssize_t got = pread(reader->fd, bytes, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

static struct rs_reader_window *window_of(const struct rs_segment_reader *reader, uint64_t number)
{
	return &reader->windows[number % RS_READER_WINDOWS];
}

/* Return the window with this index. Read it from the segment if it is not cached, or if the cached
 * one is too old. Return NULL if it cannot be read. */
static const struct rs_reader_window *show(struct rs_segment_reader *reader, uint64_t number)
{
	struct rs_reader_window *window = window_of(reader, number);
	if (window->order >= reader->oldest && window->number == number)
		return window;
	window->number = number;
	window->order = 0;
	if (!rs_segment_reader_read_now(reader, number * WINDOW_BYTES, window->bytes, WINDOW_BYTES))
		return NULL;
	window->order = ++reader->n_windows;
	return window;
}

bool rs_segment_reader_begin(struct rs_segment_reader *reader, uint64_t offset)
{
	reader->oldest = 1;
	const struct rs_reader_window *window = is_inside(offset, 1)
							? show(reader, offset / WINDOW_BYTES)
							: NULL;
	if (window)
		reader->oldest = window->order;
	return window;
}

bool rs_segment_reader_read(struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n)
{
	unsigned char *bytes = into;
	if (!is_inside(offset, n))
		return false;
	while (n > 0) {
		const struct rs_reader_window *window = show(reader, offset / WINDOW_BYTES);
		size_t start = (size_t)(offset % WINDOW_BYTES);
		size_t part = WINDOW_BYTES - start < n ? (size_t)WINDOW_BYTES - start : n;
		if (!window)
			return false;
		memcpy(bytes, window->bytes + start, part);
		bytes += part;
		offset += part;
		n -= part;
	}
	return true;
}

void rs_segment_reader_forget(struct rs_segment_reader *reader)
{
	reader->oldest = reader->n_windows + 1;
}

/* Return the bits of an extent that say which units are claimed, and allocate them if necessary. */
static uint64_t *claims_on(struct rs_segment_reader *reader, uint64_t extent)
{
	if (extent >= reader->n_claims) {
		/* double the size of the array, since a program uses extents in ascending order */
		size_t n = extent < MOST_EXTENTS / 2 ? 2 * (size_t)extent + 1 : MOST_EXTENTS;
		reader->claims = rs_arena_grow(&reader->arena, reader->claims, reader->n_claims, n,
			sizeof(*reader->claims));
		reader->n_claims = n;
	}
	uint64_t **claims = &reader->claims[extent];
	if (!*claims)
		*claims = rs_arena_array(&reader->arena, CLAIM_WORDS, sizeof(**claims));
	return *claims;
}

static bool claim_unit(struct rs_segment_reader *reader, uint64_t unit)
{
	const uint64_t n_units = RS_EXTENT_BYTES / UNIT_BYTES;
	uint64_t *claims = claims_on(reader, unit / n_units);
	uint64_t *word = &claims[unit % n_units / 64], bit = UINT64_C(1) << unit % 64;
	bool is_free = !(*word & bit);
	*word |= bit;
	return is_free;
}

bool rs_segment_reader_claim(struct rs_segment_reader *reader, uint64_t offset, uint64_t n)
{
	if (offset % UNIT_BYTES != 0 || n % UNIT_BYTES != 0 || offset < RS_DATA_OFFSET ||
		!is_inside(offset, n))
		return false;
	for (uint64_t unit = offset / UNIT_BYTES; unit < (offset + n) / UNIT_BYTES; unit++)
		if (!claim_unit(reader, unit))
			return false;
	return true;
}
