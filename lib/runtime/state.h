/* SPDX-License-Identifier: MIT */
/*
 * The runtime inside the measured program: what it keeps, and how its files meet. It keeps state of the
 * process (process_state.h), of open calls (entry_state.h) and of a thread (thread_state.h), and what
 * markers cost (cost_state.h). One pointer for the process and one thread-local pointer lead there. Its
 * directories are layers: each includes and calls only those above it in this list.
 *
 * arch/     what processors, the kernel and compilers give
 * process/  what a process has
 *   address.c   find the segment, and prove that it is it
 *   process.c   this process's entry in the segment; a forked child's new start
 *   self.c      what the calling thread is to the runtime; self.h its state, and whether it can mark
 *   copies.c    other copies of the runtime in this process; stay.c that this one stays
 *   memory.c    the window onto the segment, and memory in it for slots; cgroup.c what cgroups leave
 *   region_names.c  region names to region indices; only.c which are wanted
 *   control.c   PAUSE and RESUME; rank.c the process's MPI rank
 * count/    what counts
 *   plan.c      the events that are wanted
 *   counters.c  a thread's counter groups; group.c one of them: open, close
 *   group_check.c  whether a group that was opened counts
 *   snapshot.h  clock and counters at one moment; snapshot.c off the markers' path
 *   group_times.c  whether a group was on the PMU all through a call, and how long
 *   core_types.c   where cores are of several types; usage.c user and system time
 * calls/    open calls, and where they are recorded
 *   entry.h     open calls; entry.c memory for them, and those that never end; overlap.c ENDs in any order
 *   record.h    one finished call into its cell; record.c where it is not plain
 *   cell.c      cells and the memory behind them
 *   sample.h    which calls are measured
 *   parents.h   in which regions calls begin
 *   switches.h  whether the thread was switched out; off_cpu.c which calls were open then
 *   work.c      the bytes and operations of calls
 *   cost.c      the overhead of slow paths, measured while it happens and excluded
 *   probe.h     overhead, measured in place by one call in 1,008
 *   slow_calls.c  calls that are reported as they happen
 * thread/   from a thread's first marker to its end
 *   thread.c    its state; slot.c its place in the segment; thread_names.c what it is called;
 *               thread_list.c those that have one, and which are gone
 *   interrupted.c  markers that are found in the middle of another
 *   calibrate.c what fast markers take
 * mark/     what marks
 *   path.h      BEGIN, END, NEXT: the path that must be short; slow.c where that one cannot go on
 *   call.h      START and STOP: the path of asynchronous calls; call.c where it is slow
 *   work.c      WORK
 *   marker.c    the markers made of these
 * adapt/    what adapters of other marker APIs ask for: adapter_table.h; note.c what they met;
 *   read.c what a region measured; locate.c regions by address; object.c the objects that hold these;
 *   name.c what threads are called
 * attach/   attach.c the way in: refuse what does not fit, build the state; functions.c the markers as
 *   functions
 *
 * It links libc alone, and uses of it only what is safe in any thread at any time.
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
#define RS_CHUNK_ENTRIES 64u /* except the first, memory for them comes in so many */
#define RS_PIECE_BYTES UINT64_C(0x2000) /* what a slot takes of an extent at a time */

extern __attribute__((visibility("hidden"))) struct rs_runtime *rs_state;
/* Never NULL: before a thread's first marker it is rs_unseen, and after its end rs_ended, which are busy. */
extern __attribute__((visibility("hidden"))) __thread struct rs_thread *rs_self;
extern __attribute__((visibility("hidden"))) struct rs_thread rs_unseen, rs_ended;

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
	return thread->counters.n_reads ? RS_WAY_READ : thread->n_users ? RS_WAY_USER : RS_WAY_TIME;
}

/* The groups' times at an entry's BEGIN. */
static inline struct rs_group_time *rs_entry_times(
	const struct rs_thread *thread, struct rs_entry *entry)
{
	return (struct rs_group_time *)(void *)((char *)entry + thread->shape->times_offset);
}

/* The use of calls within an entry so far. */
static inline uint64_t *rs_entry_children(const struct rs_thread *thread, struct rs_entry *entry)
{
	return rs_entry_vector(entry, RS_VECTOR_CHILDREN, thread->n_events);
}

/* Subtract the overhead inside calls directly within an entry from their use, from here on. */
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

/* The charges for markers within a call so far, of time or of an event, without that of calls
 * around it. samples: false only where no call is skipped. */
static inline uint64_t rs_entry_charged(
	const struct rs_thread *thread, struct rs_entry *entry, uint32_t m, bool samples)
{
	uint64_t charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events)[m];
	charged += samples ? entry->skips * thread->cost->skip[m] : 0;
	return m ? charged + entry->pairs * thread->cost->pair[m] : charged;
}

/* Whether markers were in a call. samples: as above. */
static inline bool rs_entry_has_nested(const struct rs_entry *entry, bool samples)
{
	return entry->direct | (samples ? entry->skips : 0);
}

/* Add the charges to a sum of time and every event. */
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

/* All that are open: first those that nest, innermost first, then the asynchronous ones. NULL after
 * the last. */
static inline struct rs_entry *rs_entry_first_async(const struct rs_thread *thread)
{
	return thread->asyncs.ring->next == thread->asyncs.ring ? NULL : thread->asyncs.ring->next;
}
static inline struct rs_entry *rs_entry_first(const struct rs_thread *thread)
{
	struct rs_entry *entry = thread->innermost;
	return entry == thread->ground ? rs_entry_first_async(thread) : entry;
}
static inline struct rs_entry *rs_entry_after(
	const struct rs_thread *thread, const struct rs_entry *entry)
{
	if (entry->apart & RS_APART_ASYNC)
		return entry->next == thread->asyncs.ring ? NULL : entry->next;
	return entry->below == thread->ground ? rs_entry_first_async(thread) : entry->below;
}

/* How a region's cell is shaped: one of calls that had a context switch has on-CPU time as one event
 * more. */
static inline const struct rs_shape *rs_shape_of(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	uintptr_t place = (uintptr_t)region - (uintptr_t)thread->twins.regions;
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

/* A number in the segment with one writer, this thread, and any reader: so much more. */
static inline void rs_count(_Atomic uint64_t *number, uint64_t n)
{
	rs_add_64((uint64_t *)(void *)number, n);
}

/* Count something that happened to a region on its thread. */
static inline void rs_cell_add(struct rs_cell *cell, enum rs_cell_diag what, uint64_t n)
{
	rs_count(&cell->diag[what], n);
}
static inline void rs_cell_count(struct rs_cell *cell, enum rs_cell_diag what)
{
	rs_cell_add(cell, what, 1);
}

#endif
