/* SPDX-License-Identifier: MIT */
/*
 * The window: addresses for the whole segment, of which only the extents in use are allocated and
 * mapped. An offset in the segment is an address by one addition.
 *
 * Extents are allocated with fallocate before they are touched, so a full machine or memory cgroup
 * is refused memory here and never gets SIGBUS in a marker. Before that the descriptor is
 * proven to be the segment, since the program may have closed it and reused its number.
 */
#include <string.h>

#include "runtime/process/process.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17 */
#endif

/* From where the kernel maps what may be anywhere down to the window: programs do not grow there. */
#define WINDOW_DISTANCE (UINT64_C(1) << 43)

/* Where addresses have to be kept: less and less, when they are rationed. */
static const uint64_t window_sizes[] = {RS_SEGMENT_BYTES, UINT64_C(1) << 32, UINT64_C(1) << 29,
	UINT64_C(1) << 27, UINT64_C(1) << 26};

/* An extent, and what the process takes of private memory beside it. */
#define WITH_PRIVATE_BYTES (RS_EXTENT_BYTES * 3 / 2)

/* Map where nothing is mapped yet, and nowhere else. */
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

/*
 * A window without keeping its addresses: what is kept counts as the program's, against RLIMIT_AS
 * and, after mlockall(2), RLIMIT_MEMLOCK, whether they are in force by now or later. Extents are
 * mapped one by one, where they are free; one that is not is refused. False: not found, and under a
 * sanitizer not looked for.
 */
static bool find_window(struct rs_runtime *runtime)
{
#ifdef RS_HAS_SANITIZER /* these know by the address what memory is for */
	(void)runtime;
	return false;
#else
	char *probe = rs_sys_mmap(
		NULL, RS_EXTENT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!probe)
		return false;
	RS_SYS(munmap, probe, RS_EXTENT_BYTES);
	if ((uintptr_t)probe < 2 * WINDOW_DISTANCE)
		return false;
	char *base = (char *)((uintptr_t)(probe - WINDOW_DISTANCE) & ~(RS_EXTENT_BYTES - 1));
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

static __attribute__((noinline)) bool is_segment(const struct rs_runtime *runtime, int fd)
{
	struct stat status;
	return rs_address_stat(fd, &status) && status.st_dev == runtime->device &&
	       status.st_ino == runtime->inode;
}

/* The segment's descriptor, opened again when the program closed it; *opened says close it. */
static int segment_descriptor(struct rs_runtime *runtime, bool *opened)
{
	*opened = false;
	if (runtime->fd >= 0 && is_segment(runtime, runtime->fd))
		return runtime->fd;
	int fd = rs_address_open(runtime->launcher_pid, runtime->launcher_fd);
	if (fd >= 0 && !is_segment(runtime, fd)) {
		RS_SYS(close, fd);
		return -1;
	}
	*opened = fd >= 0;
	return fd;
}

static bool map_extent(struct rs_runtime *runtime, int fd, uint64_t extent)
{
	uint64_t offset = extent * RS_EXTENT_BYTES;
	if (offset >= RS_FIRST_BYTES && !rs_cgroup_allows(runtime->cgroup, WITH_PRIVATE_BYTES))
		return false;
	if (offset >= RS_FIRST_BYTES && RS_SYS(fallocate, fd, 0, offset, RS_EXTENT_BYTES) < 0)
		return false;
	void *wanted = runtime->base + offset;
	int protection = PROT_READ | PROT_WRITE;
	void *address = runtime->keeps_window ? rs_sys_mmap(wanted, RS_EXTENT_BYTES, protection,
							MAP_SHARED | MAP_FIXED, fd, offset)
					      : map_free(wanted, RS_EXTENT_BYTES, protection,
							MAP_SHARED, fd, offset);
	if (!address)
		return false;
	/* Plain markers write cells, and must not fault; little of tables is touched. Not
	 * MAP_POPULATE: that maps what fallocate has not cleared yet page by page. */
	if (offset >= RS_DATA_OFFSET)
		RS_SYS(madvise, address, RS_EXTENT_BYTES, MADV_POPULATE_WRITE);
	RS_SYS(madvise, address, RS_EXTENT_BYTES, MADV_DONTDUMP);
	/* pairs with the acquire load in rs_memory_is_mapped() */
	__atomic_fetch_or(
		&runtime->mapped[extent / 64], UINT64_C(1) << extent % 64, __ATOMIC_RELEASE);
	return true;
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
	if (!bytes || bytes > runtime->window_bytes || offset > runtime->window_bytes - bytes)
		goto out; /* not to be trusted: any process may have written it */
	for (uint64_t extent = offset / RS_EXTENT_BYTES;
		extent <= (offset + bytes - 1) / RS_EXTENT_BYTES; extent++) {
		if (rs_memory_is_mapped(runtime, extent * RS_EXTENT_BYTES))
			continue;
		if (fd < 0 && (fd = segment_descriptor(runtime, &opened)) < 0)
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

bool rs_memory_is_data(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	/* beyond this lies memory that no slot has been given: it would be allocated for nothing */
	uint64_t end = atomic_load_explicit(&runtime->header->data_end, memory_order_relaxed);
	return offset >= RS_DATA_OFFSET && offset % RS_DATA_UNIT == 0 && bytes <= RS_EXTENT_BYTES &&
	       bytes <= end && offset <= end - bytes;
}

bool rs_memory_is_present(const struct rs_runtime *runtime, uint64_t offset, uint64_t bytes)
{
	return rs_memory_is_data(runtime, offset, bytes) && rs_memory_is_mapped(runtime, offset) &&
	       rs_memory_is_mapped(runtime, offset + bytes - 1);
}

/* Cut a piece off the process's extent, under the lock; 0 when refused. */
static uint64_t take_piece(struct rs_runtime *runtime, uint64_t bytes)
{
	struct rs_live *live = runtime->live;
	if (live->extent_end - live->extent_next < bytes) {
		/* Relaxed: an extent belongs to the thread that got its number. */
		uint64_t offset = atomic_fetch_add_explicit(
			&runtime->header->data_end, RS_EXTENT_BYTES, memory_order_relaxed);
		if (offset < RS_DATA_OFFSET || offset % RS_EXTENT_BYTES) {
			rs_memory_refuse(runtime); /* somebody scribbled over the header */
			return 0;
		}
		if (!rs_memory_ensure(runtime, offset, RS_EXTENT_BYTES))
			return 0;
		live->extent_next = offset;
		live->extent_end = offset + RS_EXTENT_BYTES;
	}
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
	if (piece == thread->part.piece_end) /* right behind what is left of the latest */
		piece = thread->part.piece_next;
	/* in this order: a thread that adopts the slot of a process killed here finds the old
	 * piece, nothing, or the new one, and never a mixture */
	atomic_store_explicit(&slot->piece_end, 0, memory_order_release);
	atomic_store_explicit(&slot->piece_next, piece, memory_order_release);
	atomic_store_explicit(&slot->piece_end, end, memory_order_release);
	thread->part.piece_next = piece;
	thread->part.piece_end = end;
	return true;
}

/* Where the piece has room for so many bytes from a multiple of unit on; 0: it has none. Two tasks
 * of the kernel that take one thread for theirs may each have taken the last of it. */
static uint64_t find_room(const struct rs_thread *thread, uint32_t bytes, uint32_t unit)
{
	uint64_t next = (thread->part.piece_next + unit - 1) & ~(uint64_t)(unit - 1);
	uint64_t end = thread->part.piece_end;
	return next <= end && end - next >= bytes ? next : 0;
}

uint64_t rs_memory_take(struct rs_thread *thread, uint32_t bytes, uint32_t unit)
{
	if (!*thread->is_here) /* a fork() in a handler: the piece is the parent's */
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
	/* taken before it is used: a handler that jumps out of here leaks at worst */
	thread->part.piece_next = taken + bytes;
	atomic_store_explicit(&thread->part.slot->piece_next, taken + bytes, memory_order_relaxed);
	/* zero already, unless somebody scribbled there: a list of blocks would lead astray */
	memset(thread->base + taken, 0, bytes);
	return taken;
}
