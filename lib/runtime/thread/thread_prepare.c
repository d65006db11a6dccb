/* SPDX-License-Identifier: MIT */
/*
 * Counters of the threads that an attached program already has. The thread that loads the runtime
 * opens them, before any marker is on. Each thread takes its counters over at its first marker. The
 * thread that detaches closes those that no thread has taken.
 */
#include <string.h>

#include "runtime/count/count.h"
#include "runtime/thread/thread.h"

/* These stand at the beginning of one mapping. Behind them is a state with arrays only for each
 * thread. */
struct rs_prepared {
	_Alignas(64) uint64_t bytes; /* of the mapping; the states are aligned, too */
	uint64_t state_bytes;
	uint32_t tids[RS_MOST_PREPARED]; /* 0: none, or taken */
};

static struct rs_thread *state_at(struct rs_prepared *prepared, uint32_t i)
{
	return (void *)((char *)(prepared + 1) + i * prepared->state_bytes);
}

static void close_groups(struct rs_thread *state)
{
	for (uint32_t g = 0; g < state->n_groups; g++)
		rs_group_close(state, g);
}

/* Open counters of the process's other threads into n states, until one of them cannot be opened.
 */
static void open_all(struct rs_runtime *runtime, struct rs_prepared *prepared, uint32_t n, int fd)
{
	struct { /* getdents64(2) */
		uint64_t inode, offset;
		uint16_t bytes;
		char type, name[];
	} * entry;
	_Alignas(uint64_t) char entries[1024];
	long n_read;
	uint64_t tid, own = (uint64_t)rs_sys_gettid();
	uint32_t i = 0;
	while ((n_read = RS_SYS(getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n_read; at += entry->bytes) {
			entry = (void *)(entries + at);
			if (!rs_parse_number(entry->name, 10, &tid) || tid == own)
				continue; /* "." and ".." are no numbers. */
			if (i == n)
				return;
			struct rs_thread *state = state_at(prepared, i);
			rs_thread_make_bare(state, runtime, (uint32_t)tid);
			if (!rs_counters_prepare(state)) {
				close_groups(state);
				return;
			}
			prepared->tids[i++] = (uint32_t)tid;
		}
	}
}

void rs_threads_open_counters(struct rs_runtime *runtime, uint64_t n)
{
	uint64_t state_bytes = rs_thread_bare_bytes(runtime),
		 bytes = sizeof(struct rs_prepared) + n * state_bytes;
	if (runtime->shape.n_groups == 0)
		return;
	struct rs_prepared *prepared = rs_sys_allocate(bytes);
	long fd = RS_SYS(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (prepared) {
		prepared->bytes = bytes;
		prepared->state_bytes = state_bytes;
		if (fd >= 0)
			open_all(runtime, prepared, (uint32_t)n, (int)fd);
		runtime->live->prepared = prepared;
	}
	if (fd >= 0)
		RS_SYS(close, fd);
}

struct rs_thread *rs_thread_find_prepared(struct rs_runtime *runtime, uint32_t tid)
{
	struct rs_prepared *prepared = runtime->live->prepared;
	for (uint32_t i = 0; prepared && i < RS_MOST_PREPARED; i++) {
		if (prepared->tids[i] != tid)
			continue;
		prepared->tids[i] = 0;
		return state_at(prepared, i);
	}
	return NULL;
}

void rs_threads_close_prepared(struct rs_runtime *runtime)
{
	struct rs_live *live = runtime->live;
	for (uint32_t i = 0; live->prepared && i < RS_MOST_PREPARED; i++)
		if (live->prepared->tids[i])
			close_groups(state_at(live->prepared, i));
	/* A thread that is still inside its first marker may be reading a state. */
	if (live->prepared && !live->attached)
		RS_SYS(munmap, live->prepared, live->prepared->bytes);
	live->prepared = NULL;
}
