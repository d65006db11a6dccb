/* SPDX-License-Identifier: MIT */
/* Functions for open calls and for their accumulators that are not on the fast path. */
#ifndef RS_RUNTIME_CALLS_H
#define RS_RUNTIME_CALLS_H

#include "runtime/count/count.h"

/* ---- accumulator.c ---- */

/* Return the calling thread's accumulator of a region. Make it if there is none; return NULL if
 * memory runs out. */
struct rs_accumulator *rs_accumulator_bind(struct rs_thread *thread, uint32_t region) RS_COLD;

/* Add the calling thread to the count of threads that called the region. */
void rs_accumulator_count_thread(struct rs_thread_region *region) RS_COLD;

/* Store the innermost open region as a parent of a region that is about to begin a call. */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Return the thread's copy of a region for calls with a context switch, with an accumulator. If
 * memory runs out, return the region itself; the off-CPU time of its calls is then unknown. */
struct rs_thread_region *rs_accumulator_switched(
	struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Return the thread's copy of a region for calls with a context switch, even if the copy has no
 * accumulator. Return NULL if memory runs out. */
struct rs_thread_region *rs_accumulator_switched_at(
	struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Set a flag for readers of the accumulator. */
static inline void rs_accumulator_set_flag(struct rs_accumulator *accumulator, uint32_t flag)
{
	uint32_t flags = atomic_load_explicit(&accumulator->flags, memory_order_relaxed);
	atomic_store_explicit(&accumulator->flags, flags | flag, memory_order_relaxed);
}
/* Note that the off-CPU time of some calls is unknown. */
static inline void rs_accumulator_set_unwatched(struct rs_accumulator *accumulator)
{
	rs_accumulator_set_flag(accumulator, RS_ACCUMULATOR_UNWATCHED);
}

/* Make the region's table if it has none. Return false if memory runs out. */
bool rs_accumulator_make_table(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;
static inline uint64_t rs_table_bytes(const struct rs_shape *shape)
{
	return sizeof(struct rs_region_more) + (1 + shape->n_events) * sizeof(struct rs_counts) +
	       sizeof(struct rs_block_sums);
}
/* Return the address of the table in a piece of memory of rs_table_bytes(). */
static inline struct rs_counts *rs_table_at(char *memory)
{
	return (void *)(memory + sizeof(struct rs_region_more));
}
static inline struct rs_region_more *rs_table_more(struct rs_counts *table)
{
	return (struct rs_region_more *)(void *)table - 1;
}
/* An overhead of 0, and the sums of a block that a region does not have (read/read.c). */
extern __attribute__((visibility("hidden"))) const uint64_t rs_zeros[1 + RS_MAX_EVENTS];

static inline struct rs_block_sums *rs_table_sums(
	const struct rs_shape *shape, struct rs_counts *table)
{
	return (void *)((char *)table + shape->sums_offset);
}

/* Return row 0 or 1 of an accumulator. */
static inline struct rs_rare *rs_accumulator_rare(
	struct rs_accumulator *accumulator, const struct rs_shape *shape, uint64_t row)
{
	return (void *)((char *)accumulator + shape->rare_offset + row * shape->rare_bytes);
}

/* Return calls_word. rs_accumulator_row_now() returns the current row. */
static inline uint64_t rs_accumulator_word(const struct rs_accumulator *accumulator)
{
	return atomic_load_explicit(&accumulator->calls_word, memory_order_relaxed);
}
static inline struct rs_rare *rs_accumulator_row_now(
	struct rs_accumulator *accumulator, const struct rs_shape *shape)
{
	return rs_accumulator_rare(
		accumulator, shape, rs_accumulator_row(rs_accumulator_word(accumulator)));
}

/* Return a row's extremes, an array of 1 + n_events elements stored after the row's groups. */
static inline struct rs_rare_moments *rs_rare_extremes(
	struct rs_rare *rare, const struct rs_shape *shape)
{
	struct rs_rare_group *groups = (void *)(rare + 1);
	return (void *)(groups + shape->n_groups);
}

/* Repair an accumulator after its thread was killed, or after a handler jumped out of a marker. Add
 * the latest call to the sums, and send the next call to the slow path. */
void rs_accumulator_repair(struct rs_thread *thread, struct rs_thread_region *region);

/* ---- blocks.c ---- */

/* Make room for the counts of a value of time or of an event. If memory is refused, set
 * RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE. Return true if blocks have changed: the caller then calls
 * rs_accumulator_set_near(). If this function called it, both together would need more stack. */
bool rs_accumulator_make_room(struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t counter, uint64_t value) RS_COLD;

/* Add the first blocks of a new accumulator. Return false if memory runs out. */
bool rs_accumulator_take_counts(struct rs_thread *thread, struct rs_accumulator *accumulator,
	const struct rs_shape *shape) RS_COLD;

/* rs_accumulator_block() returns the block that counts w. If there was no memory for this block, it
 * returns the nearest block, or NULL. rs_block_place() returns the address of the count of w in a
 * block. */
struct rs_block *rs_accumulator_block(const struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t counter, uint64_t w) RS_COLD;
uint64_t *rs_block_place(struct rs_block *block, uint64_t w);

/* rs_block_count() returns the sum of all counts of one block, and rs_accumulator_count_of() that
 * of all blocks of time or of an event. */
uint64_t rs_block_count(const struct rs_block *block);
uint64_t rs_accumulator_count_of(const struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t counter) RS_COLD;

/* Update the fast path's pointers to the blocks of time or of an event, from the lowest octave that
 * has a block up to the first gap. */
void rs_accumulator_set_near(const struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t counter) RS_COLD;

/* Fill sums[1 + n_events] with the raw time and events of all calls of an accumulator, multiplied
 * by the calls' weights. An event's sum excludes calls that did not count the event. The thread
 * must not be inside another marker. Return the sum of weights. */
uint64_t rs_accumulator_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums) RS_COLD;

/* Return the raw median time of the calls without a context switch, except the latest call. A call
 * counts as often as its weight says. */
uint64_t rs_accumulator_median(
	struct rs_thread *thread, const struct rs_thread_region *region) RS_COLD;

/* Set the ranges of values that the fast path may record: those that are no new minimum or maximum.
 * The ranges are empty if the fast path cannot add the latest call to the sums. */
void rs_accumulator_set_ranges(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Let the fast path record all values that have a count. Only calibration uses this. */
void rs_accumulator_open_ranges(struct rs_thread *thread, struct rs_thread_region *region);

/* ---- slow_calls.c ---- */

/* Read the rules of --slow from the segment fd. Return false if they are damaged or memory runs
 * out. Call the functions below only if there are rules. */
bool rs_slow_calls_read(struct rs_runtime *runtime, int fd);

/* Find the rules that match a region which the process sees for the first time. */
void rs_slow_calls_bind(struct rs_runtime *runtime, uint32_t region);

/* Exclude the values of slow calls from a region's ranges, after rs_accumulator_set_ranges(). */
void rs_slow_calls_limit(const struct rs_thread *thread, struct rs_thread_region *region);

/* Write a recorded call to the ring if it is slow. values[1 + n_events] are without overhead;
 * UINT64_MAX means not counted. */
void rs_slow_calls_note(struct rs_thread *thread, struct rs_frame *frame, uint32_t region,
	const uint64_t *values) RS_COLD;

/* ---- cost.c ---- */

/*
 * These functions enclose a slow path. rs_slow_begin() takes a snapshot in thread->snapshot.values;
 * rs_slow_end() takes another, and charges the difference to the innermost enclosing call.
 *
 * The time of the path is added to *own, which is own_ticks or skip_own_ticks of the region's
 * accumulator (rs_slow_own()). `own` can be NULL. The overhead outside[1 + n_events] is charged in
 * addition, except for groups that are off in thread->snapshot.off. `begun` is the call that begins
 * with the second snapshot, or NULL.
 */
void rs_slow_begin(struct rs_thread *thread) RS_COLD;
/* Look for a context switch, in a marker whose snapshot is already in thread->snapshot.values.
 * `around` is the argument of rs_switches_look(). */
void rs_slow_look(struct rs_thread *thread, struct rs_frame *around);
/* Do not charge as overhead the off-CPU time since thread->snapshot.values[0]. This clock reading
 * of the marker is older than the look. */
void rs_slow_note_off(struct rs_thread *thread);
/* Begin a slow path again after a snapshot that could not be completed. `around` is the argument of
 * rs_switches_look(). */
void rs_slow_begin_again(struct rs_thread *thread, struct rs_frame *around) RS_COLD;
void rs_slow_end(struct rs_thread *thread, _Atomic uint64_t *own, const uint64_t *outside,
	struct rs_frame *begun) RS_COLD;
static inline _Atomic uint64_t *rs_slow_own(const struct rs_thread_region *region, bool is_skipped)
{
	return !region	    ? NULL
	       : is_skipped ? &region->accumulator->skip_own_ticks
			    : &region->accumulator->own_ticks;
}
/* Charge overhead[1 + n_events] / n to the innermost call, except for groups that are off in
 * thread->snapshot.off. */
void rs_slow_charge(struct rs_thread *thread, const uint64_t *overhead, int64_t n) RS_COLD;
/* Do what rs_slow_end() does, and leave the marker. Return ticket. */
regionstat_ticket_ rs_slow_leave(struct rs_thread *thread, _Atomic uint64_t *own,
	const uint64_t *outside, struct rs_frame *begun, regionstat_ticket_ ticket);

/* Fill sum[1 + n_events] with the charges of all open calls from the innermost to `lowest`. If
 * `lowest` is thread->ground, these are all charges of the thread. `sum` excludes the overhead of
 * the BEGINs of measured calls that began after `lowest`. Return how many such calls there are. */
uint32_t rs_charged_down_to(struct rs_thread *thread, struct rs_frame *lowest, uint64_t *sum);

/* Return the clock reading of the latest snapshot at the end of a slow path. */
static inline uint64_t rs_slow_ended(const struct rs_thread *thread)
{
	return thread->scratch.ended;
}

/* If a thread has groups with read(), each of its markers charges the time that it took.
 * rs_charge_begin() ends a BEGIN that was entered at `entered`, and begins the call.
 * rs_correct_end() follows the snapshot of an END or NEXT, which began at thread->snapshot.entered.
 * rs_charge_next() ends a NEXT; `begun` is the call that it begins, or NULL. rs_charge_marker()
 * ends an END. The others also use it. It charges the call `around`, and returns the ticks. */
void rs_charge_begin(struct rs_thread *thread, struct rs_frame *frame, uint64_t entered);
void rs_correct_end(struct rs_thread *thread, uint64_t *now);
uint64_t rs_charge_marker(
	struct rs_thread *thread, struct rs_accumulator *accumulator, struct rs_frame *around);
void rs_charge_next(struct rs_thread *thread, struct rs_accumulator *accumulator,
	struct rs_frame *around, struct rs_frame *begun);

#endif
