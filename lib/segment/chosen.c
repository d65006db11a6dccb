/* SPDX-License-Identifier: MIT */
/* This file writes the functions that --functions selected into the segment. */
#include <errno.h>
#include <unistd.h>

#include "segment/objects.h"
#include "segment/segment.h"

static bool write_all(int fd, uint64_t offset, const void *bytes, size_t n)
{
	const char *from = bytes;
	while (n > 0) {
		ssize_t written = pwrite(fd, from, n, (off_t)offset);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		from += written;
		offset += (uint64_t)written;
		n -= (size_t)written;
	}
	return true;
}

bool rs_segment_choose(
	const struct rs_segment *segment, const uint64_t *hashes, size_t n, struct rs_err *err)
{
	const uint32_t n_chosen = (uint32_t)n + 1;
	const uint64_t at = RS_OBJECTS_OFFSET + offsetof(struct rs_objects, n_chosen);
	if (n <= RS_MAX_CHOSEN &&
		write_all(segment->fd, RS_CHOSEN_OFFSET, hashes, n * sizeof(*hashes)) &&
		write_all(segment->fd, at, &n_chosen, sizeof(n_chosen)))
		return true;
	return rs_err_set_errno(err, errno, "cannot take memory for the segment");
}
