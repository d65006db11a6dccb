/* SPDX-License-Identifier: MIT */
/*
 * The fast paths of BEGIN, END, NEXT, START and STOP, which every ordinary call of a region takes.
 * They make no system call except read() of counters. If a check fails, they end with a call of a
 * function of slow.h. set.h compiles them for several constant n_events.
 *
 * BEGIN does its bookkeeping, then reads the counters, then the clock. END reads the clock, then
 * the counters, then does its bookkeeping. So a region's time does not include reading the
 * counters, and its events do not include the bookkeeping.
 *
 * In runs with --sample or --budget, marker.c handles skipped calls (calls/sample.h), and passes
 * all other calls on to those above.
 *
 * START and STOP begin and end an asynchronous call. The program keeps the call in a struct
 * regionstat_call: the time of the START, the frame's ticket, and a checksum. The frame stores what
 * can change during the call, and whether the call was stopped before. The fast path handles a STOP
 * on the thread of the START.
 */
#ifndef RS_RUNTIME_MARK_PATH_H
#define RS_RUNTIME_MARK_PATH_H

#include "runtime/calls/labels.h"
#include "runtime/calls/record.h"
#include "runtime/calls/sample.h"
#include "runtime/calls/trace.h"
#include "runtime/count/snapshot.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"

/* ---- BEGIN ---- */

/* Read the counters at a BEGIN into its frame. Return false if the slow path must take over. */
RS_INLINE bool read_begin(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events, uint32_t n_groups)
{
	struct rs_group_time *times = rs_frame_times(frame, n_events);
	uint32_t off;
	uint64_t locks;
	rs_snapshot_fence(thread, n_events);
	if (!RS_SURE(rs_snapshot_events(thread, frame->values, times, &off, &locks, n_events)) ||
		!RS_SURE(!n_groups || locks == thread->sequence))
		return false;
	if (n_groups)
		frame->sequence = (uint32_t)(RS_LOADS_AGAIN ? locks : thread->sequence);
	if (RS_UNLIKELY(off))
		rs_frame_set_off(thread, frame, off);
	return true;
}

/* Note that a region's new call is in another region than its latest call. Return false if it is
 * not certain that the accumulator stores this parent. */
RS_INLINE bool change_parent(struct rs_thread_region *region, struct rs_thread_region *around)
{
	if (!rs_parents_change(region, around))
		return false;
	rs_label_change_parent(region, around);
	return true;
}

/* Begin the call of a BEGIN that may take the fast path. */
RS_INLINE regionstat_ticket_ begin_checked(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock)
{
	uint64_t entered = rs_measures_itself(thread, n_groups) ? rs_ticks(clock) : 0;
	regionstat_ticket_ ticket = rs_frame_open(thread, frame, region, stack, true, n_events);
	if (samples)
		rs_sample_begin(thread, frame, region);
	if (n_events && !RS_SURE(read_begin(thread, frame, n_events, n_groups)))
		return rs_begin_continue(thread);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_begin(thread, frame, entered);
	else
		frame->values[0] = rs_ticks(clock);
	if (RS_LOADS_AGAIN)
		ticket = frame->ticket;
	rs_leave(thread);
	return ticket;
}

/* begin_checked() as a function. */
typedef regionstat_ticket_ begin_checked_function(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uintptr_t stack);

/* Do a BEGIN after the thread has entered the marker. is_shown is true if the label is shown
 * already. If n_events is no constant, call checked(): it saves many registers, and a slow path
 * must execute few instructions before its first snapshot. */
RS_INLINE regionstat_ticket_ begin_entered(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, begin_checked_function *checked, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock, intptr_t place, bool is_shown)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	struct rs_frame *around = thread->innermost, *frame = around->next;
	const struct rs_label_record *own;
	if (RS_UNLIKELY(rs_label_parent(region, &own) != around->region)) {
		if (RS_UNLIKELY(!change_parent(region, around->region)))
			return rs_begin_slow(site, stack, thread);
	}
	/* The first comparison also fails if no frame is free. */
	if (RS_UNLIKELY(rs_state_now(thread) != frame->fast_state) ||
		(samples && rs_sample_skips(region)))
		return rs_begin_slow(site, stack, thread);
	if (!is_shown)
		rs_label_put(rs_label_place(thread, place), rs_label_own(region, own));
	if (!__builtin_constant_p(n_events))
		return checked(thread, frame, region, stack);
	return begin_checked(thread, frame, region, stack, n_events, n_groups, samples, clock);
}

RS_INLINE regionstat_ticket_ begin(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, begin_checked_function *checked, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock, intptr_t place)
{
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		return rs_begin_busy(site, stack);
	return begin_entered(
		thread, site, stack, checked, n_events, n_groups, samples, clock, place, false);
}

/* ---- END ---- */

/* Read the counters at an END or NEXT, after the clock. Return false if that fails. */
RS_INLINE bool take_end(
	struct rs_thread *thread, uint64_t *now, uint32_t *off, uint64_t *locks, uint32_t n_events)
{
	if (!__builtin_constant_p(n_events))
		thread->snapshot.entered = now[0];
	bool is_taken = rs_snapshot_events(
		thread, now, thread->snapshot.times, off, locks, n_events);
	if (rs_measures_itself(thread, n_events))
		rs_correct_end(thread, now);
	return is_taken;
}

RS_INLINE bool is_time_only(uint32_t n_events)
{
	return __builtin_constant_p(n_events) && !n_events;
}

/* Return 0 if there was no context switch or fork since the BEGIN of a frame. With a constant
 * n_events, a pause also counts. If it is 0, a special call also does. */
RS_INLINE uint64_t state_differs(
	const struct rs_thread *thread, const struct rs_frame *frame, uint32_t n_events)
{
	return __builtin_constant_p(n_events) ? rs_state_now(thread) - frame->fast_state
					      : rs_switches_any(thread);
}

/* Return true if an END must not read the counters now. After a context switch, an END still reads
 * groups with read(), so that the time between the two read() calls of a call is as usual. */
RS_INLINE bool may_not_read(
	const struct rs_thread *thread, uint64_t differs, uint32_t n_events, uint32_t n_groups)
{
	if (RS_LIKELY(!differs) || (__builtin_constant_p(n_events) && n_events))
		return differs;
	return rs_switches_any(thread) &&
	       !(rs_measures_itself(thread, n_groups) &&
		       rs_load_64((const uint64_t *)(const void *)thread->is_here));
}

/* Return 0 if the fast path can record the call. If events are measured, special calls also come
 * here first. So their values contain the same part of the END as others. */
RS_INLINE uint64_t end_differs(const struct rs_thread *thread, struct rs_frame *frame,
	uint64_t differs, uint32_t off, uint64_t locks, uint32_t n_events, uint32_t n_groups)
{
	if (__builtin_constant_p(n_events))
		return n_events ? locks - frame->sure : differs;
	return (frame->control ^ rs_control(thread)) | frame->flags | rs_switches_any(thread) |
	       rs_record_differs(thread, frame, off, locks, n_groups);
}

/* Add an ended call's raw values and the overhead of its markers to the enclosing call. One loop
 * goes through both vectors, so that arm64 can add two words at a time. */
RS_INLINE void hand_over(struct rs_thread *thread, struct rs_frame *frame, struct rs_frame *below,
	const struct rs_thread_region *region, const uint64_t *deltas, bool is_next,
	bool had_nested, uint32_t n_events, bool samples)
{
	uint64_t *own = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events), before = 0;
	uint64_t *sums = rs_frame_vector(below, RS_VECTOR_CHILDREN, n_events);
	uint64_t weight = samples ? frame->weight : 1;
	uint32_t n = had_nested || is_next ? 2 * (1 + n_events) : 2 + n_events;
	static_assert(RS_VECTOR_CHARGED == RS_VECTOR_CHILDREN + 1, "`sums` goes through both");
#pragma GCC unroll 10
	for (uint32_t i = 0; i < n; i++) {
		uint32_t m = i - 1 - n_events;
		uint64_t more = i <= n_events ? deltas[i] * weight
				: is_next     ? thread->cost->next[m]
				: m	      ? 0
					      : (uint64_t)(int64_t)region->pair_ticks;
		if (had_nested && i > n_events) {
			more += own[m] + thread->cost->outer[m];
			own[m] = 0;
		}
		if (__builtin_constant_p(n_events) && i % 2)
			rs_add_two(&sums[i - 1], before, more);
		else if (!__builtin_constant_p(n_events) || i + 1 == n)
			sums[i] += more;
		before = more;
	}
	if (is_time_only(n_events)) {
		below->direct += 2 * weight;
		return;
	}
	rs_add_two(&below->pairs, (had_nested ? frame->pairs : 0) + !is_next, 2 * weight);
	if (had_nested)
		frame->pairs = 0;
	if (samples && had_nested) {
		below->skips += frame->skips;
		frame->skips = 0;
	}
}

/* End the innermost frame, or return false if the fast path cannot record its call. `used` is the
 * difference of the call's snapshots. */
RS_INLINE bool end_fast(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, const uint64_t *used, bool has_nested, uint32_t n_events,
	bool samples)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS];
	uint64_t *deltas = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	struct rs_accumulator *accumulator = rs_record(
		thread, region, frame, used, false, has_nested, 0, deltas, n_events, samples);
	if (RS_UNLIKELY(!accumulator))
		return false;
	if (RS_LOADS_AGAIN && __builtin_constant_p(n_events) && n_events)
		frame = *(struct rs_frame *volatile *)&thread->innermost;
	struct rs_frame *below = rs_frame_close(thread, frame, region, accumulator);
	hand_over(thread, frame, below, region, deltas, false, has_nested, n_events, samples);
	return true;
}

/* Continue on the slow path with the END's snapshot. `used` is this snapshot minus the BEGIN's. */
RS_INLINE void end_unrecorded(struct rs_thread *thread, struct rs_frame *frame, bool by_name,
	const uint64_t *used, uint32_t off, uint64_t locks, uint32_t n_events)
{
	/* If n_events is no constant, the snapshot is there already, and `used` may be changed. */
	for (uint32_t m = 0; __builtin_constant_p(n_events) && m <= n_events; m++)
		thread->snapshot.values[m] = rs_load_again(&frame->values[m]) + used[m];
	thread->snapshot.off = off;
	thread->snapshot.locks = locks;
	rs_end_continue(thread->snapshot.values[0], frame, by_name, thread, RS_REACHED_ALL);
}

/* End the innermost frame, whose groups were on the PMU during the whole call. */
RS_INLINE void end_counted(struct rs_thread *thread, struct rs_frame *frame, bool by_name,
	struct rs_thread_region *region, const uint64_t *used, bool has_nested, uint32_t n_events,
	uint32_t n_groups, bool samples, bool traced)
{
	if (RS_UNLIKELY(!end_fast(thread, frame, region, used, has_nested, n_events, samples))) {
		uint64_t locks = n_groups ? rs_load_again(&frame->sure) : 0;
		end_unrecorded(thread, frame, by_name, used, 0, locks, n_events);
		return;
	}
	if (traced && is_time_only(n_events)) {
		rs_trace_leave_time(thread, frame);
		return;
	}
	if (traced)
		rs_trace_call(thread, frame);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_marker(thread, region->accumulator, frame->below);
	rs_leave(thread);
}

typedef void end_function(struct rs_thread *thread, struct rs_frame *frame, bool by_name);

/* End the innermost call, after the thread has entered the marker. nested() is end_counted() for
 * calls with nested calls; it finds `used` in thread->scratch.deltas. If events are measured, one
 * function for all calls would have to save registers. */
RS_INLINE void end(struct rs_thread *thread, struct rs_frame *frame, bool by_name,
	end_function *nested, uint32_t n_events, uint32_t n_groups, bool samples, bool traced,
	uint32_t clock)
{
	uint64_t room[1 + RS_FIXED_EVENTS],
		*now = RS_SCRATCH(n_events, room, thread->snapshot.values);
	uint64_t fixed[1 + RS_FIXED_EVENTS],
		*used = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	uint32_t off = 0;
	uint64_t locks = 0;
	struct rs_thread_region *region = frame->region;
	now[0] = rs_ticks_after(clock);
	uint64_t differs = state_differs(thread, frame, n_events);
	if (may_not_read(thread, differs, n_events, n_groups)) {
		rs_end_continue(now[0], frame, by_name, thread, RS_REACHED_CLOCK);
		return;
	}
	/* With few registers and a constant n_events, keep only the differences. */
	bool is_fixed = RS_LOADS_AGAIN && __builtin_constant_p(n_events) && n_events;
	if (RS_UNLIKELY(is_fixed ? !rs_snapshot_users(thread, n_events, frame->values, used, &locks)
				 : !take_end(thread, now, &off, &locks, n_events))) {
		rs_end_continue(now[0], frame, by_name, thread, RS_REACHED_CHANGE);
		return;
	}
	rs_record_used(frame, now, used, is_fixed ? 0 : n_events);
	if (RS_UNLIKELY(end_differs(thread, frame, differs, off, locks, n_events, n_groups))) {
		end_unrecorded(thread, frame, by_name, used, off, locks, n_events);
		return;
	}
	if (traced)
		rs_trace_end_at(thread, now[0]);
	if (RS_LOADS_AGAIN && n_events)
		region = frame->region;
	if (!rs_frame_has_nested(frame, samples)) {
		end_counted(thread, frame, by_name, region, used, false, n_events, n_groups,
			samples, traced);
	} else if (RS_LOADS_AGAIN && __builtin_constant_p(n_events) && n_events) {
		for (uint32_t m = 0; used == fixed && m <= n_events; m++)
			thread->scratch.deltas[m] = used[m];
		nested(thread, frame, by_name);
	} else {
		end_counted(thread, frame, by_name, region, used, true, n_events, n_groups, samples,
			traced);
	}
}

/* entered() is end() as a function. It is called for the same reason as checked() of a BEGIN. */
RS_INLINE void end_ticket(struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack,
	end_function *entered, end_function *nested, uint32_t n_events, uint32_t n_groups,
	bool samples, bool traced, uint32_t clock, intptr_t place)
{
	struct rs_frame *frame = rs_frame_of(ticket);
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_ticket_slow(ticket, stack, NULL);
	} else if (RS_UNLIKELY(frame != rs_label_innermost(thread, &place)) ||
		   RS_UNLIKELY(frame->ticket != ticket)) {
		rs_end_ticket_slow(ticket, stack, thread);
	} else {
		rs_label_put(place, frame->region->parent_label);
		if (!__builtin_constant_p(n_events))
			entered(thread, frame, false);
		else
			end(thread, frame, false, nested, n_events, n_groups, samples, traced,
				clock);
	}
}

RS_INLINE void end_site(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack,
	end_function *entered, end_function *nested, uint32_t n_events, uint32_t n_groups,
	bool samples, bool traced, uint32_t clock, intptr_t place)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_site_slow(site, stack, NULL);
		return;
	}
	struct rs_frame *frame = rs_label_innermost(thread, &place);
	if (RS_UNLIKELY(frame->region != region)) {
		rs_end_site_slow(site, stack, thread);
		return;
	}
	rs_label_put(place, region->parent_label);
	if (!__builtin_constant_p(n_events))
		entered(thread, frame, true);
	else
		end(thread, frame, true, nested, n_events, n_groups, samples, traced, clock);
}

/* ---- NEXT ---- */

/* Begin the second call of a NEXT with the snapshot that ended the first, in the same frame. After
 * the snapshot, a NEXT executes other instructions than a BEGIN, so the values are corrected. */
RS_INLINE struct rs_frame *begin_shared(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uintptr_t stack, const uint64_t *now, uint32_t n_events,
	uint32_t n_groups, bool samples)
{
	rs_frame_open(thread, frame, region, stack, true, n_events);
	if (samples)
		rs_sample_begin(thread, frame, region);
	struct rs_group_time *times = rs_frame_times(frame, n_events);
	for (uint32_t g = 0; thread->counters.n_reads && g < n_groups; g++)
		times[g] = thread->snapshot.times[g];
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[m] = now[m] + thread->cost->next[m] - thread->cost->inside_next[m];
	return frame;
}

/* Do a NEXT after the thread has entered the marker. */
RS_INLINE void next_entered(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, bool traced, uint32_t clock, intptr_t place)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS], room[1 + RS_FIXED_EVENTS], locks;
	uint64_t *deltas = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	uint64_t *now = RS_SCRATCH(n_events, room, thread->snapshot.values);
	uint32_t off;
	const struct rs_label_record *own;
	struct rs_frame *frame = rs_label_innermost(thread, &place);
	struct rs_thread_region *region = rs_site_region(thread, ended),
				*following = rs_site_region(thread, begun);
	if (RS_UNLIKELY(frame->region != region) ||
		(RS_UNLIKELY(rs_label_parent(following, &own) != frame->below->region) &&
			!change_parent(following, frame->below->region))) {
		rs_next_slow(ended, begun, stack, thread);
		return;
	}
	/* Do this early, so that no register has to keep the place. */
	rs_label_put(place, rs_label_own(following, own));
	now[0] = rs_ticks_after(clock);
	uint64_t differs = state_differs(thread, frame, n_events);
	if (may_not_read(thread, differs, n_events, n_groups)) {
		thread->snapshot.values[0] = now[0];
		if (rs_enter_slow(thread))
			rs_next_continue(thread, frame, following, RS_REACHED_CLOCK);
		else
			rs_next_slow(ended, begun, stack, NULL);
		return;
	}
	struct rs_accumulator *accumulator = NULL;
	bool has_nested = rs_frame_has_nested(frame, samples);
	if (RS_UNLIKELY(!take_end(thread, now, &off, &locks, n_events))) {
		thread->snapshot.values[0] = now[0];
		rs_next_continue(thread, frame, following, RS_REACHED_CHANGE);
		return;
	}
	rs_record_used(frame, now, deltas, n_events);
	if (RS_UNLIKELY(end_differs(thread, frame, differs, off, locks, n_events, n_groups)) ||
		RS_UNLIKELY(!(accumulator = rs_record(thread, region, frame, deltas, true,
				      has_nested, 0, deltas, n_events, samples)))) {
		for (uint32_t m = 0; now == room && m <= n_events; m++)
			thread->snapshot.values[m] = room[m];
		thread->snapshot.off = off;
		thread->snapshot.locks = locks;
		rs_next_continue(thread, frame, following, RS_REACHED_ALL);
		return;
	}
	struct rs_frame *below = rs_frame_close(thread, frame, region, accumulator);
	hand_over(thread, frame, below, region, deltas, true, has_nested, n_events, samples);
	/* The report assumes the overhead of a BEGIN and END for each call; add the difference. */
	if (!rs_measures_itself(thread, n_groups))
		rs_count(&accumulator->own_ticks,
			thread->cost->next[0] - (uint64_t)(int64_t)region->pair_ticks);
	if (traced) {
		rs_trace_end_at(thread, now[0]);
		if (is_time_only(n_events))
			rs_trace_call_time(thread, frame);
		else
			rs_trace_call(thread, frame);
	}
	bool is_skipped = samples && rs_sample_skips(following);
	struct rs_frame *opened = is_skipped ? NULL
					     : begin_shared(thread, frame, following, stack, now,
						       n_events, n_groups, samples);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_next(thread, accumulator, frame->below, opened);
	if (is_skipped)
		rs_sample_skip(thread, following, stack);
	else
		rs_leave(thread);
}

RS_INLINE void next(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, bool traced, uint32_t clock, intptr_t place)
{
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_next_slow(ended, begun, stack, NULL);
		return;
	}
	next_entered(
		thread, ended, begun, stack, n_events, n_groups, samples, traced, clock, place);
}

/* ---- the words of an asynchronous call ---- */

/* The words of a struct regionstat_call. */
enum rs_call_word {
	RS_CALL_MARK, /* the region's mark */
	RS_CALL_CONTROL,
	RS_CALL_TICKS, /* the clock at the START */
	RS_CALL_TICKET, /* the frame's ticket; 0: no frame */
	RS_CALL_WEIGHT, /* how many calls this one represents; 0: skipped */
	/* rs_process.id of the process, since a later one may use the same process entry */
	RS_CALL_PROCESS,
	RS_CALL_NONE, /* 0 */
	RS_CALL_CHECKSUM, /* of the other words; 0: no call */
	RS_CALL_N = 8
};
static_assert(sizeof(struct regionstat_call) == RS_CALL_N * sizeof(uint64_t), "ABI");

/* Return the exclusive or of the words of a call, without the checksum. */
RS_INLINE uint64_t rs_call_mix(const uint64_t *word)
{
	uint64_t mix = word[RS_CALL_MARK];
#pragma GCC unroll 8
	for (int i = RS_CALL_MARK + 1; i < RS_CALL_CHECKSUM; i++)
		mix ^= word[i];
	return mix;
}

/* Return the checksum of words with this mix. The STOP follows an address that was in the program's
 * memory, so it needs a checksum. The factor is odd, so any changed mix changes the checksum. */
RS_INLINE uint64_t rs_call_checksum(uint64_t mix)
{
	return mix * UINT64_C(0x9e3779b97f4a7c15);
}

RS_INLINE bool rs_call_is_sealed(const uint64_t *word)
{
	return word[RS_CALL_CHECKSUM] == rs_call_checksum(rs_call_mix(word));
}

/* ---- START ---- */

/* Fill the frame and the words of a call that begins, except the snapshot, the clock and the
 * checksum. mark is the region's; weight is 0 or the region's weight. Return the mix of the
 * words. */
RS_INLINE uint64_t rs_call_open(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uint32_t mark, uint64_t control, uint64_t weight,
	uint64_t *word)
{
	if (frame) {
		frame->region = region;
		frame->control = control;
		frame->flags = RS_FRAME_ASYNC;
		frame->weight = (uint32_t)weight;
		frame->ticket += RS_TICKET_STEP;
		if (RS_UNLIKELY(atomic_load_explicit(&frame->unstopped, memory_order_relaxed)))
			atomic_fetch_add_explicit(
				&thread->asyncs.n_forgotten, 1, memory_order_relaxed);
		/* Release pairs with the exchange in rs_call_claim(), which thus finds the frame
		 * filled. */
		atomic_store_explicit(&frame->unstopped, frame->ticket, memory_order_release);
	}
	rs_count(&region->accumulator->pending, 1);
	const uint64_t words[RS_CALL_N] = {
		[RS_CALL_MARK] = mark,
		[RS_CALL_CONTROL] = control,
		[RS_CALL_TICKET] = frame ? frame->ticket : 0,
		[RS_CALL_WEIGHT] = weight,
		[RS_CALL_PROCESS] = thread->runtime->process_id,
	};
#pragma GCC unroll 8
	for (int i = 0; i < RS_CALL_N; i++)
		word[i] = words[i];
	return rs_call_mix(words);
}

/* Begin the call: store the clock and the checksum. */
RS_INLINE void rs_call_seal(uint64_t *word, uint64_t mix, uint64_t ticks)
{
	word[RS_CALL_TICKS] = ticks;
	word[RS_CALL_CHECKSUM] = rs_call_checksum(mix ^ ticks);
}

/* Let sampling decide if a new call is measured. Return its weight, or 0 if it is skipped. */
RS_INLINE uint64_t rs_call_draw(
	struct rs_thread *thread, struct rs_thread_region *region, bool samples)
{
	if (!samples)
		return 1;
	if (rs_sample_skips(region)) {
		region->n_until_measured--;
		return 0;
	}
	uint64_t weight = region->weight;
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
	struct rs_frame *frame = rs_call_take_frame(thread);
	uint64_t mix = rs_call_open(thread, frame, region, rs_load_32(&site->region_), control,
		rs_call_draw(thread, region, samples), word);
	rs_call_charge(thread, n_events);
	uint64_t *charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events);
#pragma GCC unroll 4
	for (uint32_t m = 1; m <= n_events; m++)
		charged[m] = rs_frame_charged(thread, thread->ground, m, n_events, samples);
	if (RS_UNLIKELY(!read_begin(thread, frame, n_events, n_groups))) {
		rs_start_continue(thread, frame, call, mix);
		return;
	}
	uint64_t ticks = rs_ticks(clock);
	frame->values[0] = ticks;
	rs_call_seal(word, mix, ticks);
	rs_leave(thread);
}

/* ---- STOP ---- */

/* Return the call's frame, or NULL if another thread started the call or the frame has been used
 * again. */
RS_INLINE struct rs_frame *rs_call_frame(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	if (RS_UNLIKELY(!rs_call_is_sealed(word)) ||
		RS_UNLIKELY(word[RS_CALL_PROCESS] != thread->runtime->process_id) ||
		RS_UNLIKELY(!frame) || RS_UNLIKELY(frame->thread != thread) ||
		RS_UNLIKELY(frame->ticket != word[RS_CALL_TICKET]) ||
		RS_UNLIKELY(frame->flags != RS_FRAME_ASYNC))
		return NULL;
	return frame;
}

/* Return true if this is the call's first STOP, on any thread. */
RS_INLINE bool rs_call_claim(struct rs_frame *frame, uint64_t ticket)
{
	return atomic_compare_exchange_strong_explicit(
		&frame->unstopped, &ticket, 0, memory_order_acquire, memory_order_acquire);
}

/* Return the overhead in a call's time or in an event, beyond the overhead that all values of the
 * accumulator include. For time, this excludes other markers during the call. */
RS_INLINE uint64_t rs_call_overhead(const struct rs_thread *thread, struct rs_frame *frame,
	uint32_t m, uint32_t n_events, bool samples)
{
	uint64_t own = thread->cost->async[m] - thread->cost->inside[m];
	uint64_t at_start = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events)[m];
	return m ? own + rs_frame_charged(thread, thread->ground, m, n_events, samples) - at_start
		 : own;
}

RS_INLINE void rs_call_stop(struct rs_thread *self, const struct regionstat_call *call,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, bool traced,
	uint32_t clock)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS], room[1 + RS_FIXED_EVENTS];
	const uint64_t *word = (const uint64_t *)call->word_;
	uint32_t off;
	if (!word[RS_CALL_CHECKSUM])
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
	uint64_t *now = RS_SCRATCH(n_events, room, thread->snapshot.values);
	uint64_t *deltas = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	uint64_t ticks = rs_ticks_after(clock), locks;
	if (RS_UNLIKELY(!rs_snapshot_events(
		    thread, now, thread->snapshot.times, &off, &locks, n_events)) ||
		RS_UNLIKELY(n_groups && locks != thread->sequence)) {
		rs_stop_continue(thread, call, ticks, false, RS_REACHED_CHANGE);
		return;
	}
	struct rs_frame *frame = rs_call_frame(thread, word);
	bool is_ordinary = frame &&
			   !(rs_record_differs(thread, frame, off, locks, n_groups) |
				   (frame->control ^ rs_control(thread)) | rs_switches_any(thread) |
				   frame->region->is_uncalled | (uintptr_t)frame->region->worked);
	bool is_claimed = is_ordinary && rs_call_claim(frame, frame->ticket);
	bool is_done = false;
	struct rs_accumulator *accumulator = is_claimed ? frame->region->accumulator : NULL;
	if (RS_LIKELY(is_claimed)) {
		/* The time includes the overhead of other markers during the call. */
		now[0] = frame->values[0] + ticks - word[RS_CALL_TICKS];
#pragma GCC unroll 5
		for (uint32_t m = 0; m <= n_events; m++)
			deltas[m] = now[m] - frame->values[m] -
				    rs_call_overhead(thread, frame, m, n_events, samples);
		if (samples && !frame->weight) {
			rs_count(&accumulator->skipped, 1);
			is_done = true;
		} else {
			is_done = rs_record(thread, frame->region, frame, deltas, false, false, 0,
				deltas, n_events, samples);
		}
	}
	if (RS_UNLIKELY(!is_done)) {
		for (uint32_t m = 1; now == room && m <= n_events; m++)
			thread->snapshot.values[m] = room[m];
		thread->snapshot.off = off;
		rs_stop_continue(thread, call, ticks, is_claimed, RS_REACHED_ALL);
		return;
	}
	if (traced && (!samples || frame->weight)) {
		rs_trace_end_at(thread, ticks);
		rs_trace_call_async(thread, frame);
	}
	rs_count(&accumulator->pending, UINT64_MAX);
	rs_call_free_frame(thread, frame);
	rs_call_charge(thread, n_events);
	/* The report assumes the overhead of a BEGIN and END for each call; add the difference. */
	uint64_t both = 2 * thread->cost->async_half[0];
	if (samples && !frame->weight)
		rs_count(&accumulator->skip_own_ticks,
			both - atomic_load_explicit(
				       &accumulator->skip_ticks, memory_order_relaxed));
	else
		rs_count(&accumulator->own_ticks, both - thread->cost->pair[0]);
	rs_leave(thread);
}

#endif
