/* SPDX-License-Identifier: MIT */
/*
 * Recording a finished call in its accumulator, on the fast path. The input is a frame and the
 * snapshot of its END; the output is the accumulator's counts and sums. The fast path has three
 * conditions. Every group was on the PMU during the whole call, the calls nest, and no value is a
 * new minimum or maximum. record.c handles all other calls.
 *
 * The fast path first "folds" the previous call: it adds that call's values to counts and sums. It
 * then stores the values of the call that ends, at fixed addresses. If it added this call at once,
 * the address of a store would depend on the latest clock reading, and the next marker would wait
 * for this address. segment/accumulator.h specifies the order of the stores, and why the process
 * may be killed between any two of them.
 */
#ifndef RS_RUNTIME_RECORD_H
#define RS_RUNTIME_RECORD_H

#include "runtime/count/snapshot.h"
#include "runtime/calls/frame.h"

/* Memory for time and each event. It is on the stack if n_events is a constant, otherwise in the
 * thread's state. */
#define RS_SCRATCH(n_events, fixed, any) (__builtin_constant_p(n_events) ? (fixed) : (any))

/* Keep the compiler from moving stores across this point: if the process is killed, the launcher
 * must find them in the order of segment/accumulator.h. No barrier instruction is needed, because
 * all stores of a dead process are visible. */
#define RS_STORED() atomic_signal_fence(memory_order_seq_cst)

/* Return rs_index_of(w). The asm hides from the compiler how the index was computed. Otherwise the
 * compiler would compute the octave from the bits, with more instructions and registers. */
RS_INLINE uint64_t rs_record_index(uint64_t w)
{
	uint64_t index = rs_double_bits(w) >> RS_INDEX_SHIFT;
	__asm__("" : "+r"(index));
	return index;
}

/* Fold the latest call: add it to the counts and sums. Each of its values must have a count. If the
 * process is killed before time_sum is stored, the reader finishes the fold. Return
 * `accumulator`, which is the region's. */
RS_INLINE struct rs_accumulator *rs_record_fold(struct rs_thread_region *region,
	struct rs_accumulator *accumulator, uint32_t n_events, bool samples)
{
	uint64_t weight = samples ? accumulator->latest_weight : 1, kept[RS_FIXED_EVENTS];
	bool keeps = !RS_LOADS_AGAIN && __builtin_constant_p(n_events);
	const struct rs_counts *table = region->table;
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t w = table[1 + e].latest, at = rs_record_index(w);
		rs_add_64(&table[1 + e].blocks[at / RS_BLOCK_BUCKETS][at], weight);
		if (keeps)
			kept[e] = w;
	}
	uint64_t time = region->latest, index = rs_record_index(time);
	uint64_t *counts = table[0].blocks[index / RS_BLOCK_BUCKETS];
	rs_add_64(&counts[index], weight);
	/* The sums of this octave's block follow its last count. */
	uint64_t *last = &counts[index | (RS_BLOCK_BUCKETS - 1)];
	if (n_events > 1) /* Keep one address in a register, instead of two parts. */
		__asm__("" : "+r"(last));
	if (RS_LOADS_AGAIN)
		accumulator = *(struct rs_accumulator *volatile *)&region->accumulator;
	uint64_t *squares = rs_accumulator_square(accumulator, n_events, 1);
#pragma GCC unroll 4
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t w = keeps ? kept[e] : table[1 + e].latest;
		if (keeps && e + 1 < n_events) {
			uint64_t other = kept[e + 1];
			rs_add_two(&last[1 + e], w, other);
			rs_add_two(&squares[e], w * w, other * other);
			e++;
		} else {
			rs_add_64(&last[1 + e], w * weight);
			rs_add_64(&squares[e], w * w * weight);
		}
	}
	if (samples)
		rs_add_64(&accumulator->weights, weight);
	if (RS_LOADS_AGAIN)
		time = rs_load_again(&region->latest);
	/* Store time_sum last. While it has the old parity, a reader finishes the fold. Once it has
	 * the new parity, the `latest` words may be overwritten. */
	RS_STORED();
	rs_add_two(&accumulator->time_square, time * time * weight, time * weight);
	RS_STORED();
	return accumulator;
}

/* Record the time and events of a call's nested calls. calls_word, which contains the parity of
 * calls with nested calls, must be stored later. After a kill in between, `sum` and calls_word
 * differ in parity, and the reader subtracts `latest` from `sum`. */
RS_INLINE void rs_record_children(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_accumulator_children *into, uint32_t n_events)
{
	const uint64_t *inside = thread->cost->inside;
	uint64_t *children = rs_frame_vector(frame, RS_VECTOR_CHILDREN, n_events);
	uint64_t direct = frame->direct >> 1;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t more = 2 * (children[m] - direct * inside[m]);
		children[m] = 0;
		/* After a kill in between, the parity of sum tells readers to ignore `latest`. */
		rs_store_two(&into[m].latest, more, (into[m].sum + more) ^ 1);
	}
	frame->direct = 0;
	RS_STORED();
}

/* Return 0 if the counters let the call of `frame` take the fast path. `off` and `locks` come from
 * the snapshot at the call's END. */
RS_INLINE uint64_t rs_record_differs(const struct rs_thread *thread, struct rs_frame *frame,
	uint32_t off, uint64_t locks, uint32_t n_groups)
{
	uint64_t differs = 0;
	if (n_groups)
		differs |= off | (frame->sequence ^ locks) | (frame->flags & RS_FRAME_COUNTERS);
	if (!__builtin_constant_p(n_groups))
		differs |= thread->counters.reads_hardware ? rs_groups_waited(thread, frame) : 0;
	return differs;
}

/* Fill used[1 + n_events] with the difference of the snapshots at a call's BEGIN and END. */
RS_INLINE void rs_record_used(
	const struct rs_frame *frame, const uint64_t *now, uint64_t *used, uint32_t n_events)
{
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		used[m] = now[m] - frame->values[m];
}

/* Return the value of the call of `frame` as accumulators store it, including the overhead inside
 * the call. raw is the difference of its snapshots. has_nested is true if markers were inside the
 * call. */
RS_INLINE uint64_t rs_record_raw(struct rs_thread *thread, struct rs_frame *frame, uint64_t raw,
	uint32_t m, bool is_next, bool has_nested, uint32_t n_events, bool samples)
{
	const struct rs_cost *cost = thread->cost;
	if (has_nested)
		raw -= rs_frame_charged(thread, frame, m, n_events, samples);
	if (is_next) /* All values of an accumulator must contain the same overhead. */
		raw -= cost->inside_next[m] - cost->inside[m];
	if ((is_next || has_nested) && !m && RS_UNLIKELY(raw >> 63))
		return 0; /* The subtracted overhead can exceed a short time. */
	return raw;
}

/* Return true if there is a count for the value, and the value is no new minimum or maximum. */
RS_INLINE bool rs_record_is_in_range(
	const struct rs_thread_region *region, uint32_t m, uint64_t raw)
{
	const struct rs_range *range = &region->table[m].range;
	return RS_LIKELY(raw - range->low < range->width);
}

/* Store the values of the call in the `latest` words, except its time. After a kill here, no reader
 * uses them, because the parity of time_sum says that every counted call is folded. */
RS_INLINE void rs_record_latest(struct rs_thread_region *region, struct rs_frame *frame,
	struct rs_accumulator *accumulator, const uint64_t *deltas, uint32_t n_events, bool samples)
{
#pragma GCC unroll 2
	for (uint32_t m = 1; m <= n_events; m += 2) {
		uint64_t first = rs_w_of(deltas[m]), second,
			 *latest = rs_accumulator_latest(accumulator, m);
		region->table[m].latest = first;
		if (m == n_events) {
			rs_store_64(latest, first);
			break;
		}
		second = rs_w_of(deltas[m + 1]);
		region->table[m + 1].latest = second;
		rs_store_two(latest, first, second);
	}
	if (samples)
		rs_store_64(&accumulator->latest_weight, frame->weight);
	region->latest = rs_w_of(deltas[0]);
}

/* Record the call of `frame`, and return the region's accumulator. Return NULL if the fast path
 * cannot record it; the caller then calls rs_record_slow(). used[1 + n_events], is_next and
 * has_nested are as in rs_record_raw(). Fill deltas[1 + n_events] with raw values; it may be the
 * same array as used. */
RS_INLINE struct rs_accumulator *rs_record(struct rs_thread *thread,
	struct rs_thread_region *region, struct rs_frame *frame, const uint64_t *used, bool is_next,
	bool has_nested, uint64_t row, uint64_t *deltas, uint32_t n_events, bool samples)
{
	struct rs_accumulator *accumulator = region->accumulator;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		deltas[m] = rs_record_raw(
			thread, frame, used[m], m, is_next, has_nested, n_events, samples);
		if (!rs_record_is_in_range(region, m, deltas[m]))
			return NULL;
	}
	accumulator = rs_record_fold(region, accumulator, n_events, samples);
	if (has_nested)
		rs_record_children(
			thread, frame, rs_accumulator_children(accumulator, n_events), n_events);
	rs_record_latest(region, frame, accumulator, deltas, n_events, samples);
	rs_store_64(&accumulator->latest_time, rs_w_of(deltas[0]));
	/* This store counts the call, so all stores above must come before it. Release pairs with
	 * the acquire load of the accumulator's readers. */
	if (has_nested || row)
		atomic_store_explicit(&accumulator->calls_word,
			(rs_accumulator_word(accumulator) + (1 << 2)) ^
				(has_nested ? 2 | row : row),
			memory_order_release);
	else
		rs_add_release(&accumulator->calls_word, 1 << 2);
	return accumulator;
}

/* ---- record.c ---- */

/* Fill deltas[1 + n_events] with the call's time and events without overhead. The call ends with
 * the snapshot in thread->snapshot.values. A value of a clock may be negative, modulo 2^64. */
void rs_record_deltas(struct rs_thread *thread, struct rs_frame *frame, uint64_t *deltas);

/* Record the call of a frame on the slow path. The frame keeps its contents, except for its off-CPU
 * time. deltas has 2 + n_events elements; the last one is filled if there was a context switch. */
void rs_record_slow(struct rs_thread *thread, struct rs_frame *frame, uint64_t *deltas);

/* Write the time and events of nested calls of the same region into the row that is not current.
 * Return 1 if there were such calls: calls_word must then make this row current. */
uint64_t rs_record_inner(struct rs_thread *thread, struct rs_frame *frame);

/* Fold the latest call, unless the sums contain it already. may_be_half is true if a kill or a jump
 * may have stopped an earlier fold of this call. */
void rs_record_fold_any(
	struct rs_thread *thread, struct rs_thread_region *region, bool may_be_half) RS_COLD;

#endif
