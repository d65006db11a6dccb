/* SPDX-License-Identifier: MIT */
/* The work of calls, by WORK: the frame keeps it until END, then the cell has it. See work.c. */
#ifndef RS_RUNTIME_CALLS_WORK_H
#define RS_RUNTIME_CALLS_WORK_H

#include "runtime/calls/entry.h"

static inline struct rs_entry_work *rs_entry_work(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_entry_work *)(void *)((char *)entry + thread->shape->work_offset);
}

/* Nothing so far. */
static inline void rs_entry_work_clear(const struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_entry_work *work = rs_entry_work(thread, entry);
	__atomic_store_n(&work->bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&work->flops, 0, __ATOMIC_RELAXED);
}

/* So much more of an open call. */
RS_INLINE void rs_entry_work_add(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t bytes, uint64_t flops)
{
	struct rs_entry_work *work = rs_entry_work(thread, entry);
	bool is_first = !(entry->apart & RS_APART_WORK);
	if (is_first)
		rs_entry_set_apart(entry, RS_APART_WORK);
	/* atomic, since another thread may stop an asynchronous call; one writer */
	__atomic_store_n(
		&work->bytes, rs_work_add(is_first ? 0 : work->bytes, bytes), __ATOMIC_RELAXED);
	__atomic_store_n(
		&work->flops, rs_work_add(is_first ? 0 : work->flops, flops), __ATOMIC_RELAXED);
}

/* Where the call of `entry` is recorded: its own region, or the one for calls with that work, when
 * calls are kept apart by work. */
struct rs_thread_region *rs_work_region(struct rs_thread *thread, struct rs_entry *entry);

/* Record the work of the call of `entry`, if it had any, in the cell of a region: its own, or
 * another where it is recorded. It comes before the cell counts the call, so that both are there,
 * or neither. */
void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry);

/* A cell taken over from another thread: forget what was written for a call that never was
 * counted. */
void rs_work_repair(const struct rs_thread *thread, const struct rs_thread_region *region);

/* WORK of a region of which no call is open. */
void rs_work_count_unmatched(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
