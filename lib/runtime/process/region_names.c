/* SPDX-License-Identifier: MIT */
/*
 * This file translates region names to indices of the region table, which all processes of a run
 * share. The table only grows. An entry is complete before its bucket refers to it, so readers
 * never wait. If the table is full, a new name gets the region "(other)", index 0.
 */
#include <string.h>

#include "runtime/process/process.h"
#include "segment/objects.h"

/* A region's name and properties, as the table stores them. */
struct name {
	char text[RS_NAME_BYTES];
	uint32_t bytes;
	uint32_t hash;
	uint32_t flags;
	uint32_t work_of; /* This and the next two are as in struct rs_region. */
	uint64_t work_bytes;
	uint64_t work_flops;
};

/* Shorten a name that is too long: keep its start, cut between characters, and append '~' and a
 * hash of the whole name. */
static void shorten(struct name *name, const char *text, size_t bytes)
{
	uint64_t hash = (uint64_t)rs_name_hash(text, (uint32_t)bytes) << 32 |
			rs_name_hash(text + bytes / 2, (uint32_t)(bytes - bytes / 2));
	size_t head = RS_NAME_BYTES - 1 - 17;
	while (head > RS_NAME_BYTES / 2 && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;
	memcpy(name->text, text, head);
	name->text[head++] = '~';
	for (int shift = 60; shift >= 0; shift -= 4)
		name->text[head++] = "0123456789abcdef"[hash >> shift & 15];
	name->text[head] = '\0';
	name->bytes = (uint32_t)head;
	name->flags = RS_REGION_TRUNCATED;
}

static void normalise(struct name *name, const char *text)
{
	if (!text || !*text)
		text = "(unnamed)";
	size_t bytes = strlen(text);
	if (bytes >= RS_NAME_BYTES) {
		shorten(name, text, bytes);
	} else {
		memcpy(name->text, text, bytes + 1);
		name->bytes = (uint32_t)bytes;
		name->flags = 0;
	}
	name->hash = rs_name_hash(name->text, name->bytes);
	name->work_of = 0;
	name->work_bytes = name->work_flops = 0;
}

static _Atomic uint32_t *bucket_at(struct rs_runtime *runtime, uint32_t bucket)
{
	return (_Atomic uint32_t *)rs_at(runtime, RS_BUCKETS_OFFSET) + bucket % RS_REGION_BUCKETS;
}

static uint64_t region_offset(uint32_t index)
{
	return RS_REGIONS_OFFSET + (uint64_t)index * sizeof(struct rs_region);
}

/* Return the region's entry. Return NULL if its extent is not mapped in this process, or if the
 * index is not a region's, such as RS_REGION_NONE. */
static struct rs_region *region_at(struct rs_runtime *runtime, uint32_t index)
{
	uint64_t offset = region_offset(index);
	if (index >= RS_MAX_REGIONS || !rs_memory_is_mapped(runtime, offset) ||
		!rs_memory_is_mapped(runtime, offset + sizeof(struct rs_region) - 1))
		return NULL;
	return rs_at(runtime, offset);
}

static bool is_named(const struct rs_region *region, const struct name *name)
{
	return region->hash == name->hash && region->name_bytes == name->bytes &&
	       !memcmp(region->name, name->text, name->bytes);
}

enum probe { PROBE_FOUND, PROBE_FREE, PROBE_UNMAPPED, PROBE_FULL };

/* Search a name's buckets from *bucket on. Stop at the name's region and fill *index, or stop at
 * the first free bucket. */
static enum probe probe(
	struct rs_runtime *runtime, const struct name *name, uint32_t *bucket, uint32_t *index)
{
	for (uint32_t tries = 0; tries < RS_REGION_BUCKETS; tries++, ++*bucket) {
		/* Acquire pairs with the release in add_region(): the entry is complete. */
		uint32_t value = atomic_load_explicit(
			bucket_at(runtime, *bucket), memory_order_acquire);
		if (!value)
			return PROBE_FREE;
		if (value > RS_MAX_REGIONS)
			return PROBE_FULL; /* Another process has overwritten the table. */
		*index = value - 1;
		const struct rs_region *region = region_at(runtime, *index);
		if (!region)
			return PROBE_UNMAPPED;
		if (is_named(region, name))
			return PROBE_FOUND;
	}
	return PROBE_FULL;
}

/* Find the region with this name, and set *index. Return false if there is none. */
static bool find(struct rs_runtime *runtime, const struct name *name, uint32_t *index)
{
	uint32_t bucket = name->hash, found;
	bool is_found = probe(runtime, name, &bucket, &found) == PROBE_FOUND;
	if (is_found)
		*index = found;
	return is_found;
}

/* Take an entry for a new name. Return 0 if the table is full. The caller holds the lock. */
static uint32_t take_entry(struct rs_runtime *runtime)
{
	uint32_t index = runtime->live->spare_region;
	runtime->live->spare_region = 0;
	if (index)
		return index;
	struct rs_segment_header *header = runtime->header;
	if (atomic_load_explicit(&header->n_regions, memory_order_relaxed) >= RS_MAX_REGIONS)
		return 0;
	index = atomic_fetch_add_explicit(&header->n_regions, 1, memory_order_relaxed);
	return index < RS_MAX_REGIONS ? index : 0;
}

/* Add a name whose search ended at a free bucket. Return RS_REGION_NONE if memory is refused. The
 * caller holds the lock. */
static uint32_t add_region(struct rs_runtime *runtime, const struct name *name, uint32_t bucket)
{
	uint32_t index = take_entry(runtime), other;
	if (!index)
		goto full;
	if (!rs_memory_ensure(runtime, region_offset(index), sizeof(struct rs_region))) {
		runtime->live->spare_region = index;
		return RS_REGION_NONE;
	}
	struct rs_region *region = region_at(runtime, index);
	/* Atomic: threads that found the region through a site's mark may read these words now.
	 * Only the launcher stores other values than 0, before the program starts. */
	__atomic_store_n(&region->flags, name->flags, __ATOMIC_RELAXED);
	__atomic_store_n(&region->sample_calls, 0, __ATOMIC_RELAXED);
	region->work_of = name->work_of;
	region->work_bytes = name->work_bytes;
	region->work_flops = name->work_flops;
	region->hash = name->hash;
	region->name_bytes = name->bytes;
	memcpy(region->name, name->text, sizeof(region->name));
	atomic_store_explicit(&region->state, RS_REGION_READY, memory_order_relaxed);
	for (;;) {
		uint32_t free = 0;
		/* Release pairs with the acquire load in probe(). */
		if (atomic_compare_exchange_strong_explicit(bucket_at(runtime, bucket), &free,
			    index + 1, memory_order_release, memory_order_relaxed))
			return index;
		enum probe result = probe(runtime, name, &bucket, &other);
		if (result == PROBE_UNMAPPED &&
			rs_memory_ensure(runtime, region_offset(other), sizeof(struct rs_region)))
			continue;
		if (result == PROBE_FREE)
			continue;
		/* Another process has added the name first, or the table is damaged. Keep the
		 * unused entry for the next name. */
		atomic_store_explicit(&region->state, RS_REGION_EMPTY, memory_order_relaxed);
		runtime->live->spare_region = index;
		if (result == PROBE_FOUND)
			return other;
		goto full;
	}
full:
	atomic_fetch_add_explicit(
		&runtime->header->diag[RS_SEGMENT_DIAG_REGIONS], 1, memory_order_relaxed);
	return 0;
}

/* Return true if the marked region `base` can get one more region for a kind of work. take_place()
 * also takes the place for that region. */
static bool has_place(const struct rs_region *base)
{
	return atomic_load_explicit(&base->n_works, memory_order_relaxed) < RS_MAX_WORKS;
}

static bool take_place(struct rs_region *base)
{
	return has_place(base) &&
	       atomic_fetch_add_explicit(&base->n_works, 1, memory_order_relaxed) < RS_MAX_WORKS;
}

#define NO_PLACE UINT32_MAX

/* Find or add a name under the lock. base is NULL, or the marked region whose work the name
 * describes. Return NO_PLACE if base already has RS_MAX_WORKS regions for kinds of work. Because of
 * the lock, two threads that add the same name take only one place. */
static RS_COLD uint32_t region_index_slow(
	struct rs_runtime *runtime, const struct name *name, struct rs_region *base)
{
	uint32_t bucket = name->hash, index = 0;
	uint64_t mask;
	rs_lock(runtime, &mask);
	enum probe result;
	while ((result = probe(runtime, name, &bucket, &index)) == PROBE_UNMAPPED)
		if (!rs_memory_ensure(runtime, region_offset(index), sizeof(struct rs_region)))
			break;
	if (result == PROBE_FREE)
		index = base && !take_place(base) ? NO_PLACE : add_region(runtime, name, bucket);
	else if (result != PROBE_FOUND)
		index = result == PROBE_UNMAPPED ? RS_REGION_NONE : 0;
	rs_unlock(runtime, &mask);
	return index;
}

static uint32_t find_or_add(struct rs_runtime *runtime, const struct name *name)
{
	uint32_t index;
	return find(runtime, name, &index) ? index : region_index_slow(runtime, name, NULL);
}

/* Filtered regions are listed only while at most half of the table is used. */
#define MOST_LISTED (RS_MAX_REGIONS / 2)

/* Add a filtered region to the table, so that messages can suggest similar names. A forked child
 * that has no process entry of its own does not add it. Return the index, or RS_REGION_FILTERED. */
static uint32_t list(struct rs_runtime *runtime, struct name *name)
{
	uint32_t index = 0;
	name->flags |= RS_REGION_IS_FILTERED;
	if (!find(runtime, name, &index) &&
		atomic_load_explicit(&runtime->live->is_here, memory_order_relaxed) &&
		atomic_load_explicit(&runtime->header->n_regions, memory_order_relaxed) <
			MOST_LISTED)
		index = region_index_slow(runtime, name, NULL);
	return index && index < RS_MAX_REGIONS ? index : RS_REGION_FILTERED;
}

/* Return true if the name belongs to a code address and does not come from the program. */
static bool is_place(struct rs_runtime *runtime, const struct name *name)
{
	uint32_t index;
	return name->text[0] == RS_PLACE_FIRST && find(runtime, name, &index) &&
	       __atomic_load_n(&region_at(runtime, index)->flags, __ATOMIC_RELAXED) &
		       RS_REGION_IS_ADDRESS;
}

/* Return true if the region should be measured. This is always true for a code address, because its
 * function's name is not known yet and no glob can match it. */
static bool is_wanted(struct rs_runtime *runtime, const struct name *name)
{
	return rs_only_has(runtime, name->text) || is_place(runtime, name);
}

bool rs_region_is_filtered(struct rs_runtime *runtime, uint32_t index)
{
	const struct rs_region *region = rs_load_32(&runtime->n_only) ? region_at(runtime, index)
								      : NULL;
	return region && __atomic_load_n(&region->flags, __ATOMIC_RELAXED) & RS_REGION_IS_FILTERED;
}

bool rs_site_find_filtered(struct regionstat_site_ *site)
{
	if (rs_is_calling_out(rs_self))
		return true;
	uint32_t filtered = rs_region_mark(RS_REGION_FILTERED);
	uint32_t mark = rs_load_32(&site->region_);
	if (mark || !rs_load_32(&rs_state->n_only))
		return mark == filtered || rs_site_is_filtered(rs_state, mark);
	struct name name;
	normalise(&name, site->name_);
	if (is_wanted(rs_state, &name))
		return false;
	list(rs_state, &name); /* if it is new */
	/* Relaxed: every thread that looks up this site stores the same mark. */
	if (!rs_load_flag(&rs_state->is_attached))
		__atomic_store_n(&site->region_, filtered, __ATOMIC_RELAXED);
	return true;
}

bool rs_region_find(struct rs_runtime *runtime, const char *text, uint32_t *index)
{
	struct name name;
	normalise(&name, text);
	return is_wanted(runtime, &name) && find(runtime, &name, index);
}

bool rs_region_is_named(struct rs_runtime *runtime, uint32_t index, const char *text)
{
	const struct rs_region *region = region_at(runtime, index);
	for (uint32_t i = 0; region && text && i < RS_NAME_BYTES; i++) {
		if (region->name[i] != text[i])
			return false;
		if (!text[i])
			return i > 0;
	}
	return false;
}

bool rs_region_name(struct rs_runtime *runtime, uint32_t index, char *name)
{
	const struct rs_region *region = region_at(runtime, index);
	if (!region)
		return false;
	/* Any process may have overwritten the name. */
	memcpy(name, region->name, RS_NAME_BYTES);
	name[RS_NAME_BYTES - 1] = '\0';
	return true;
}

uint32_t rs_region_index(struct rs_runtime *runtime, const char *text)
{
	struct name name;
	normalise(&name, text);
	if (is_wanted(runtime, &name))
		return find_or_add(runtime, &name);
	uint32_t index = list(runtime, &name);
	return runtime->is_attached ? index : RS_REGION_FILTERED;
}

void rs_region_add_place(struct rs_runtime *runtime, const char *text)
{
	struct name name;
	normalise(&name, text);
	name.flags |= RS_REGION_IS_ADDRESS;
	uint32_t index = find_or_add(runtime, &name);
	/* If the region does not have this flag yet, the program imitates such names. */
	struct rs_region *region = index ? region_at(runtime, index) : NULL;
	if (region)
		__atomic_fetch_or(&region->flags, RS_REGION_IS_ADDRESS, __ATOMIC_RELAXED);
}

/* ---- regions by work: calls of one region that did the same work ---- */

/* Fill name with the name of a region by work: "copy [4096 B, 0 flop]", or "copy [other]" if
 * is_other is true. Any process may have overwritten base, so the name is ended with a NUL first.
 * The function is not inlined, so that its buffer is no longer on the stack when the caller calls
 * other functions. */
static __attribute__((noinline)) void name_work(struct name *name, const struct rs_region *base,
	uint64_t bytes, uint64_t flops, bool is_other)
{
	char text[RS_NAME_BYTES + 64], *end;
	memcpy(text, base->name, RS_NAME_BYTES);
	text[RS_NAME_BYTES - 1] = '\0';
	end = rs_add_text(text + strlen(text), " [");
	if (is_other) {
		end = rs_add_text(end, "other");
	} else {
		end = rs_add_text(rs_add_number(end, bytes), " B, ");
		end = rs_add_text(rs_add_number(end, flops), " flop");
	}
	rs_add_text(end, "]");
	normalise(name, text);
}

uint32_t rs_region_of_work(
	struct rs_runtime *runtime, uint32_t index, uint64_t bytes, uint64_t flops)
{
	struct rs_region *base = region_at(runtime, index);
	struct name name;
	uint32_t found;
	if (!index || !base || !rs_memory_is_mapped(runtime, region_offset(index)))
		return index;
	name_work(&name, base, bytes, flops, false);
	name.work_of = 1 + index;
	name.work_bytes = bytes;
	name.work_flops = flops;
	uint32_t bucket = name.hash;
	enum probe result = probe(runtime, &name, &bucket, &found);
	if (result == PROBE_FREE && !has_place(base))
		found = NO_PLACE;
	else if (result != PROBE_FOUND)
		found = region_index_slow(runtime, &name, base);
	if (found == NO_PLACE) {
		name_work(&name, base, 0, 0, true);
		name.flags |= RS_REGION_OTHER_WORK;
		name.work_of = 1 + index;
		name.work_bytes = name.work_flops = 0;
		found = find_or_add(runtime, &name);
	}
	/* If there is no region for this work, the marked region itself counts the calls. */
	const struct rs_region *region = found ? region_at(runtime, found) : NULL;
	return region && region->work_of == name.work_of ? found : index;
}

void rs_region_end_by_name(struct rs_runtime *runtime, uint32_t index)
{
	struct rs_region *region = region_at(runtime, index);
	if (region && !(__atomic_load_n(&region->flags, __ATOMIC_RELAXED) & RS_REGION_BY_NAME))
		__atomic_fetch_or(&region->flags, RS_REGION_BY_NAME, __ATOMIC_RELAXED);
}

uint32_t rs_region_sample_calls(struct rs_runtime *runtime, uint32_t index)
{
	const struct rs_region *region = region_at(runtime, index);
	/* Relaxed: the word is set before the region can be found. */
	uint32_t own = region ? __atomic_load_n(&region->sample_calls, __ATOMIC_RELAXED) : 0;
	if (own || runtime->budget_ppm)
		return own;
	return runtime->sample_calls;
}
