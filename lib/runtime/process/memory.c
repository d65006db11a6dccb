/* SPDX-License-Identifier: MIT */
/*
 * This file maps the segment and allocates memory in it. The window is a range of addresses for the
 * whole segment. Only extents in use are allocated and mapped. The address of an offset in the
 * segment is base plus the offset.
 *
 * An extent is allocated with fallocate() before it is used. If the machine or the memory cgroup is
 * full, fallocate() fails; without it, a marker would get SIGBUS later. The descriptor is checked
 * first, because the program may have closed it and reused its number.
 */
#include <string.h>

#include "runtime/process/process.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17 */
#endif

/* How far the window is below the kernel's new mappings, which do not grow down that far. */
#define WINDOW_DISTANCE (UINT64_C(1) << 43)

/* Sizes to try if the window must be reserved. The smaller ones are for a limited address space. */
static const uint64_t window_sizes[] = {RS_SEGMENT_BYTES, UINT64_C(1) << 32, UINT64_C(1) << 29,
	UINT64_C(1) << 27, UINT64_C(1) << 26};

/* words of a bit set of all extents */
#define MAP_WORDS (RS_SEGMENT_BYTES / RS_EXTENT_BYTES / 64)

/* The size of an extent, plus the private memory that the process uses with it. */
#define WITH_PRIVATE_BYTES (RS_EXTENT_BYTES * 3 / 2)

/* Map at the given address, but only if nothing is mapped there. */
static void *map_free(
	void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset)
{
	void *mapped = rs_sys_mmap(
		address, bytes, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
	if (mapped && mapped != address) { /* before Linux 4.17 */
		RS_SYS(munmap, mapped, bytes);
		return NULL;
	}
	return mapped;
}

/* Find a window without reserving its addresses, because a reservation would count against the
 * program's RLIMIT_AS and, after mlockall(2), its RLIMIT_MEMLOCK. Each extent is later mapped
 * separately; that fails if its addresses are in use. Return false if there is no such window. */
static bool find_window(struct rs_runtime *runtime)
{
#ifdef RS_HAS_SANITIZER /* Sanitizers use fixed ranges of addresses. */
	(void)runtime;
	return false;
#else
	uintptr_t latest = (uintptr_t)runtime; /* the kernel chose this address for a new mapping */
	if (latest < 2 * WINDOW_DISTANCE)
		return false;
	char *base = (char *)((latest - WINDOW_DISTANCE) & ~(RS_EXTENT_BYTES - 1));
	char *ends[] = {base, base + RS_SEGMENT_BYTES - RS_EXTENT_BYTES};
	for (int i = 0; i < 2; i++) {
		if (!map_free(ends[i], RS_EXTENT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0))
			return false;
		RS_SYS(munmap, ends[i], RS_EXTENT_BYTES);
	}
	runtime->base = base;
	runtime->window_bytes = RS_SEGMENT_BYTES;
	return true;
#endif
}

bool rs_memory_init(struct rs_runtime *runtime)
{
	if (find_window(runtime))
		return true;
	for (size_t i = 0; i < sizeof(window_sizes) / sizeof(window_sizes[0]); i++) {
		uint64_t bytes = window_sizes[i];
		runtime->base = rs_sys_mmap(
			NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (!runtime->base)
			continue;
		runtime->window_bytes = bytes;
		runtime->keeps_window = true;
		return true;
	}
	return false;
}

/*
 * Map an extent without a descriptor of the segment. The program has closed its descriptor, and has
 * dropped the rights to open that of the launcher. mremap(2) with an old size of 0 copies a
 * mapping, and the copy may be longer: its last part is the wanted extent. madvise(2) allocates
 * this part, because fallocate(2) needs a descriptor. Copy the nearest extent: after mlockall(2),
 * the kernel allocates the whole copy.
 */
static RS_COLD void *copy_extent(
	struct rs_runtime *runtime, void *wanted, bool is_ours, uint64_t extent)
{
	uint64_t from = extent - 1;
	while (from > 0 && !rs_memory_is_mapped(runtime, from * RS_EXTENT_BYTES))
		from--;
	long less = (long)((extent - from) * RS_EXTENT_BYTES), whole = less + (long)RS_EXTENT_BYTES;
	if (!is_ours && !map_free(wanted, RS_EXTENT_BYTES, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
		return NULL;
	long copy = RS_SYS(
		mremap, runtime->base + from * RS_EXTENT_BYTES, 0, whole, MREMAP_MAYMOVE);
	if (copy > 0) {
		if (RS_SYS(madvise, copy + less, RS_EXTENT_BYTES, MADV_POPULATE_WRITE) == 0 &&
			RS_SYS(mremap, copy + less, RS_EXTENT_BYTES, RS_EXTENT_BYTES,
				MREMAP_MAYMOVE | MREMAP_FIXED, wanted) == (long)wanted) {
			RS_SYS(munmap, copy, less);
			return wanted;
		}
		RS_SYS(munmap, copy, whole);
	}
	if (!is_ours)
		RS_SYS(munmap, wanted, RS_EXTENT_BYTES);
	return NULL;
}

/* fd: of the segment, or -1. */
static bool map_extent(struct rs_runtime *runtime, int fd, uint64_t extent)
{
	uint64_t offset = extent * RS_EXTENT_BYTES;
	if (offset >= RS_FIRST_BYTES && !rs_cgroup_allows(runtime, WITH_PRIVATE_BYTES))
		return false;
	if (fd >= 0 && offset >= RS_FIRST_BYTES &&
		RS_SYS(fallocate, fd, 0, offset, RS_EXTENT_BYTES) < 0)
		return false;
	void *wanted = runtime->base + offset;
	int protection = PROT_READ | PROT_WRITE;
	const uint64_t *left = runtime->mapped + MAP_WORDS;
	bool is_ours = runtime->keeps_window || left[extent / 64] >> extent % 64 & 1;
	/* Store this before the mapping. A child that is forked meanwhile may have the mapping or
	 * not. */
	atomic_store_explicit(&runtime->in_work, 1 + extent, memory_order_release);
	void *address = fd < 0	  ? copy_extent(runtime, wanted, is_ours, extent)
			: is_ours ? rs_sys_replace(wanted, RS_EXTENT_BYTES, protection,
					    MAP_SHARED | MAP_FIXED, fd, offset)
				  : map_free(wanted, RS_EXTENT_BYTES, protection, MAP_SHARED, fd,
					    offset);
	if (!address) {
		atomic_store_explicit(&runtime->in_work, 0, memory_order_release);
		return false;
	}
	/* Populate the extent now, because fast markers should not have page faults. Do not
	 * populate tables, because most of their pages are never touched. MAP_POPULATE is slower,
	 * because it works page by page. */
	if (offset >= RS_DATA_OFFSET)
		RS_SYS(madvise, address, RS_EXTENT_BYTES, MADV_POPULATE_WRITE);
	RS_SYS(madvise, address, RS_EXTENT_BYTES, MADV_DONTDUMP);
	if (runtime->mapped_end <= extent)
		runtime->mapped_end = extent + 1;
	/* Release pairs with the acquire load in rs_memory_is_mapped(). */
	__atomic_fetch_or(
		&runtime->mapped[extent / 64], UINT64_C(1) << extent % 64, __ATOMIC_RELEASE);
	atomic_store_explicit(&runtime->in_work, 0, memory_order_release);
	return true;
}

/* Return true if a shared mapping is at this address. Only a shared mapping can be copied by a call
 * of mremap(2) with an old size of 0. */
static bool is_shared(void *address)
{
	long copy = RS_SYS(mremap, address, 0, RS_EXTENT_BYTES, MREMAP_MAYMOVE);
	if (copy < 0)
		return false;
	RS_SYS(munmap, copy, RS_EXTENT_BYTES);
	return true;
}

void rs_memory_inherit(struct rs_runtime *runtime)
{
	uint64_t extent = atomic_load_explicit(&runtime->in_work, memory_order_relaxed);
	/* Never replace a private mapping: something else may use it. The window is far from the
	 * mappings of programs, so a shared one is the segment's. */
	if (extent-- && is_shared(runtime->base + extent * RS_EXTENT_BYTES))
		runtime->mapped[MAP_WORDS + extent / 64] |= UINT64_C(1) << extent % 64;
}

void rs_memory_refuse(struct rs_runtime *runtime)
{
	if (runtime->header)
		atomic_fetch_add_explicit(
			&runtime->header->diag[RS_SEGMENT_DIAG_MEMORY], 1, memory_order_relaxed);
}

bool rs_memory_ensure(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	bool opened = false, done = false;
	int fd = -1;
	/* Acquire pairs with the release store in rs_memory_leave(). */
	if (atomic_load_explicit(&runtime->has_left, memory_order_acquire))
		return false;
	if (!bytes || bytes > runtime->window_bytes || offset > runtime->window_bytes - bytes)
		goto out; /* Another process may have written a wrong offset. */
	for (uint64_t extent = offset / RS_EXTENT_BYTES;
		extent <= (offset + bytes - 1) / RS_EXTENT_BYTES; extent++) {
		if (rs_memory_is_mapped(runtime, extent * RS_EXTENT_BYTES))
			continue;
		if (fd < 0)
			fd = rs_address_descriptor(runtime, &opened);
		if (fd < 0 && !rs_memory_is_mapped(runtime, 0))
			goto out;
		if (!map_extent(runtime, fd, extent))
			goto out;
	}
	done = true;
out:
	if (opened)
		RS_SYS(close, fd);
	if (!done)
		rs_memory_refuse(runtime);
	return done;
}

void *rs_memory_at(struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	return rs_memory_ensure(runtime, offset, bytes) ? rs_at(runtime, offset) : NULL;
}

void rs_memory_leave(struct rs_runtime *runtime)
{
	uint64_t mask;
	struct rs_live *live = runtime->live;
	rs_lock(runtime, &mask);
	/* Do not visit the words after these: even reading them would allocate their pages. */
	for (uint64_t i = 0; i < (runtime->mapped_end + 63) / 64; i++) {
		for (uint64_t bits = runtime->mapped[i]; bits; bits &= bits - 1) {
			uint64_t extent = i * 64 + (uint32_t)__builtin_ctzll(bits);
			rs_sys_replace(runtime->base + extent * RS_EXTENT_BYTES, RS_EXTENT_BYTES,
				PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
		}
		runtime->mapped[MAP_WORDS + i] |= runtime->mapped[i];
		__atomic_store_n(&runtime->mapped[i], 0, __ATOMIC_RELAXED);
	}
	runtime->mapped_end = 0;
	live->extent_next = live->extent_end = 0;
	live->spare_region = 0;
	/* Release orders all of this before a new measurement. */
	atomic_store_explicit(&runtime->has_left, true, memory_order_release);
	rs_unlock(runtime, &mask);
}

void *rs_chunk_allocate(
	const struct rs_runtime *runtime, struct rs_chunk **list, uint64_t bytes, bool present)
{
	bool is_listed = runtime->is_attached || runtime->n_attach;
	uint64_t head = is_listed ? sizeof(struct rs_chunk) : 0;
	struct rs_chunk *chunk = present ? rs_sys_allocate_present(head + bytes)
					 : rs_sys_allocate(head + bytes);
	if (!chunk || !head)
		return chunk;
	chunk->next = *list;
	chunk->bytes = head + bytes;
	*list = chunk;
	return chunk + 1;
}

void rs_chunks_free(struct rs_chunk **list)
{
	struct rs_chunk *chunk = *list;
	*list = NULL;
	while (chunk) {
		struct rs_chunk *next = chunk->next;
		RS_SYS(munmap, chunk, chunk->bytes);
		chunk = next;
	}
}

bool rs_memory_is_data(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	/* No thread slot has memory beyond data_end, so such an offset is wrong. */
	uint64_t end = atomic_load_explicit(&runtime->header->data_end, memory_order_relaxed);
	return offset >= RS_DATA_OFFSET && offset % RS_DATA_UNIT == 0 && bytes <= RS_EXTENT_BYTES &&
	       bytes <= end && offset <= end - bytes;
}

bool rs_memory_is_present(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	return rs_memory_is_data(runtime, offset, bytes) && rs_memory_is_mapped(runtime, offset) &&
	       rs_memory_is_mapped(runtime, offset + bytes - 1);
}

/* take_extents() and reserve() are inlined, so that their callers need less stack. */
RS_INLINE uint64_t take_extents(struct rs_runtime *runtime, uint64_t bytes)
{
	_Atomic uint64_t *data_end = &runtime->header->data_end;
	/* Relaxed is enough: no other process uses this process's extents. */
	uint64_t offset = atomic_fetch_add_explicit(data_end, bytes, memory_order_relaxed);
	uint64_t end = offset + bytes;
	if (offset < RS_DATA_OFFSET || offset % RS_EXTENT_BYTES)
		rs_memory_refuse(runtime); /* Another process has overwritten the header. */
	else if (rs_memory_ensure(runtime, offset, bytes))
		return offset;
	/* Give the extents back, unless another process has taken the next ones. */
	atomic_compare_exchange_strong_explicit(
		data_end, &end, offset, memory_order_relaxed, memory_order_relaxed);
	return 0;
}

uint64_t rs_memory_take_extents(struct rs_runtime *runtime, uint64_t bytes)
{
	return take_extents(runtime, bytes);
}

RS_INLINE bool reserve(struct rs_runtime *runtime, uint64_t bytes)
{
	struct rs_live *live = runtime->live;
	if (live->extent_end - live->extent_next >= bytes)
		return true;
	bytes = (bytes + RS_EXTENT_BYTES - 1) & ~(RS_EXTENT_BYTES - 1);
	uint64_t offset = take_extents(runtime, bytes);
	if (!offset)
		return false;
	live->extent_next = offset;
	live->extent_end = offset + bytes;
	return true;
}

bool rs_memory_reserve(struct rs_runtime *runtime, uint64_t bytes)
{
	return reserve(runtime, bytes);
}

/* Take a piece of memory from the process's extents. Return its offset, or 0 if memory is refused.
 * The caller holds the lock. */
static uint64_t take_piece(struct rs_runtime *runtime, uint64_t bytes)
{
	struct rs_live *live = runtime->live;
	if (!reserve(runtime, bytes))
		return 0;
	uint64_t piece = live->extent_next;
	live->extent_next += bytes;
	return piece;
}

bool rs_memory_supply(struct rs_thread *thread, uint32_t bytes)
{
	struct rs_slot *slot = thread->part.slot;
	uint64_t piece_bytes = (bytes + RS_PIECE_BYTES - 1) & ~(RS_PIECE_BYTES - 1);
	uint64_t piece = take_piece(thread->runtime, piece_bytes);
	if (!piece)
		return false;
	uint64_t end = piece + piece_bytes;
	/* If the new piece directly follows the latest one, extend the free rest of that piece. */
	if (piece == thread->part.piece_end)
		piece = thread->part.piece_next;
	/* Store piece_end as 0 while piece_next changes. So if the process is killed, the thread
	 * that adopts the slot never finds a mixture of two pieces. */
	atomic_store_explicit(&slot->piece_end, 0, memory_order_release);
	atomic_store_explicit(&slot->piece_next, piece, memory_order_release);
	atomic_store_explicit(&slot->piece_end, end, memory_order_release);
	thread->part.piece_next = piece;
	thread->part.piece_end = end;
	return true;
}

/* Return the first multiple of unit at which the thread's piece has this many free bytes, or 0.
 * next may exceed end, if two kernel tasks with this thread's state took the last bytes. */
static uint64_t find_room(const struct rs_thread *thread, uint32_t bytes, uint32_t unit)
{
	uint64_t next = (thread->part.piece_next + unit - 1) & ~(uint64_t)(unit - 1);
	uint64_t end = thread->part.piece_end;
	return next <= end && end - next >= bytes ? next : 0;
}

uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes, uint32_t unit)
{
	if (!*thread->is_here) /* A handler has forked: the memory is the parent's. */
		return 0;
	uint64_t taken = find_room(thread, bytes, unit);
	if (!taken) {
		uint64_t mask;
		rs_lock(thread->runtime, &mask);
		bool supplied = rs_memory_supply(thread, bytes);
		rs_unlock(thread->runtime, &mask);
		taken = supplied ? find_room(thread, bytes, unit) : 0;
	}
	if (!taken)
		return 0;
	/* Take the memory before it is used. If a handler jumps out of the marker here, the memory
	 * is only wasted. In the other order, the next call would use the same memory again. */
	thread->part.piece_next = taken + bytes;
	atomic_store_explicit(&thread->part.slot->piece_next, taken + bytes, memory_order_relaxed);
	/* Another process may have written there. */
	memset(thread->base + taken, 0, bytes);
	return taken;
}
