/* SPDX-License-Identifier: MIT */
/*
 * With --trace, markers write finished calls into the thread's rings (segment/trace.h), after the
 * accumulator has recorded them. Without a trace, marker.c chooses markers without this code.
 *
 * Every measured call goes to the ring of recent calls. It is also kept if it is slow by the
 * segment's rules, the next sample, or around a kept call.
 */
#ifndef RS_RUNTIME_CALLS_TRACE_H
#define RS_RUNTIME_CALLS_TRACE_H

#include "runtime/calls/calls.h"

/* Write one word of a cell. The launcher may read it at the same time. */
RS_INLINE void rs_trace_put(uint64_t *cell, uint32_t word, uint64_t value)
{
	rs_store_64(&cell[word], value);
}

/* Return tid, region, parent and flags as one word. */
RS_INLINE uint64_t rs_trace_ids(const struct rs_thread *thread,
	const struct rs_thread_region *region, const struct rs_thread_region *parent,
	uint64_t flags)
{
	/* Distances in bytes are 128 times those in elements, so one shift is enough. */
	static_assert(sizeof(*region) == 128, "the shifts below are less by 7");
	uint64_t distance = (uint64_t)((const char *)region - (const char *)thread->regions);
	uint64_t of_parent = (uint64_t)((const char *)parent - (const char *)thread->regions);
	return thread->part.tid + (distance << (RS_TRACE_REGION_SHIFT - 7)) +
	       (of_parent << (RS_TRACE_PARENT_SHIFT - 7)) + (flags << RS_TRACE_FLAG_SHIFT);
}

/* Keep the record whose first cell is `cell`: copy it to the ring of kept calls, if that has room
 * for a call of this length. If is_certain is true, the record counts as slow, unless --trace-if
 * was given. */
void rs_trace_keep(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t *cell, bool is_certain) RS_COLD;

/* Return true if the call of a frame must be kept, or if the next sample must be chosen. */
RS_INLINE bool rs_trace_is_kept(const struct rs_tracer *tracer, const struct rs_frame *frame,
	uint64_t number, uint32_t region, uint64_t ticks)
{
	uint64_t above = atomic_load_explicit(&tracer->rules->above[region], memory_order_relaxed);
	return RS_UNLIKELY(ticks >= above) || RS_UNLIKELY(tracer->around == frame) ||
	       RS_UNLIKELY(number >= tracer->next_sample);
}

/* Return the number of the next cell of the ring of recent calls. */
RS_INLINE uint64_t rs_trace_next(const struct rs_tracer *tracer)
{
	return atomic_load_explicit(&tracer->shared->n_recent, memory_order_relaxed);
}

/* Write a call that its accumulator has just recorded on the fast path. The tracer has the clock of
 * the call's END or STOP. The frame may be closed, but no other call uses it yet. `below` is the
 * frame of the enclosing call, or thread->ground for an asynchronous call that this thread
 * started. */
RS_INLINE void rs_trace_write(struct rs_thread *thread, struct rs_frame *frame,
	const struct rs_frame *below, bool is_async, uint32_t n_events)
{
	struct rs_tracer *tracer = &thread->tracer;
	struct rs_thread_region *region = frame->region;
	struct rs_accumulator *accumulator = region->accumulator;
	uint64_t n = rs_trace_next(tracer), time = accumulator->latest_time;
	uint64_t begin = frame->values[0] - tracer->moved, end = tracer->end - tracer->moved;
	uint64_t *cell = tracer->recent + (n & tracer->recent_mask) * rs_trace_cell_words(n_events);
	rs_trace_put(cell, RS_TRACE_BEGIN, begin);
	rs_trace_put(cell, RS_TRACE_END, end);
	rs_trace_put(cell, RS_TRACE_TIME, time);
	rs_trace_put(cell, RS_TRACE_FROM, is_async ? thread->part.tid : begin - below->values[0]);
	rs_trace_put(cell, RS_TRACE_IDS,
		rs_trace_ids(thread, region, below->region, is_async ? RS_TRACE_ASYNC : 0));
	rs_trace_put(cell, RS_TRACE_NUMBER, n);
	for (uint32_t e = 0; e < n_events; e++)
		rs_trace_put(
			cell, RS_TRACE_EVENTS + e, *rs_accumulator_latest(accumulator, 1 + e) >> 1);
	/* Release pairs with the launcher's acquire load: it then sees the whole cell. */
	atomic_store_explicit(&tracer->shared->n_recent, n + 1, memory_order_release);
	if (rs_trace_is_kept(tracer, frame, n, rs_region_of(thread, region), time >> 1))
		rs_trace_keep(thread, frame, cell, false);
}

/* Note the clock of an END or STOP, which rs_trace_write() needs. */
RS_INLINE void rs_trace_end_at(struct rs_thread *thread, uint64_t ticks)
{
	thread->tracer.end = ticks;
}

/* These do what rs_trace_write() does, for any n_events or only time. The last one leaves the
 * marker. */
void rs_trace_call(struct rs_thread *thread, struct rs_frame *frame);
void rs_trace_call_async(struct rs_thread *thread, struct rs_frame *frame);
void rs_trace_call_time(struct rs_thread *thread, struct rs_frame *frame);
void rs_trace_leave_time(struct rs_thread *thread, struct rs_frame *frame);

/* Write a call that a slow path has recorded as the latest of an accumulator. thread->snapshot is
 * the snapshot of its END. With --by-work, region is the region for calls with this work.
 * not_counted has a bit for each group that was not counted all the time. is_certain is true if the
 * call is rare: the call then counts as slow, and so is kept, unless --trace-if was given. Do
 * nothing in a run without a trace. The arguments are in no struct, because that would use stack in
 * each slow path. */
void rs_trace_note(struct rs_thread *thread, struct rs_frame *frame,
	const struct rs_thread_region *region, struct rs_accumulator *accumulator,
	uint32_t not_counted, bool is_certain) RS_COLD;

/* Write a call of the frame's own region, as rs_trace_note() does. */
void rs_trace_note_plain(struct rs_thread *thread, struct rs_frame *frame) RS_COLD;

/* Write a call that rs_record_slow() has recorded. The caller of that function calls this one too,
 * so that both use the same stack. */
void rs_trace_note_other(struct rs_thread *thread, struct rs_frame *frame) RS_COLD;

/* Write that the thread was off its CPU in the call of `frame`. off[RS_OFF_N] is in ticks. */
void rs_trace_note_off(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *off,
	uint64_t now_ticks) RS_COLD;

/* Make the memory that threads without rings use. Return false if memory runs out. */
bool rs_trace_init(struct rs_runtime *runtime);

/* Let the thread write to memory that no process reads. This is for calibration, and for threads
 * without rings. */
void rs_trace_detach(struct rs_thread *thread);

/* Let the thread write to the rings of its slot. Make them if necessary. */
void rs_trace_attach(struct rs_thread *thread);

#endif
