/*
 * A reader of the segment for who trusts nothing in it: bounds, holes, and the ownership of bytes.
 * Windows keep recently read extents, since what one thread wrote lies close together.
 */
#include "stats/segment_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "segment/layout.h"

#define N_EXTENTS (RS_SEGMENT_BYTES / RS_EXTENT_BYTES)
#define UNIT_BYTES RS_OFFSET_UNIT
#define CLAIM_WORDS (RS_EXTENT_BYTES / UNIT_BYTES / 64)

struct rs_reader_window {
	bool valid;
	uint64_t extent;
	unsigned char bytes[RS_EXTENT_BYTES];
};

bool rs_segment_reader_init(struct rs_segment_reader *reader, int fd, struct rs_err *err)
{
	*reader = (struct rs_segment_reader){.fd = fd};
	reader->windows = calloc(RS_READER_WINDOWS, sizeof(*reader->windows));
	reader->claims = calloc(N_EXTENTS, sizeof(*reader->claims));
	if (reader->windows && reader->claims)
		return true;
	rs_segment_reader_finish(reader);
	return rs_err_set_errno(err, ENOMEM, "cannot read the results");
}

void rs_segment_reader_finish(struct rs_segment_reader *reader)
{
	if (!reader)
		return;
	rs_arena_finish(&reader->arena);
	free(reader->claims);
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

/* The window that shows an extent, loaded; NULL when it cannot be read. */
static const struct rs_reader_window *show(struct rs_segment_reader *reader, uint64_t extent)
{
	struct rs_reader_window *window = &reader->windows[extent % RS_READER_WINDOWS];
	if (window->valid && window->extent == extent)
		return window;
	window->extent = extent;
	window->valid = rs_segment_reader_read_now(
		reader, extent * RS_EXTENT_BYTES, window->bytes, RS_EXTENT_BYTES);
	return window->valid ? window : NULL;
}

bool rs_segment_reader_read(struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n)
{
	unsigned char *bytes = into;
	if (!is_inside(offset, n))
		return false;
	while (n > 0) {
		const struct rs_reader_window *window = show(reader, offset / RS_EXTENT_BYTES);
		size_t start = (size_t)(offset % RS_EXTENT_BYTES);
		size_t part = RS_EXTENT_BYTES - start < n ? (size_t)RS_EXTENT_BYTES - start : n;
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
	for (size_t i = 0; i < RS_READER_WINDOWS; i++)
		reader->windows[i].valid = false;
}

bool rs_segment_reader_is_hole(struct rs_segment_reader *reader, uint64_t offset)
{
	uint64_t extent = offset / RS_EXTENT_BYTES;
	const struct rs_reader_window *window = &reader->windows[extent % RS_READER_WINDOWS];
	if (!is_inside(offset, 1) || (window->valid && window->extent == extent))
		return false;
	off_t data = lseek(reader->fd, (off_t)(extent * RS_EXTENT_BYTES), SEEK_DATA);
	return data < 0 ? errno == ENXIO : (uint64_t)data >= (extent + 1) * RS_EXTENT_BYTES;
}

/* Claim n units of one extent from unit `first` on. */
static enum rs_reader_claim claim_units(
	struct rs_segment_reader *reader, uint64_t extent, size_t first, size_t n)
{
	uint64_t **claims = &reader->claims[extent];
	if (!*claims)
		*claims = rs_arena_array(&reader->arena, CLAIM_WORDS, sizeof(**claims));
	if (!*claims)
		return RS_READER_NO_MEMORY;
	for (size_t unit = first; unit < first + n; unit++) {
		uint64_t bit = UINT64_C(1) << unit % 64;
		if ((*claims)[unit / 64] & bit)
			return RS_READER_TAKEN;
		(*claims)[unit / 64] |= bit;
	}
	return RS_READER_CLAIMED;
}

enum rs_reader_claim rs_segment_reader_claim(
	struct rs_segment_reader *reader, uint64_t offset, uint64_t n)
{
	if (offset % UNIT_BYTES != 0 || n % UNIT_BYTES != 0 || offset < RS_DATA_OFFSET ||
		!is_inside(offset, n))
		return RS_READER_TAKEN;
	while (n > 0) {
		uint64_t start = offset % RS_EXTENT_BYTES;
		uint64_t part = RS_EXTENT_BYTES - start < n ? RS_EXTENT_BYTES - start : n;
		enum rs_reader_claim claim = claim_units(reader, offset / RS_EXTENT_BYTES,
			(size_t)(start / UNIT_BYTES), (size_t)(part / UNIT_BYTES));
		if (claim != RS_READER_CLAIMED)
			return claim;
		offset += part;
		n -= part;
	}
	return RS_READER_CLAIMED;
}
