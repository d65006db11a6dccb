/* SPDX-License-Identifier: MIT */
/*
 * What the runtime keeps inside the measured program, and the way to it: of the process
 * (process_state.h), of open calls (entry_state.h), of a thread (thread_state.h). What its files do
 * with it is in runtime.h.
 */
#ifndef RS_RUNTIME_STATE_H
#define RS_RUNTIME_STATE_H

#include "runtime/arch/clock.h"
#include "runtime/arch/compiler.h"
#include "runtime/arch/system.h"
#include "runtime/entry_state.h"
#include "runtime/process_state.h"
#include "runtime/thread_state.h"

#define RS_PAGE_BYTES 4096u /* the smallest page: larger ones round requests up */
#define RS_MAX_ENTRIES 16384u /* calls open at once on a thread */
#define RS_CHUNK_ENTRIES 64u /* but for the first, memory for them comes in so many */
#define RS_PIECE_BYTES UINT64_C(0x2000) /* what a slot takes of an extent at a time */

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
/* Never NULL: before a thread's first marker and after its end it is rs_unseen, which is busy. */
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;
extern __attribute__((visibility("hidden"))) struct rs_thread rs_unseen;

static inline void *rs_at(const struct rs_runtime *runtime, uint64_t offset)
{
	return runtime->base + offset;
}

static inline uint64_t rs_ticks(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter() : rs_clock_monotonic();
}

/* Not before all that precedes it is done, which clock_gettime(2) sees to by itself. */
static inline uint64_t rs_ticks_after(uint32_t clock)
{
	return RS_LIKELY(clock == RS_CLOCK_COUNTER) ? rs_counter_after() : rs_clock_monotonic();
}

/* Once the process has learnt what markers cost, and with it how long a tick is. */
static inline uint64_t rs_ns_of(const struct rs_runtime *runtime, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * runtime->tick_ns_q32 >> 32);
}

static inline enum rs_way rs_way_of(const struct rs_thread *thread)
{
	return thread->n_reads ? RS_WAY_READ : thread->n_users ? RS_WAY_USER : RS_WAY_TIME;
}

/* The groups' times at an entry's BEGIN. */
static inline struct rs_group_time *rs_entry_times(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_group_time *)(void *)((char *)entry + thread->shape->times_offset);
}

/* What entries within an entry have used so far. */
static inline uint64_t *rs_entry_children(const struct rs_thread *thread, struct rs_entry *entry)
{
	return rs_entry_vector(entry, RS_VECTOR_CHILDREN, thread->n_events);
}

/* Of what calls directly within an entry used, the overhead inside them is subtracted from here on. */
static inline void rs_entry_settle_children(const struct rs_thread *thread, struct rs_entry *entry)
{
	uint64_t *children = rs_entry_children(thread, entry);
	for (uint32_t m = 0; entry->direct > 1 && m <= thread->n_events; m++)
		children[m] -= (entry->direct >> 1) * thread->cost->inside[m];
	entry->direct = entry->direct > 0;
}
static inline void rs_entry_forget_children(const struct rs_thread *thread, struct rs_entry *entry)
{
	uint64_t *children = rs_entry_children(thread, entry);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		children[m] = 0;
	entry->direct = 0;
}

/* What markers used within a call, without that of calls around it: of a quantity so far. samples: false
 * only where no call is skipped. */
static inline uint64_t rs_entry_charged(
	const struct rs_thread *thread, struct rs_entry *entry, uint32_t m, bool samples)
{
	uint64_t charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events)[m];
	charged += samples ? entry->skips * thread->cost->skip[m] : 0;
	return m ? charged + entry->pairs * thread->cost->pair[m] : charged;
}

/* Into a sum of all quantities. */
static inline void rs_charged_add(
	const struct rs_thread *thread, struct rs_entry *entry, uint64_t *sum)
{
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sum[m] += rs_entry_charged(thread, entry, m, true);
}

/* So much more. */
static inline void rs_entry_charge(
	const struct rs_thread *thread, struct rs_entry *entry, uint32_t m, uint64_t n)
{
	rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events)[m] += n;
	entry->direct |= 1;
}

/* All of it belongs to the call around from here on. */
static inline void rs_entry_hand_over(const struct rs_thread *thread, struct rs_entry *entry)
{
	uint64_t *charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		rs_entry_charge(thread, entry->below, m, charged[m]);
		charged[m] = 0;
	}
	entry->below->pairs += entry->pairs;
	entry->below->skips += entry->skips;
	entry->pairs = entry->skips = 0;
}

/* How a region's cell is shaped: one of calls that had a context switch has on-CPU time as one event
 * more. */
static inline const struct rs_shape *rs_shape_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	uintptr_t place = (uintptr_t)region - (uintptr_t)thread->twins;
	bool is_twin = place < RS_MAX_REGIONS * sizeof(*region);
	return is_twin ? &thread->runtime->switched_shape : thread->shape;
}

/* Steps that a walk along the thread's entries takes at most: as many as there are. Two tasks of the
 * kernel that take one thread for theirs may link them in a circle (rs_interrupted_find()). */
static inline uint32_t rs_most_steps(const struct rs_thread *thread)
{
	return thread->n_entries;
}

static inline uint32_t rs_region_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	return (uint32_t)(region - thread->regions);
}

/* Count something that happened to a region on its thread: one writer, any reader. */
static inline void rs_cell_count(struct rs_cell *cell, enum rs_cell_diag what)
{
	atomic_store_explicit(&cell->diag[what],
		atomic_load_explicit(&cell->diag[what], memory_order_relaxed) + 1,
		memory_order_relaxed);
}

#endif
