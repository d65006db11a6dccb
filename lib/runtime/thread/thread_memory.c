/* SPDX-License-Identifier: MIT */
/*
 * The private memory of a thread is part of one mapping. It contains the thread's state, the arrays
 * whose lengths follow from the plan, the first frames and tables, and the thread's regions.
 */
#include <string.h>
#include <sys/resource.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/labels.h"
#include "runtime/calls/switches.h"
#include "runtime/thread/thread.h"

#define TOUCHED_BYTES 16384u /* About how much private memory a thread uses. */
/* The pages of a thread's first memory are touched in advance. It has tables for 1 to MOST_REGIONS
 * regions, and as many frames as also fit into FIRST_BYTES. It has more than one region only if
 * WANTED_FRAMES frames fit too. */
#define MOST_REGIONS 6u
#define FIRST_BYTES (2 * RS_PAGE_BYTES)
#define WANTED_FRAMES 5u
#define LEAST_FRAMES 3u
#define MOST_FRAMES 13u
#define MAX_STATES 8u /* One mmap() gets private memory for at most this many threads. */

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

/* Take zeroed private memory for a thread. Return NULL if memory runs out. The caller holds the
 * lock. A mapping costs the same for one thread as for several. So a new mapping has room for as
 * many threads as there were so far, up to MAX_STATES. */
static void *take_state(struct rs_runtime *runtime, uint64_t bytes)
{
	struct rs_live *live = runtime->live;
	/* The rest may be too small: states of earlier measurements may have been smaller. */
	if ((uint64_t)(live->state_end - live->state_next) < bytes) {
		uint64_t n = live->n_states < MAX_STATES ? live->n_states : MAX_STATES;
		char *states = n > 1 ? rs_sys_allocate(n * bytes) : NULL;
		if (!states) {
			n = 1;
			states = rs_sys_allocate(bytes);
		}
		if (!states)
			return NULL;
		live->state_next = states;
		live->state_end = states + n * bytes;
	}
	char *state = live->state_next;
	live->state_next += bytes;
	live->n_states++;
	return state;
}

/* Arrays of a thread whose length follows from the plan. member is the offset of the pointer in
 * struct rs_thread. The size has a constant part, a part per event and a part per group. */
#define ARRAY(member) offsetof(struct rs_thread, member)
#define VECTOR(member)                 \
	{                              \
		ARRAY(member), 8, 8, 0 \
	}
#define OF_GROUPS(member)                                         \
	{                                                         \
		ARRAY(member), 0, 0, sizeof(struct rs_group_time) \
	}
static const struct array {
	uint16_t member, bytes, event_bytes, group_bytes;
} arrays[] = {
	OF_GROUPS(snapshot.times),
	OF_GROUPS(counters.times),
	{ARRAY(counters.groups), 0, 0, sizeof(struct rs_thread_group)},
	{ARRAY(counters.pages), 0, sizeof(void *), 0},
	{ARRAY(counters.members), 0, sizeof(int), 0},
	{ARRAY(counters.ids), 0, sizeof(uint64_t), 0},
	/* This is enough for 3 + n_events words: a struct rusage has more than 3 words. */
	{ARRAY(scratch.words), sizeof(struct rusage), 8, 0},
	OF_GROUPS(scratch.times),
	VECTOR(scratch.target),
	VECTOR(scratch.late),
	VECTOR(scratch.charged),
	{ARRAY(scratch.deltas), 16, 8, 0},
	{ARRAY(scratch.counts), 16, 8, 0},
	OF_GROUPS(scratch.groups),
	VECTOR(scratch.used),
	VECTOR(scratch.again),
	VECTOR(scratch.nowhere),
	{ARRAY(scratch.fds), 0, sizeof(int), 0},
};
#define N_ARRAYS (sizeof(arrays) / sizeof(arrays[0]))

static uint64_t array_bytes(const struct array *array, const struct rs_shape *shape)
{
	return round_up(array->bytes + (uint64_t)array->event_bytes * shape->n_events +
				(uint64_t)array->group_bytes * shape->n_groups,
		sizeof(uint64_t));
}

static void place_arrays(struct rs_thread *thread, const struct rs_shape *shape)
{
	thread->shape = shape;
	thread->n_events = shape->n_events;
	thread->n_groups = shape->n_groups;
	char *next = (char *)(thread + 1);
	for (size_t i = 0; i < N_ARRAYS; i++) {
		void **pointer = (void **)(void *)((char *)thread + arrays[i].member);
		*pointer = next;
		next += array_bytes(&arrays[i], shape);
	}
}

uint64_t rs_thread_bare_bytes(const struct rs_shape *shape)
{
	uint64_t bytes = sizeof(struct rs_thread);
	for (size_t i = 0; i < N_ARRAYS; i++)
		bytes += array_bytes(&arrays[i], shape);
	return round_up(bytes, 64);
}

void rs_thread_make_bare(struct rs_thread *thread, struct rs_runtime *runtime, uint32_t tid)
{
	thread->runtime = runtime;
	thread->part.tid = tid;
	place_arrays(thread, &runtime->shape);
}

/* Return how many regions get tables in a thread's first memory, of which `others` bytes are
 * used. */
static uint64_t count_first_regions(const struct rs_shape *shape, uint64_t others)
{
	uint64_t each = rs_table_bytes(shape) + 2 * sizeof(struct rs_thread_region);
	others += rs_frames_bytes(shape, WANTED_FRAMES) + sizeof(struct rs_thread_region);
	uint64_t n = others < FIRST_BYTES ? (FIRST_BYTES - others) / each : 0;
	return n < 1 ? 1 : n < MOST_REGIONS ? n : MOST_REGIONS;
}

/* Return how many frames fit into a thread's first memory, of which `others` bytes are used. */
static uint32_t count_first(const struct rs_shape *shape, uint64_t others)
{
	uint64_t most = (2 + MOST_FRAMES) * shape->frame_bytes;
	uint64_t bytes = others < FIRST_BYTES ? FIRST_BYTES - others : 0;
	uint64_t n = (bytes < most ? bytes : most) / shape->frame_bytes;
	return n < 2 + LEAST_FRAMES ? LEAST_FRAMES : (uint32_t)n - 2;
}

/* The parts of a thread's memory in their order. First are the struct and its arrays, the first
 * frames, and the tables of the first regions. Next to each table is the copy of its region for
 * calls with a context switch. Then come one region that is never ready, and the regions. So a
 * thread with few regions touches adjacent memory. */
struct layout {
	uint64_t head, tables, tables_bytes, regions, bytes;
	uint32_t n_frames;
};

/* Compute the layout of memory. The offset of the regions is at least least_regions. */
static struct layout place(const struct rs_shape *shape, uint64_t least_regions)
{
	struct layout layout = {.head = rs_thread_bare_bytes(shape)};
	uint64_t n_regions = count_first_regions(shape, layout.head);
	layout.tables_bytes = n_regions * (rs_table_bytes(shape) + sizeof(struct rs_thread_region));
	layout.n_frames = count_first(
		shape, layout.head + layout.tables_bytes +
			       (1 + n_regions) * sizeof(struct rs_thread_region));
	layout.tables = layout.head + rs_frames_bytes(shape, layout.n_frames);
	layout.regions = round_up(
		layout.tables + layout.tables_bytes, sizeof(struct rs_thread_region));
	if (layout.regions < least_regions)
		layout.regions = least_regions;
	layout.bytes = round_up(
		layout.regions + (1 + RS_THREAD_REGIONS) * sizeof(struct rs_thread_region),
		RS_PAGE_BYTES);
	return layout;
}

void rs_thread_find_place(struct rs_runtime *runtime)
{
	const struct rs_shape largest = {.n_events = RS_MAX_EVENTS,
		.n_groups = RS_MAX_GROUPS,
		.frame_bytes = rs_frame_bytes(RS_MAX_EVENTS, RS_MAX_GROUPS)};
	runtime->least_regions = runtime->is_attached || runtime->n_attach
					 ? place(&largest, 0).regions
					 : 0;
}

/* Return the layout of a thread's memory. */
static struct layout find_layout(const struct rs_runtime *runtime)
{
	return place(&runtime->shape, runtime->least_regions);
}

/* Touch the pages of a range by an atomic write: reading first would cause a second page fault. */
static void touch(struct rs_thread *thread, uint64_t begin, uint64_t end)
{
	for (; begin < end; begin = (begin / RS_PAGE_BYTES + 1) * RS_PAGE_BYTES)
		__atomic_fetch_or(
			(uint64_t *)(void *)((char *)thread + begin), 0, __ATOMIC_RELAXED);
}

void rs_thread_touch(struct rs_thread *thread)
{
	struct layout layout = find_layout(thread->runtime);
	/* The first page was written when the state was made. Its thread may write there while it
	 * ends. */
	touch(thread, RS_PAGE_BYTES, layout.tables + layout.tables_bytes);
	/* Touch the region that is never ready, and the first region. */
	touch(thread, layout.regions, layout.regions + 2 * sizeof(struct rs_thread_region));
}

bool rs_thread_has(const struct rs_thread *thread, const void *place, uint64_t bytes)
{
	uint64_t at = (uintptr_t)place - (uintptr_t)thread;
	uint64_t all = find_layout(thread->runtime).bytes;
	if (at < all && bytes <= all - at)
		return true;
	for (const struct rs_chunk *chunk = thread->life.chunks; chunk; chunk = chunk->next) {
		at = (uintptr_t)place - (uintptr_t)chunk;
		if (at < chunk->bytes && bytes <= chunk->bytes - at)
			return true;
	}
	return false;
}

/* Make the state in zeroed memory. */
static void lay_out(struct rs_thread *thread, struct rs_runtime *runtime)
{
	const struct rs_shape *shape = &runtime->shape;
	struct layout layout = find_layout(runtime);
	thread->runtime = runtime;
	thread->marked = (char *)thread + layout.regions;
	thread->regions = (void *)(thread->marked + sizeof(struct rs_thread_region));
	thread->part.tables_next = (char *)thread + layout.tables;
	thread->part.tables_end = thread->part.tables_next + layout.tables_bytes;
	place_arrays(thread, shape);
	thread->cost = &runtime->cost[RS_WAY_TIME];
	thread->base = runtime->base;
	thread->is_here = &runtime->live->is_here;
	/* This is 0 in an attached process. Otherwise a thread could read a total outside markers,
	 * while the detaching thread frees this memory. */
	thread->known.plain_values = runtime->is_attached ? 0 : runtime->plain_values;
	thread->control = &runtime->header->control;
	thread->clock = runtime->clock;
	thread->life.n_attach = runtime->n_attach;
	thread->life.is_blank = false;
	rs_frames_init(thread, (char *)thread + layout.head, layout.n_frames);
	rs_switches_init(thread);
}

/* Take memory for a state. Return NULL if memory runs out. */
static struct rs_thread *make(struct rs_runtime *runtime)
{
	if (!rs_cgroup_allows(runtime, TOUCHED_BYTES)) {
		rs_memory_refuse(runtime);
		return NULL;
	}
	struct rs_thread *thread = take_state(runtime, find_layout(runtime).bytes);
	if (!thread)
		return NULL;
	thread->runtime = runtime;
	thread->life.is_blank = true;
	thread->life.next_made = runtime->live->made;
	runtime->live->made = thread;
	return thread;
}

struct rs_thread *rs_thread_make(struct rs_runtime *runtime)
{
	struct rs_thread *thread = make(runtime);
	if (thread)
		lay_out(thread, runtime);
	return thread;
}

/* Free all memory after the struct; the memory then reads as zero. If the memory is locked
 * (mlock(2)), it is cleared instead. */
static void give_back(struct rs_thread *thread)
{
	uint64_t bytes = find_layout(thread->runtime).bytes,
		 kept = round_up(sizeof(*thread), RS_PAGE_BYTES);
	if (RS_SYS(madvise, (char *)thread + kept, bytes - kept, MADV_DONTNEED) < 0)
		memset((char *)thread + kept, 0, bytes - kept);
	thread->life.is_blank = true;
}

void rs_thread_release(struct rs_thread *thread)
{
	rs_chunks_free(&thread->life.chunks);
	give_back(thread);
}

void rs_thread_renew(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	struct rs_thread *next_made = thread->life.next_made;
	uint64_t kept = round_up(sizeof(*thread), RS_PAGE_BYTES);
	/* The kernel may read these two at any time, if an rseq_cs still points to the section. */
	uint64_t section = offsetof(struct rs_thread, section),
		 out = offsetof(struct rs_thread, rseq.way_out);
	uint64_t first = section + sizeof(thread->section),
		 rest = out + sizeof(thread->rseq.way_out);
	if (!thread->life.is_blank)
		rs_thread_release(thread);
	memset(thread, 0, section);
	memset((char *)thread + first, 0, out - first);
	memset((char *)thread + rest, 0, kept - rest);
	thread->life.next_made = next_made;
	lay_out(thread, runtime);
}

/* How many pieces of the segment each prepared thread gets: enough for one or two regions. */
#define PIECES_PREPARED 2u

/* Return how many other threads the process has, at most RS_MOST_PREPARED. The kernel counts each
 * thread as a subdirectory (fs/proc/base.c, proc_task_getattr()). */
static uint64_t count_others(void)
{
	struct stat status;
	if (RS_SYS(newfstatat, AT_FDCWD, "/proc/self/task", &status, 0) < 0 || status.st_nlink < 3)
		return 0;
	uint64_t n = status.st_nlink - 3; /* Two links are the directory's own. */
	return n < RS_MOST_PREPARED ? n : RS_MOST_PREPARED;
}

void rs_threads_prepare(struct rs_runtime *runtime)
{
	uint64_t mask, n = count_others();
	rs_lock(runtime, &mask);
	if (runtime->is_detached)
		n = 0; /* Nobody would give the memory back. */
	rs_memory_reserve(runtime, n * PIECES_PREPARED * RS_PIECE_BYTES);
	rs_threads_list(runtime, n);
	rs_unlock(runtime, &mask);
}

/* Return the memory that a thread has from an earlier measurement, or NULL. */
static struct rs_thread *find_blank(const struct rs_live *live, uint32_t tid)
{
	struct rs_thread *thread = live->made;
	while (thread && !(thread->life.is_blank && thread->part.tid == tid))
		thread = thread->life.next_made;
	return thread;
}

void rs_thread_provide(struct rs_runtime *runtime, uint32_t tid, uint64_t n)
{
	struct rs_live *live = runtime->live;
	uint64_t mask;
	rs_lock(runtime, &mask);
	struct rs_thread *own = runtime->is_detached ? NULL : find_blank(live, tid), *thread = own;
	/* Store the number of an earlier measurement, so that find_thread() makes the state
	 * anew. */
	if (!own && !runtime->is_detached && live->n_states < n && (thread = make(runtime)))
		thread->life.n_attach = runtime->n_attach - 1;
	rs_unlock(runtime, &mask);
	if (!thread)
		return;
	rs_thread_touch(thread); /* without the lock, so that no marker waits for the kernel */
	rs_lock(runtime, &mask);
	if (!own)
		rs_thread_free(thread);
	if (runtime->is_detached && thread->life.is_blank)
		give_back(thread);
	rs_unlock(runtime, &mask);
}

void rs_threads_give_back(struct rs_runtime *runtime)
{
	struct rs_thread *thread;
	uint64_t mask;
	rs_lock(runtime, &mask);
	for (thread = runtime->live->made; thread; thread = thread->life.next_made)
		if (thread->life.is_blank && thread->life.n_attach != runtime->n_attach)
			give_back(thread);
	for (thread = runtime->live->free_threads; thread; thread = thread->life.next_free)
		if (!thread->life.is_blank)
			rs_thread_release(thread);
	rs_unlock(runtime, &mask);
	rs_threads_close_prepared(runtime);
}

void rs_thread_unmake(struct rs_thread *thread)
{
	struct rs_live *live = thread->runtime->live;
	live->made = thread->life.next_made;
	live->state_next = (char *)thread;
	live->n_states--;
}
