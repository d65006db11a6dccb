/* SPDX-License-Identifier: MIT */
/* A segment with its tables, for tests that play the program. */
#ifndef RS_TESTS_LAUNCH_TABLES_H
#define RS_TESTS_LAUNCH_TABLES_H

#include <criterion/criterion.h>
#include <sys/mman.h>

#include "launch/processes.h"

static struct rs_segment segment;
static struct rs_process *processes;
static struct rs_slot *slots;

static inline void *tables_map(uint64_t offset)
{
	void *table = mmap(NULL, RS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd,
		(off_t)offset);
	cr_assert_neq(table, MAP_FAILED);
	return table;
}

static inline void tables_start(uint32_t flags)
{
	struct rs_err err;
	const struct rs_segment_config config = {.clock = RS_CLOCK_MONOTONIC, .flags = flags};
	cr_assert(rs_segment_init(&segment, &config, &err), "%s", err.text);
	processes = tables_map(RS_PROCESSES_OFFSET);
	slots = tables_map(RS_SLOTS_OFFSET);
}

static inline void tables_finish(void)
{
	munmap(processes, RS_EXTENT_BYTES);
	munmap(slots, RS_EXTENT_BYTES);
	rs_segment_finish(&segment);
}

/* Add a process entry, and return its index. */
static inline uint32_t tables_add(const struct rs_process *entry)
{
	uint32_t index = atomic_fetch_add(&segment.header->n_processes, 1);
	processes[index] = *entry;
	return index;
}

#endif
