/* SPDX-License-Identifier: MIT */
/*
 * An attached program already has threads. This file prepares their memory and counters, and the
 * files for their context switches. The thread that loads the runtime lists the threads, turns the
 * markers on, and then prepares each thread. Each thread takes its counters over at its first
 * marker. The thread that detaches closes the rest.
 */
#include "runtime/calls/switches.h"
#include "runtime/count/count.h"
#include "runtime/thread/thread.h"

/* The beginning of a mapping. A state with only its arrays follows for each listed thread. */
struct rs_prepared {
	_Alignas(64) uint64_t bytes; /* size of the mapping; the states are aligned, too */
	uint64_t state_bytes;
	uint32_t n; /* how many threads are listed */
	_Atomic enum { LISTED, OPENING, DONE } progress;
	/* tids of the threads whose counters are ready, or 0; under the lock */
	uint32_t tids[RS_MOST_PREPARED];
};

static struct rs_thread *state_at(struct rs_prepared *prepared, uint32_t i)
{
	return (void *)((char *)(prepared + 1) + i * prepared->state_bytes);
}

/* Open the files and counters that the thread tid needs. Return false if a counter cannot be
 * opened. */
static bool open_files(struct rs_runtime *runtime, struct rs_thread *state, uint32_t tid)
{
	char path[sizeof("/proc/self/task/4294967295/schedstat")];
	rs_add_text(rs_add_number(rs_add_text(path, "/proc/self/task/"), tid), "/schedstat");
	rs_thread_make_bare(state, runtime, tid);
	rs_switches_prepare(state, path);
	return rs_counters_prepare(state);
}

static void close_files(struct rs_thread *state)
{
	rs_switches_close(state);
	for (uint32_t g = 0; g < state->n_groups; g++)
		rs_group_close(state, g);
}

/* Let the thread i of the list, which has this tid, wait for its counters. If tid is 0, the thread
 * no longer waits. */
static void set_waiting(struct rs_live *live, uint32_t i, uint32_t tid)
{
	atomic_store_explicit(&live->waiting[i], tid, memory_order_relaxed);
}

static uint32_t find_waiting(const struct rs_live *live, uint32_t i)
{
	return atomic_load_explicit(&live->waiting[i], memory_order_relaxed);
}

/* List at most `most` other threads of the process. Return how many. */
static uint32_t list(struct rs_live *live, uint64_t most, int fd)
{
	struct { /* getdents64(2) */
		uint64_t inode, offset;
		uint16_t bytes;
		char type, name[];
	} * entry;
	_Alignas(uint64_t) char entries[1024];
	long n_read;
	uint64_t tid, own = (uint64_t)rs_sys_gettid();
	uint32_t n = 0;
	while ((n_read = RS_SYS(getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n_read && n < most; at += entry->bytes) {
			entry = (void *)(entries + at);
			/* "." and ".." are no numbers. */
			if (rs_parse_number(entry->name, 10, &tid) && tid != own)
				set_waiting(live, n++, (uint32_t)tid);
		}
	}
	return n;
}

void rs_threads_list(struct rs_runtime *runtime, uint64_t n)
{
	struct rs_live *live = runtime->live;
	uint64_t state_bytes = rs_thread_bare_bytes(&runtime->shape),
		 bytes = sizeof(struct rs_prepared) + n * state_bytes;
	if (n == 0)
		return;
	long fd = RS_SYS(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	live->prepared = rs_sys_allocate_present(bytes);
	if (live->prepared) {
		live->prepared->bytes = bytes;
		live->prepared->state_bytes = state_bytes;
		live->prepared->n = list(live, n, (int)fd);
		atomic_store_explicit(&live->n_waiting, live->prepared->n, memory_order_relaxed);
	}
	RS_SYS(close, fd);
}

/* Allocate memory for a listed thread and open its counters, unless it has opened its own. Without
 * room for descriptors, open nothing. Return false if the process has detached. The lock is not
 * held, so that no marker waits for the kernel. */
static bool open_next(struct rs_runtime *runtime, struct rs_prepared *prepared, uint32_t i)
{
	struct rs_live *live = runtime->live;
	struct rs_thread *state = state_at(prepared, i);
	uint32_t tid = find_waiting(live, i);
	uint64_t mask;
	if (tid)
		rs_thread_provide(runtime, tid, prepared->n);
	bool opens = tid && runtime->has_room, is_open = opens && open_files(runtime, state, tid);
	rs_lock(runtime, &mask);
	bool is_here = live->prepared == prepared;
	bool is_wanted = is_here && is_open && find_waiting(live, i) == tid;
	if (is_wanted)
		prepared->tids[i] = tid;
	if (is_here) {
		set_waiting(live, i, 0);
		atomic_fetch_sub_explicit(&live->n_waiting, 1, memory_order_relaxed);
	}
	rs_unlock(runtime, &mask);
	if (opens && !is_wanted)
		close_files(state);
	return is_here;
}

void rs_threads_open_counters(struct rs_runtime *runtime)
{
	struct rs_live *live = runtime->live;
	uint64_t mask;
	rs_lock(runtime, &mask);
	struct rs_prepared *prepared = live->prepared;
	bool is_first = prepared && prepared->progress == LISTED;
	if (is_first)
		prepared->progress = OPENING;
	rs_unlock(runtime, &mask);
	if (!is_first)
		return;
	for (uint32_t i = 0; i < prepared->n && open_next(runtime, prepared, i); i++)
		;
	/* Release pairs with the acquire load in rs_threads_close_prepared(). */
	atomic_store_explicit(&prepared->progress, DONE, memory_order_release);
}

bool rs_thread_waits(void)
{
	const struct rs_live *live = rs_state->live;
	if (!atomic_load_explicit(&live->n_waiting, memory_order_relaxed))
		return false;
	/* Do not take the lock, because this would delay the thread that opens counters. */
	uint32_t tid = (uint32_t)rs_sys_gettid(), i = 0;
	while (i < RS_MOST_PREPARED && find_waiting(live, i) != tid)
		i++;
	return i < RS_MOST_PREPARED;
}

struct rs_thread *rs_thread_find_prepared(struct rs_runtime *runtime, uint32_t tid)
{
	struct rs_live *live = runtime->live;
	struct rs_prepared *prepared = live->prepared;
	for (uint32_t i = 0; prepared && i < prepared->n; i++) {
		if (find_waiting(live, i) == tid)
			set_waiting(live, i, 0);
		if (prepared->tids[i] != tid)
			continue;
		prepared->tids[i] = 0;
		return state_at(prepared, i);
	}
	return NULL;
}

void rs_threads_close_prepared(struct rs_runtime *runtime)
{
	const struct timespec step = {.tv_nsec = 100000};
	struct rs_live *live = runtime->live;
	uint64_t mask;
	rs_lock(runtime, &mask);
	struct rs_prepared *prepared = live->prepared;
	live->prepared = NULL;
	for (uint32_t i = 0; i < RS_MOST_PREPARED; i++)
		set_waiting(live, i, 0);
	atomic_store_explicit(&live->n_waiting, 0, memory_order_relaxed);
	/* A thread that is still inside its first marker may read the states. */
	bool is_read = live->attached;
	rs_unlock(runtime, &mask);
	if (!prepared)
		return;
	/* The thread that opens counters stops after those of the current thread. */
	while (atomic_load_explicit(&prepared->progress, memory_order_acquire) == OPENING)
		RS_SYS(nanosleep, &step, NULL);
	for (uint32_t i = 0; i < prepared->n; i++)
		if (prepared->tids[i])
			close_files(state_at(prepared, i));
	if (!is_read)
		RS_SYS(munmap, prepared, prepared->bytes);
}
