/* SPDX-License-Identifier: MIT */
/* This file writes the functions that --functions selected into the segment. */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/write.h"
#include "segment/objects.h"
#include "segment/segment.h"

/* Write at an offset. Nothing else uses the descriptor's own offset. Return 0 or an errno value. */
static int write_at(int fd, uint64_t offset, const void *bytes, size_t n)
{
	return lseek(fd, (off_t)offset, SEEK_SET) < 0 ? errno : rs_write_all(fd, bytes, n);
}

bool rs_segment_choose(
	const struct rs_segment *segment, const uint64_t *hashes, size_t n, struct rs_err *err)
{
	const uint32_t n_chosen = (uint32_t)n + 1;
	const uint64_t at = RS_OBJECTS_OFFSET + offsetof(struct rs_objects, n_chosen);
	assert(n <= RS_MAX_CHOSEN);
	int number = write_at(segment->fd, RS_CHOSEN_OFFSET, hashes, n * sizeof(*hashes));
	if (number == 0)
		number = write_at(segment->fd, at, &n_chosen, sizeof(n_chosen));
	return number == 0 || rs_err_set_errno(err, number, "cannot take memory for the segment");
}
