/* SPDX-License-Identifier: MIT */
/*
 * This file decides which regions --only selects. The globs of --only are read from the segment
 * once, into private memory. All sites of filtered regions get the same mark, and markers with this
 * mark return at once (filtered.c). A thread that uses only such sites is not attached.
 */
#include <string.h>

#include "base/glob.h"
#include "runtime/process/process.h"
#include "runtime/process/self.h"

bool rs_only_read(struct rs_runtime *runtime, int fd, const struct rs_segment_header *header)
{
	uint64_t bytes = (uint64_t)header->n_only * RS_GLOB_BYTES;
	rs_store_32(&runtime->n_only, 0);
	if (!header->n_only)
		return true;
	if (header->n_only > RS_MAX_ONLY)
		return false;
	/* Markers that are about to return may still read this memory at the next attach. So it is
	 * never freed, but used again. */
	char(*only)[RS_GLOB_BYTES] = (void *)(uintptr_t)runtime->only;
	if (!only)
		only = rs_sys_allocate(RS_MAX_ONLY * RS_GLOB_BYTES);
	if (!only || RS_SYS(pread64, fd, only, bytes, RS_ONLY_OFFSET) != (long)bytes)
		return false;
	for (uint32_t i = 0; i < header->n_only; i++)
		only[i][RS_GLOB_BYTES - 1] = '\0';
	runtime->only = only;
	rs_store_32(&runtime->n_only, header->n_only);
	return true;
}

bool rs_only_has(const struct rs_runtime *runtime, const char *name)
{
	/* "(other)" may hold calls of any region. */
	bool has = !runtime->n_only || strcmp(name, RS_REGION_OTHER_NAME) == 0;
	for (uint32_t i = 0; !has && i < runtime->n_only; i++)
		has = rs_glob_matches(runtime->only[i], name);
	return has;
}
