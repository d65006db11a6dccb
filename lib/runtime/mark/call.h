/* SPDX-License-Identifier: MIT */
/*
 * The fast path of START and STOP. It handles a STOP on the thread of the START if the call is
 * otherwise ordinary. call.c handles all other cases.
 *
 * The program keeps the call in a struct regionstat_call. Its words include a checksum that proves
 * that it is valid, the time of the START, and the ticket of the frame. The frame stores what can
 * change during the call: off-CPU time after a context switch, the groups' times after a page has
 * changed, and reported work. The frame also tells a STOP whether it is the call's first.
 */
#ifndef RS_RUNTIME_MARK_CALL_H
#define RS_RUNTIME_MARK_CALL_H

#include "runtime/count/snapshot.h"
#include "runtime/calls/record.h"
#include "runtime/calls/sample.h"
#include "runtime/calls/trace.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"

/* The words of a struct regionstat_call. */
enum rs_call_word {
	/* Lower half: the region's mark. Upper half: a checksum of all words. 0: there is no call
	 * to stop. */
	RS_CALL_MARK,
	RS_CALL_CONTROL,
	RS_CALL_TICKS, /* the clock at the START */
	RS_CALL_TICKET, /* the frame's ticket; 0: no frame */
	RS_CALL_WEIGHT, /* how many calls this one represents; 0: skipped */
	/* rs_process.id of the process. The index of the process entry is not enough, because a
	 * later process may use that entry. */
	RS_CALL_PROCESS,
	RS_CALL_NONE, /* This word and the next are 0. */
	RS_CALL_N = 8
};
static_assert(sizeof(struct regionstat_call) == RS_CALL_N * sizeof(uint64_t), "ABI");

/* Return the factor of a word in the checksum. A checksum is needed because the words were in the
 * program's memory, and one contains an address that the STOP follows. The factors are odd and have
 * many bits set, so any changed bit changes the upper half of the sum. */
RS_INLINE uint64_t rs_call_factor(int i)
{
	return UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)i + 1);
}
RS_INLINE uint64_t rs_call_sum(const uint64_t *word)
{
	uint64_t sum = (uint32_t)word[RS_CALL_MARK] * rs_call_factor(RS_CALL_MARK);
#pragma GCC unroll 8
	for (int i = RS_CALL_MARK + 1; i < RS_CALL_N; i++)
		sum += word[i] * rs_call_factor(i);
	return sum;
}

RS_INLINE bool rs_call_is_sealed(const uint64_t *word)
{
	return word[RS_CALL_MARK] >> 32 == rs_call_sum(word) >> 32;
}

/* ---- START ---- */

/* Fill the frame and the words of a call that begins, except the snapshot, the clock and the
 * checksum. weight is 0 or the region's. Return the sum of the words. */
RS_INLINE uint64_t rs_call_open(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uint64_t control, uint64_t weight, uint64_t *word)
{
	if (frame) {
		frame->region = region;
		frame->outer = NULL;
		frame->control = control;
		frame->apart = RS_APART_ASYNC;
		frame->weight = (uint32_t)weight;
		frame->ticket += RS_TICKET_STEP;
		if (RS_UNLIKELY(atomic_load_explicit(&frame->unstopped, memory_order_relaxed)))
			atomic_store_explicit(
				&thread->asyncs.has_forgotten, 1, memory_order_relaxed);
		/* Release pairs with the exchange in rs_call_claim(), perhaps on another thread: a
		 * STOP that finds the ticket also finds the filled frame. */
		atomic_store_explicit(&frame->unstopped, frame->ticket, memory_order_release);
	}
	rs_count(&region->accumulator->pending, 1);
	const uint64_t words[RS_CALL_N] = {
		[RS_CALL_MARK] = rs_region_mark(rs_region_of(thread, region)),
		[RS_CALL_CONTROL] = control,
		[RS_CALL_TICKET] = frame ? frame->ticket : 0,
		[RS_CALL_WEIGHT] = weight,
		[RS_CALL_PROCESS] = thread->runtime->process_id,
	};
#pragma GCC unroll 8
	for (int i = 0; i < RS_CALL_N; i++)
		word[i] = words[i];
	return rs_call_sum(words);
}

/* Begin the call: store the clock and the checksum. */
RS_INLINE void rs_call_seal(uint64_t *word, uint64_t sum, uint64_t ticks)
{
	word[RS_CALL_TICKS] = ticks;
	sum += ticks * rs_call_factor(RS_CALL_TICKS);
	word[RS_CALL_MARK] |= sum & ~(uint64_t)UINT32_MAX;
}

/* Draw whether a new call is measured. Return its weight, or 0 if it is skipped. */
RS_INLINE uint64_t rs_call_draw(
	struct rs_thread *thread, struct rs_thread_region *region, bool samples)
{
	if (!samples)
		return 1;
	if (rs_sample_skips(region)) {
		region->turn--;
		return 0;
	}
	uint64_t weight = region->every;
	rs_sample_next(thread, region);
	return weight;
}

/* Charge a START or a STOP to the enclosing call. */
RS_INLINE void rs_call_charge(struct rs_thread *thread, uint32_t n_events)
{
	struct rs_frame *around = thread->innermost;
	uint64_t *charged = rs_frame_vector(around, RS_VECTOR_CHARGED, n_events);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		charged[m] += thread->cost->async_half[m];
	around->direct |= 1;
}

/* Return true if the thread's charges are only known after a walk along its open calls. */
RS_INLINE bool rs_call_walks(const struct rs_thread *thread, uint32_t n_events)
{
	return n_events && thread->innermost != thread->ground;
}

RS_INLINE void rs_call_start(struct rs_thread *self, struct regionstat_call *call,
	struct regionstat_site_ *site, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock)
{
	uint64_t *word = (uint64_t *)call->word_;
	if (RS_UNLIKELY(rs_site_is_known_filtered(site)))
		return;
	struct rs_thread *thread = rs_enter(self, stack);
	if (RS_UNLIKELY(!thread)) {
		rs_start_slow(call, site, stack, NULL);
		return;
	}
	struct rs_thread_region *region = rs_site_region(thread, site);
	uint64_t control = rs_control(thread);
	if (RS_UNLIKELY(!rs_region_is_ready(region)) ||
		RS_UNLIKELY(thread->asyncs.free == thread->asyncs.ring) ||
		RS_UNLIKELY(control & RS_CONTROL_PAUSED) || RS_UNLIKELY(rs_switches_any(thread)) ||
		RS_UNLIKELY(rs_call_walks(thread, n_events)) ||
		RS_UNLIKELY(n_events && thread->counters.n_reads)) {
		rs_start_slow(call, site, stack, thread);
		return;
	}
	struct rs_frame *frame = rs_call_take_entry(thread);
	uint64_t sum = rs_call_open(
		thread, frame, region, control, rs_call_draw(thread, region, samples), word);
	rs_call_charge(thread, n_events);
	uint64_t *charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events);
#pragma GCC unroll 4
	for (uint32_t m = 1; m <= n_events; m++)
		charged[m] = rs_frame_charged(thread, thread->ground, m, samples);
	if (RS_UNLIKELY(!rs_record_begin(thread, frame, n_events, n_groups))) {
		rs_start_again(thread, frame, call, sum);
		return;
	}
	uint64_t ticks = rs_ticks(clock);
	frame->values[0] = ticks;
	rs_call_seal(word, sum, ticks);
	rs_leave(thread);
}

/* ---- STOP ---- */

/* Return the frame of a call if this thread started the call and the frame is still the call's.
 * Otherwise return NULL. */
RS_INLINE struct rs_frame *rs_call_entry(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	if (RS_UNLIKELY(!rs_call_is_sealed(word)) ||
		RS_UNLIKELY(word[RS_CALL_PROCESS] != thread->runtime->process_id) ||
		RS_UNLIKELY(!frame) || RS_UNLIKELY(frame->thread != thread) ||
		RS_UNLIKELY(frame->ticket != word[RS_CALL_TICKET]) ||
		RS_UNLIKELY(frame->apart != RS_APART_ASYNC))
		return NULL;
	return frame;
}

/* Return true if this is the call's first STOP, on any thread. The exchange lets only one of
 * several STOPs win. */
RS_INLINE bool rs_call_claim(struct rs_frame *frame, uint64_t ticket)
{
	return atomic_compare_exchange_strong_explicit(
		&frame->unstopped, &ticket, 0, memory_order_acquire, memory_order_acquire);
}

/* Return the overhead in a call's time or in an event, beyond what all values of the accumulator
 * include. For time, this does not include other markers during the call. */
RS_INLINE uint64_t rs_call_overhead(const struct rs_thread *thread, struct rs_frame *frame,
	uint32_t m, uint32_t n_events, bool samples)
{
	uint64_t own = thread->cost->async[m] - thread->cost->inside[m];
	uint64_t at_start = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events)[m];
	return m ? own + rs_frame_charged(thread, thread->ground, m, samples) - at_start : own;
}

RS_INLINE void rs_call_stop(struct rs_thread *self, const struct regionstat_call *call,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, bool traced,
	uint32_t clock)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS], room[1 + RS_FIXED_EVENTS];
	const uint64_t *word = (const uint64_t *)call->word_;
	uint32_t off;
	if (!word[RS_CALL_MARK])
		return;
	struct rs_thread *thread = rs_enter(self, stack);
	if (RS_UNLIKELY(!thread)) {
		rs_stop_slow(call, stack, NULL);
		return;
	}
	if (RS_UNLIKELY(rs_call_walks(thread, n_events)) ||
		RS_UNLIKELY(n_events && thread->counters.n_reads)) {
		rs_stop_slow(call, stack, thread);
		return;
	}
	uint64_t *now = RS_ROOM(n_events, room, thread->snapshot.values);
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	uint64_t ticks = rs_ticks_after(clock), locks;
	if (RS_UNLIKELY(!rs_snapshot_events(
		    thread, now, thread->snapshot.times, &off, &locks, n_events)) ||
		RS_UNLIKELY(n_groups && locks != thread->sequence)) {
		rs_stop_other(thread, call, ticks, false, RS_REACHED_CHANGE);
		return;
	}
	struct rs_frame *frame = rs_call_entry(thread, word);
	bool is_ordinary = frame && !(rs_record_differs(thread, frame, off, locks, n_groups) |
					    (frame->control ^ rs_control(thread)) |
					    rs_switches_any(thread) | frame->region->is_uncalled);
	bool is_claimed = is_ordinary && rs_call_claim(frame, frame->ticket);
	bool is_done = false;
	struct rs_accumulator *accumulator = is_claimed ? frame->region->accumulator : NULL;
	if (RS_LIKELY(is_claimed)) {
		/* The time is the difference of two clock readings. It includes the overhead of
		 * other markers during the call. */
		now[0] = frame->values[0] + ticks - word[RS_CALL_TICKS];
#pragma GCC unroll 5
		for (uint32_t m = 0; m <= n_events; m++)
			deltas[m] = now[m] - frame->values[m] -
				    rs_call_overhead(thread, frame, m, n_events, samples);
		if (samples && !frame->weight) {
			rs_count(&accumulator->skipped, 1);
			is_done = true;
		} else {
			is_done = rs_record(thread, frame->region, frame, accumulator, deltas,
				false, false, 0, deltas, n_events, samples);
		}
	}
	if (RS_UNLIKELY(!is_done)) {
		for (uint32_t m = 1; now == room && m <= n_events; m++)
			thread->snapshot.values[m] = room[m];
		thread->snapshot.off = off;
		rs_stop_other(thread, call, ticks, is_claimed, RS_REACHED_ALL);
		return;
	}
	if (traced && (!samples || frame->weight)) {
		rs_trace_end_at(thread, ticks);
		rs_trace_call_async(thread, frame);
	}
	rs_count(&accumulator->pending, UINT64_MAX);
	rs_call_free_entry(thread, frame);
	rs_call_charge(thread, n_events);
	/* The report assumes the overhead of a BEGIN and END for each call of an accumulator. Add
	 * by how much START and STOP differ from that. */
	rs_count(&accumulator->own_ticks, 2 * thread->cost->async_half[0] - thread->cost->pair[0]);
	rs_leave(thread);
}

#endif
