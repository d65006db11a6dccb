/* SPDX-License-Identifier: MIT */
/*
 * This file reads a segment that may be damaged. It checks bounds, and that no byte is claimed
 * twice.
 */
#include "stats/segment_reader.h"

#include <errno.h>
#include <unistd.h>

#include "segment/layout.h"

#define MOST_EXTENTS (RS_SEGMENT_BYTES / RS_EXTENT_BYTES)
#define UNIT_BYTES RS_DATA_UNIT
#define CLAIM_WORDS (RS_EXTENT_BYTES / UNIT_BYTES / 64)

void rs_segment_reader_finish(struct rs_segment_reader *reader)
{
	rs_arena_finish(&reader->arena);
	*reader = (struct rs_segment_reader){.fd = -1};
}

bool rs_segment_reader_read(
	const struct rs_segment_reader *reader, uint64_t offset, void *into, size_t n)
{
	unsigned char *bytes = into;
	while (n > 0) {
		ssize_t got = pread(reader->fd, bytes, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) /* such as 0 behind the end of the segment */
			return false;
		bytes += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

static bool claim_unit(struct rs_segment_reader *reader, uint64_t unit)
{
	const uint64_t n_units = RS_EXTENT_BYTES / UNIT_BYTES;
	uint64_t extent = unit / n_units;
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
	uint64_t *word = &(*claims)[unit % n_units / 64], bit = UINT64_C(1) << unit % 64;
	bool is_free = !(*word & bit);
	*word |= bit;
	return is_free;
}

bool rs_segment_reader_claim(struct rs_segment_reader *reader, uint64_t offset, uint64_t n)
{
	if (offset % UNIT_BYTES != 0 || n % UNIT_BYTES != 0 || offset < RS_DATA_OFFSET ||
		offset > RS_SEGMENT_BYTES || n > RS_SEGMENT_BYTES - offset)
		return false;
	for (uint64_t unit = offset / UNIT_BYTES; unit < (offset + n) / UNIT_BYTES; unit++)
		if (!claim_unit(reader, unit))
			return false;
	return true;
}
