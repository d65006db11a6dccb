/* SPDX-License-Identifier: MIT */
/* The work of calls (WORK). A call's frame keeps it until the END; then the accumulator has it. See
 * work.c. */
#ifndef RS_RUNTIME_CALLS_WORK_H
#define RS_RUNTIME_CALLS_WORK_H

#include "runtime/calls/entry.h"

static inline struct rs_entry_work *rs_entry_work(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_entry_work *)(void *)((char *)entry + thread->shape->work_offset);
}

/* Set the work of a call to 0. */
static inline void rs_entry_work_clear(const struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_entry_work *work = rs_entry_work(thread, entry);
	__atomic_store_n(&work->bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&work->flops, 0, __ATOMIC_RELAXED);
}

/* Add work to an open call. */
RS_INLINE void rs_entry_work_add(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t bytes, uint64_t flops)
{
	struct rs_entry_work *work = rs_entry_work(thread, entry);
	bool is_first = !(entry->apart & RS_APART_WORK);
	if (is_first)
		rs_entry_set_apart(entry, RS_APART_WORK);
	/* Atomic, since another thread may stop an asynchronous call and read this. Only this
	 * thread writes. */
	__atomic_store_n(
		&work->bytes, rs_work_add(is_first ? 0 : work->bytes, bytes), __ATOMIC_RELAXED);
	__atomic_store_n(
		&work->flops, rs_work_add(is_first ? 0 : work->flops, flops), __ATOMIC_RELAXED);
}

/* Return the region that records the call of `entry`: its own, or with --by-work the one for calls
 * with this work. */
struct rs_thread_region *rs_work_region(struct rs_thread *thread, struct rs_entry *entry);

/* Record the work of the call of `entry`, if it has any, in the accumulator of a region. The
 * accumulator must count the call after that, so that a kill leaves both or neither. */
void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry);

/* Forget work that was written for a call which never was counted, in an accumulator that was taken
 * over from another thread. */
void rs_work_repair(const struct rs_thread *thread, const struct rs_thread_region *region);

/* Count a WORK for a region that has no open call. */
void rs_work_count_unmatched(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
