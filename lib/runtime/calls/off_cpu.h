/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time of calls. A marker that sees a context switch adds its off-CPU time to the open
 * calls: it lies between this marker and the one before. It stays in their frames until they end,
 * and goes from there into the accumulator. See switches.h and off_cpu.c.
 */
#ifndef RS_RUNTIME_CALLS_OFF_CPU_H
#define RS_RUNTIME_CALLS_OFF_CPU_H

#include "runtime/calls/entry.h"

RS_OWN_WORDS static inline struct rs_entry_off *rs_entry_off(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_entry_off *)(void *)((char *)entry + thread->shape->work_offset +
					       sizeof(struct rs_entry_work));
}

static inline uint64_t rs_off_sum(const uint64_t *off)
{
	return off[RS_OFF_BLOCKED] + off[RS_OFF_PREEMPTED];
}

/* Book off[RS_OFF_N], in ticks, to all open calls, measured or not; as self to the innermost. */
void rs_off_cpu_book(struct rs_thread *thread, const uint64_t *off) RS_COLD;

/* The call of an entry ends after so many ticks: what its frame has is no more than that. In calls
 * of the same region within it that are still open, so much is known of the region already. */
void rs_off_cpu_end(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks) RS_COLD;

/* Add the off-CPU time of a call that ends to the sums of an accumulator's row. weight: calls that it
 * represents; 0: it was skipped. */
void rs_off_cpu_add(struct rs_thread *thread, struct rs_entry *entry, struct rs_off_sums *sums,
	uint64_t weight) RS_COLD;

/* The same of a skipped call, into the accumulator of the region's calls that had a context switch. */
void rs_off_cpu_skip(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *region) RS_COLD;

/* The frame of an entry that is free has none. */
void rs_off_cpu_clear(struct rs_thread *thread, struct rs_entry *entry) RS_COLD;

#endif
