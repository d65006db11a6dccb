/* SPDX-License-Identifier: MIT */
/*
 * One finished call into its cell, on the fast path. Every group was on the PMU all the time, the
 * calls nest, and no value is larger or smaller than any before. In come an entry and the snapshot
 * of its end; out go the cell's counts and sums. Everything else is in record.c.
 *
 * The call itself is only stored, at places that do not depend on it; the call before it is added
 * to counts and sums ("folded") now. A store whose address depends on the clock reading just taken
 * would make the next marker wait for it. segment/cell.h says in which order the stores are made,
 * and why a process may be killed between any two of them.
 *
 * n_events is that of the thread; a constant where that makes the loops straight.
 */
#ifndef RS_RUNTIME_RECORD_H
#define RS_RUNTIME_RECORD_H

#include "runtime/count/snapshot.h"
#include "runtime/calls/entry.h"

/* Room for time and each event: the thread's own, where the number of events is not a constant. */
#define RS_ROOM(n_events, fixed, any) (__builtin_constant_p(n_events) ? (fixed) : (any))

/* The stores before this are made before those behind it, as far as this thread goes: a reader that
 * finds the process dead finds them in this order. */
#define RS_STORED() atomic_signal_fence(memory_order_seq_cst)

/* The counters where a call begins, into its entry, all but the clock. False: a slow path has to. */
RS_INLINE bool rs_record_begin(
	struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events, uint32_t n_groups)
{
	struct rs_group_time *times = rs_entry_times_of(entry, n_events);
	uint32_t off;
	uint64_t locks;
	rs_snapshot_fence(thread, n_events);
	if (!RS_SURE(rs_snapshot_events(thread, entry->values, times, &off, &locks, n_events)) ||
		!RS_SURE(!n_groups || locks == thread->sequence))
		return false;
	if (n_groups)
		entry->sequence = locks;
	if (RS_UNLIKELY(off))
		rs_entry_set_off(thread, entry, off);
	return true;
}

/* The call before the latest is in counts and sums already; the latest goes there now. Its values
 * are plain: there are counts for all of them. */
RS_INLINE void rs_record_fold(
	struct rs_thread_region *region, struct rs_cell *cell, uint32_t n_events, bool samples)
{
	uint64_t weight = samples ? cell->latest_weight : 1;
	struct rs_cell_event *events = rs_cell_events(cell);
	const struct rs_counts *table = region->table;
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t at = table[1 + e].latest;
		rs_add_64(&table[1 + e].blocks[at / RS_BLOCK_BUCKETS][at], weight);
	}
	uint64_t index = region->latest;
	uint64_t *counts = table[0].blocks[index / RS_BLOCK_BUCKETS];
	rs_add_64(&counts[index], weight);
	/* the sums are behind the last count of the octave */
	uint64_t *sums = &counts[(index | (RS_BLOCK_BUCKETS - 1)) + 1];
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t w = events[e].latest;
		rs_add_64(&sums[e], w * weight);
		rs_add_64(&events[e].square, w * w * weight);
	}
	rs_add_64(&cell->time_square, cell->latest_time * cell->latest_time * weight);
	if (samples)
		rs_add_64(&cell->weights, weight);
	RS_STORED();
	rs_add_64(&cell->time_sum, cell->latest_time * weight);
	RS_STORED();
}

/* Record the use of calls within the call, of which there were some. Before calls_word flips their
 * parity. */
RS_INLINE void rs_record_children(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_cell_children *into, uint32_t n_events)
{
	const uint64_t *inside = thread->cost->inside;
	uint64_t *children = rs_entry_vector(entry, RS_VECTOR_CHILDREN, n_events);
	uint64_t direct = entry->direct >> 1;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t more = 2 * (children[m] - direct * inside[m]);
		children[m] = 0;
		into[m].latest = more;
		RS_STORED();
		rs_store_64(&into[m].sum, (into[m].sum + more) ^ 1);
	}
	entry->direct = 0;
	RS_STORED();
}

/* Whether the counters make the call of `entry` leave the fast path: 0 if not. off, locks: of the
 * snapshot of its end. */
RS_INLINE uint64_t rs_record_differs(const struct rs_thread *thread, struct rs_entry *entry,
	uint32_t off, uint64_t locks, uint32_t n_groups)
{
	uint64_t differs = 0;
	if (n_groups)
		differs |= off | (entry->sequence ^ locks);
	if (!__builtin_constant_p(n_groups))
		differs |= thread->counters.reads_hardware ? rs_groups_waited(thread, entry) : 0;
	return differs;
}

/* The difference of the snapshots of an entry's BEGIN and END: used[1 + n_events]. */
RS_INLINE void rs_record_used(
	const struct rs_entry *entry, const uint64_t *now, uint64_t *used, uint32_t n_events)
{
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		used[m] = now[m] - entry->values[m];
}

/* The use of the call of `entry`, raw: with the overhead inside it, as the cell has it. raw: the
 * difference of its snapshots. has_nested: markers were in it. */
RS_INLINE uint64_t rs_record_raw(struct rs_thread *thread, struct rs_entry *entry, uint64_t raw,
	uint32_t m, bool is_next, bool has_nested, bool samples)
{
	const struct rs_cost *cost = thread->cost;
	if (has_nested)
		raw -= rs_entry_charged(thread, entry, m, samples);
	if (is_next) /* all values of a cell hold the same overhead */
		raw -= cost->inside_next[m] - cost->inside[m];
	if ((is_next || has_nested) && !m && RS_UNLIKELY(raw >> 63))
		return 0; /* two readings of a clock: no less than nothing */
	return raw;
}

/* Whether that changes no extreme of the region's cell, and has a count. */
RS_INLINE bool rs_record_is_plain(const struct rs_thread_region *region, uint32_t m, uint64_t raw)
{
	const struct rs_range *range = &region->table[m].range;
	return RS_LIKELY(raw - range->low < range->width);
}

/* The latest values of a call, except its time. */
RS_INLINE void rs_record_latest(struct rs_thread_region *region, struct rs_entry *entry,
	struct rs_cell *cell, const uint64_t *deltas, uint32_t n_events, bool samples)
{
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t w = rs_w_of(deltas[1 + e]);
		region->table[1 + e].latest = (uint32_t)(rs_double_bits(w) >> RS_INDEX_SHIFT);
		rs_store_64(rs_cell_latest(cell, 1 + e), w);
	}
	if (samples)
		rs_store_64(&cell->latest_weight, entry->weight);
	region->latest = (uint32_t)(rs_double_bits(rs_w_of(deltas[0])) >> RS_INDEX_SHIFT);
}

/* Record the call of `entry` if it can take the fast path; false: rs_record_other() has to record
 * it. used[1 + n_events], is_next, has_nested: see rs_record_raw(). deltas[1 + n_events]: filled
 * with raw values; may be used. */
RS_INLINE bool rs_record(struct rs_thread *thread, struct rs_thread_region *region,
	struct rs_entry *entry, struct rs_cell *cell, const uint64_t *used, bool is_next,
	bool has_nested, uint64_t row, uint64_t *deltas, uint32_t n_events, bool samples)
{
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		deltas[m] = rs_record_raw(thread, entry, used[m], m, is_next, has_nested, samples);
		if (!rs_record_is_plain(region, m, deltas[m]))
			return false;
	}
	rs_record_fold(region, cell, n_events, samples);
	uint64_t more = 1 << 2;
	if (has_nested)
		rs_record_children(thread, entry, rs_cell_children(cell, n_events), n_events);
	if (has_nested || row) {
		uint64_t word = rs_cell_word(cell);
		more = ((word + (1 << 2)) ^ (has_nested ? 2 | row : row)) - word;
	}
	rs_record_latest(region, entry, cell, deltas, n_events, samples);
	rs_store_64(&cell->latest_time, rs_w_of(deltas[0]));
	/* pairs with the acquire load in the cell's readers */
	rs_add_release(&cell->calls_word, more);
	return true;
}

/* ---- record.c ---- */

/* The use of the call of an entry that ends with the snapshot in thread->snapshot.values, without
 * overhead: deltas[1 + n_events]. Those of clocks may be below 0, modulo 2^64. */
void rs_record_deltas(struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas);

/* Record the call of an entry by that, when it is not on the fast path. The entry stays as it is,
 * except its off-CPU time. deltas[2 + n_events]: the last is filled. */
void rs_record_other(struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas);

/* Write what calls of the same region took within that of an entry into the row that is not
 * current. 1: there were any, and the row becomes current with the call. */
uint64_t rs_record_inner(struct rs_thread *thread, struct rs_entry *entry);

/* Add the latest call to counts and sums, unless they have it. may_be_half: a fold may have ended
 * anywhere before; else they do not have the latest call. */
void rs_record_fold_any(
	struct rs_thread *thread, struct rs_thread_region *region, bool may_be_half) RS_COLD;

#endif
