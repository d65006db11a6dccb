/* SPDX-License-Identifier: MIT */
/*
 * This file keeps the region table from one measurement to the next. The program's markers keep the
 * indices of their regions. So when regionstat attaches to a process again, the process first fills
 * the new table with the regions that it knows, at the same indices. Then it adds the regions that
 * the launcher has named.
 */
#include <string.h>

#include "runtime/process/process.h"

#define KEPT_FLAGS \
	(RS_REGION_TRUNCATED | RS_REGION_BY_NAME | RS_REGION_IS_ADDRESS | RS_REGION_OTHER_WORK)

#define ROOM_BYTES (RS_MAX_REGIONS * sizeof(struct rs_region))

static uint32_t count(const struct rs_runtime *runtime)
{
	uint32_t n = atomic_load_explicit(&runtime->header->n_regions, memory_order_relaxed);
	return n < RS_MAX_REGIONS ? n : RS_MAX_REGIONS;
}

/* Copy the first n entries of the table to private memory. Return NULL if memory runs out. */
static struct rs_region *copy_table(struct rs_runtime *runtime, uint32_t n)
{
	uint64_t bytes = (uint64_t)n * sizeof(struct rs_region);
	if (!rs_memory_ensure(runtime, RS_REGIONS_OFFSET, bytes))
		return NULL;
	struct rs_region *copy = rs_sys_allocate(bytes);
	if (copy)
		memcpy(copy, rs_at(runtime, RS_REGIONS_OFFSET), bytes);
	return copy;
}

/* The process knows only regions in mapped extents, so this function cannot fail. */
void rs_regions_keep(struct rs_runtime *runtime)
{
	uint64_t offset = RS_REGIONS_OFFSET;
	/* Saved regions mean that the last attempt to attach failed before it filled the table. */
	if (runtime->n_earlier || !runtime->earlier || !rs_memory_is_mapped(runtime, 0))
		return;
	uint32_t n = count(runtime);
	for (uint32_t i = 0; i < n; i++, offset += sizeof(struct rs_region))
		if (rs_memory_is_mapped(runtime, offset) &&
			rs_memory_is_mapped(runtime, offset + sizeof(struct rs_region) - 1))
			memcpy(&runtime->earlier[i], rs_at(runtime, offset),
				sizeof(struct rs_region));
	runtime->n_earlier = n;
}

/* Any process may have written into the old table, so the entry is made anew. */
static void put(struct rs_runtime *runtime, uint32_t index, const struct rs_region *from)
{
	struct rs_region *to = (struct rs_region *)rs_at(runtime, RS_REGIONS_OFFSET) + index;
	_Atomic uint32_t *buckets = rs_at(runtime, RS_BUCKETS_OFFSET);
	char name[RS_NAME_BYTES];
	memset(to, 0, sizeof(*to));
	memcpy(name, from->name, sizeof(name));
	name[RS_NAME_BYTES - 1] = '\0';
	if (atomic_load_explicit(&from->state, memory_order_relaxed) != RS_REGION_READY || !name[0])
		return;
	to->flags = from->flags & KEPT_FLAGS;
	if (!(to->flags & RS_REGION_IS_ADDRESS) && !from->work_of && !rs_only_has(runtime, name))
		to->flags |= RS_REGION_IS_FILTERED;
	to->name_bytes = (uint32_t)strlen(name);
	to->hash = rs_name_hash(name, to->name_bytes);
	to->work_of = from->work_of;
	to->work_bytes = from->work_bytes;
	to->work_flops = from->work_flops;
	atomic_store_explicit(&to->n_works,
		atomic_load_explicit(&from->n_works, memory_order_relaxed), memory_order_relaxed);
	memcpy(to->name, name, sizeof(name));
	uint32_t bucket = to->hash;
	while (atomic_load_explicit(&buckets[bucket % RS_REGION_BUCKETS], memory_order_relaxed))
		bucket++;
	atomic_store_explicit(
		&buckets[bucket % RS_REGION_BUCKETS], index + 1, memory_order_relaxed);
	atomic_store_explicit(&to->state, RS_REGION_READY, memory_order_relaxed);
}

bool rs_regions_restore(struct rs_runtime *runtime)
{
	uint32_t n = runtime->n_earlier, n_named = count(runtime);
	uint64_t bytes = (uint64_t)n * sizeof(struct rs_region);
	if (runtime->is_attached && !runtime->earlier)
		runtime->earlier = rs_sys_allocate(ROOM_BYTES);
	if (runtime->is_attached && !runtime->earlier)
		return false;
	if (!n)
		return true;
	if (!rs_memory_ensure(runtime, RS_REGIONS_OFFSET, bytes))
		return false;
	struct rs_region *named = copy_table(runtime, n_named);
	if (!named)
		return false;
	memset(rs_at(runtime, RS_BUCKETS_OFFSET), 0, RS_REGION_BUCKETS * sizeof(uint32_t));
	put(runtime, 0, &named[0]);
	((struct rs_region *)rs_at(runtime, RS_REGIONS_OFFSET))->sample_calls =
		named[0].sample_calls;
	for (uint32_t i = 1; i < n; i++)
		put(runtime, i, &runtime->earlier[i]);
	atomic_store_explicit(&runtime->header->n_regions, n, memory_order_relaxed);
	for (uint32_t i = 1; i < n_named; i++) {
		named[i].name[RS_NAME_BYTES - 1] = '\0';
		uint32_t index = rs_region_index(runtime, named[i].name);
		if (index && index < RS_MAX_REGIONS)
			((struct rs_region *)rs_at(runtime, RS_REGIONS_OFFSET))[index]
				.sample_calls = named[i].sample_calls;
	}
	RS_SYS(munmap, named, (uint64_t)n_named * sizeof(*named));
	RS_SYS(madvise, runtime->earlier, ROOM_BYTES, MADV_DONTNEED);
	runtime->n_earlier = 0;
	return true;
}
