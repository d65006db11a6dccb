/* SPDX-License-Identifier: MIT */
/* Open calls and the cells that they are recorded in, off the path of plain markers. */
#ifndef RS_RUNTIME_CALLS_H
#define RS_RUNTIME_CALLS_H

#include "runtime/count/count.h"

/* ---- cell.c ---- */

/* The calling thread's cell of a region, made if need be; NULL without memory. */
struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region) RS_COLD;

/* The calling thread calls the region: it is one of those of the region's cell from now on. */
void rs_cell_count_thread(struct rs_thread_region *region) RS_COLD;

/* Find or make the cell for a region's calls with a context switch. Without memory it is the
 * region itself, and the off-CPU time of its calls is then unknown. */
struct rs_thread_region *rs_cell_twin(
	struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Where a thread keeps its copy of a region for calls with a context switch; filled or not. */
struct rs_thread_region *rs_cell_twin_at(struct rs_thread *thread, uint32_t index) RS_COLD;

/* Set a flag that readers need to know about the calls of a cell. */
static inline void rs_cell_set_flag(struct rs_cell *cell, uint32_t flag)
{
	uint32_t flags = atomic_load_explicit(&cell->flags, memory_order_relaxed);
	atomic_store_explicit(&cell->flags, flags | flag, memory_order_relaxed);
}
/* Of some the off-CPU time is not known. */
static inline void rs_cell_set_unwatched(struct rs_cell *cell)
{
	rs_cell_set_flag(cell, RS_CELL_UNWATCHED);
}

/* The region's table, made if need be; false without memory. */
bool rs_cell_make_table(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;
uint64_t rs_tables_bytes(const struct rs_shape *shape); /* of several, taken at once */
static inline uint64_t rs_table_bytes(const struct rs_shape *shape)
{
	return (1 + shape->n_events) * sizeof(struct rs_counts);
}

/* The parts of a cell. */
static inline struct rs_cell_event *rs_cell_events(struct rs_cell *cell)
{
	return (void *)((char *)cell + rs_cell_events_offset());
}
static inline uint64_t *rs_cell_latest(struct rs_cell *cell, uint32_t m)
{
	return m ? &rs_cell_events(cell)[m - 1].latest : &cell->latest_time;
}
static inline uint64_t *rs_cell_square(struct rs_cell *cell, uint32_t m)
{
	return m ? &rs_cell_events(cell)[m - 1].square : &cell->time_square;
}
static inline struct rs_cell_children *rs_cell_children(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_children_offset(n_events));
}
static inline uint64_t *rs_cell_inside(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_inside_offset(n_events));
}
static inline uint64_t *rs_cell_blocks(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_blocks_offset(n_events));
}
static inline struct rs_rare *rs_cell_rare(
	struct rs_cell *cell, const struct rs_shape *shape, uint64_t row)
{
	return (void *)((char *)cell + shape->rare_offset + row * shape->rare_bytes);
}

/* The calls that it has counted, with what else calls_word says; and its row of now. */
static inline uint64_t rs_cell_word(const struct rs_cell *cell)
{
	return atomic_load_explicit(&cell->calls_word, memory_order_relaxed);
}
static inline struct rs_rare *rs_cell_row_now(struct rs_cell *cell, const struct rs_shape *shape)
{
	return rs_cell_rare(cell, shape, rs_cell_row(rs_cell_word(cell)));
}

/* The part of a row for time and each event, behind that of each group. */
static inline struct rs_rare_moments *rs_rare_extremes(
	struct rs_rare *rare, const struct rs_shape *shape)
{
	struct rs_rare_group *groups = (void *)(rare + 1);
	return (void *)(groups + shape->n_groups);
}

/* Fix a cell of another thread, or of a marker that is gone: fold its latest call, and send the
 * next one to the slow path. */
void rs_cell_repair(struct rs_thread *thread, struct rs_thread_region *region);

/* ---- blocks.c ---- */

/* Make room for the counts of a value, of time or of an event. If memory is refused, the cell says
 * that its histograms are incomplete. True: blocks have changed, and the fast path is to find them
 * (rs_cell_set_near()). That is apart to keep the stack low. */
bool rs_cell_make_room(struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t quantity, uint64_t value) RS_COLD;

/* The first blocks of a new cell; false without memory. */
bool rs_cell_take_counts(
	struct rs_thread *thread, struct rs_cell *cell, const struct rs_shape *shape) RS_COLD;

/* The block where w is counted, of time or of an event: where memory for its octave was refused, the
 * nearest there is. NULL: there is none. And the count in such a block. */
struct rs_block *rs_cell_block(const struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t quantity, uint64_t w) RS_COLD;
uint64_t *rs_block_place(struct rs_block *block, uint64_t w);

/* The sum of the counts of a block, or of all of time or of an event. */
uint64_t rs_block_count(const struct rs_block *block);
uint64_t rs_cell_count_of(const struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t quantity) RS_COLD;

/* Let the fast path find the blocks, of time or of an event, from the least octave to a gap. */
void rs_cell_set_near(const struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t quantity) RS_COLD;

/* Add up the use of all calls of a cell, raw, by weights, as far as they were counted: sums[1 +
 * n_events]. The thread is in no other marker. Returns the sum of weights. */
uint64_t rs_cell_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums) RS_COLD;

/* The median of its calls' times, by weights, without the latest: raw, of those without a context switch. */
uint64_t rs_cell_median(struct rs_thread *thread, const struct rs_thread_region *region) RS_COLD;

/* The fast path takes the values that change no extreme: so the row says, and whether it can fold
 * the latest call. */
void rs_cell_set_ranges(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* The fast path takes every value that has a count. Only to try markers out. */
void rs_cell_open_ranges(struct rs_thread *thread, struct rs_thread_region *region);

/* ---- slow_calls.c ---- */

/* Read by which rules calls are slow, of the segment fd, once the event plan is known. False:
 * damaged, or no memory. The functions below need rules. */
bool rs_slow_calls_read(struct rs_runtime *runtime, int fd);

/* The process has met a region: which rules are for it. */
void rs_slow_calls_bind(struct rs_runtime *runtime, uint32_t region);

/* The ranges of a region have been set: values that a rule calls slow are taken out. */
void rs_slow_calls_limit(const struct rs_runtime *runtime, struct rs_thread_region *region);

/* A call of an entry was recorded: it goes into the ring if it is slow. values[1 + n_events]: without
 * overhead; UINT64_MAX where not counted. */
void rs_slow_calls_note(struct rs_thread *thread, struct rs_entry *entry, uint32_t region,
	const uint64_t *values) RS_COLD;

/* ---- cost.c ---- */

/*
 * Around a slow path: the way in leaves its snapshot in thread->snapshot.values; then comes the
 * way out. The time between the two is charged to the innermost call around; cost_state.h says
 * what else it takes.
 *
 * cell: of the region whose marker it is, or NULL; its overhead grows by the time that the path
 * took. outside: what to charge in addition, but not for groups that thread->snapshot.off has as
 * off. begun: the call that begins with the way out, or NULL.
 */
void rs_slow_begin(struct rs_thread *thread) RS_COLD;
/* The same for a marker that has its snapshot in thread->snapshot.values already. */
void rs_slow_look(struct rs_thread *thread);
/* Such a look found off-CPU time before thread->snapshot.values[0] was set to an earlier clock
 * reading: its part after that reading is not charged. */
void rs_slow_note_off(struct rs_thread *thread);
/* The same after a snapshot without a value. */
void rs_slow_begin_again(struct rs_thread *thread) RS_COLD;
void rs_slow_end(struct rs_thread *thread, struct rs_cell *cell, const uint64_t *outside,
	struct rs_entry *begun) RS_COLD;
/* The same, and leave the marker. Returns ticket. */
regionstat_ticket_ rs_slow_leave(struct rs_thread *thread, struct rs_cell *cell,
	const uint64_t *outside, struct rs_entry *begun, regionstat_ticket_ ticket);

/* Add up the charges for markers in the calls from the innermost down to lowest: sum[1 +
 * n_events]. Down to thread->ground it is all of the thread's. Returns how many measured calls
 * began after lowest and are open: the costs of their BEGINs are in it. */
uint32_t rs_charged_down_to(struct rs_thread *thread, struct rs_entry *lowest, uint64_t *sum);

/* The clock, as it was read on the latest way out. */
static inline uint64_t rs_slow_ended(const struct rs_thread *thread)
{
	return thread->room.ended;
}

/*
 * For a thread that has groups by read(), whose markers charge what they took. The first is for
 * the end of a BEGIN that entered at `entered`, whose region begins only now. The second is for
 * after the snapshot of an END or NEXT, which began at thread->snapshot.entered. The others are for
 * the end of END and NEXT. around: the call that is charged. begun: what a NEXT began, or NULL.
 */
void rs_charge_begin(struct rs_thread *thread, struct rs_entry *entry, uint64_t entered);
void rs_correct_end(struct rs_thread *thread, uint64_t *now);
void rs_charge_end(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around);
void rs_charge_next(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *around,
	struct rs_entry *begun);

#endif
