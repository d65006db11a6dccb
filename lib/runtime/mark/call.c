/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of START and STOP, which begin and end asynchronous calls. Such calls do not nest,
 * and may end in any order and on any thread. call.h has the fast path. If a call has no frame or
 * another thread stops it, only its time is recorded, no events. A call that is never stopped keeps
 * its frame until frames become scarce.
 */
#include "runtime/mark/call.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"

/* Free the frames of calls that other threads have stopped, if enough such calls justify a
 * search. */
static void sweep(struct rs_thread *thread)
{
	struct rs_frame *next, *ring = thread->asyncs.ring;
	if (atomic_load_explicit(&thread->asyncs.n_stopped_elsewhere, memory_order_relaxed) <
		thread->frames.n / 16)
		return;
	atomic_store_explicit(&thread->asyncs.n_stopped_elsewhere, 0, memory_order_relaxed);
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = ring->next; frame != ring && n--; frame = next) {
		next = frame->next;
		if (!atomic_load_explicit(&frame->unstopped, memory_order_relaxed))
			rs_frame_drop_async(thread, frame);
	}
}

/* Make a frame free for a call, if necessary by dropping the oldest call of the ring. Return false
 * if that fails. */
static bool has_entry(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_frame *ring = thread->asyncs.ring;
	if (thread->asyncs.free == ring)
		sweep(thread);
	if (thread->asyncs.free == ring && !rs_frame_has_room(thread) &&
		thread->frames.n >= RS_MAX_FRAMES && ring->next != ring)
		rs_frame_drop_async(thread, ring->next);
	if (thread->asyncs.free != ring)
		return true;
	if (!rs_frame_has_room(thread) && !rs_frame_make_room(thread, stack))
		return false;
	return rs_frame_give_async(thread);
}

/* ---- START ---- */

/* Begin a call at the end of its START, and take the last snapshot. frame is NULL if the call has
 * no frame. word is NULL if there is no call. */
static void begin_call(struct rs_thread *thread, struct rs_accumulator *accumulator,
	struct rs_frame *frame, uint64_t *word, uint64_t sum)
{
	rs_slow_end(thread, accumulator, thread->cost->inside, frame);
	/* The context switch came before the call. */
	if (frame && frame->apart & RS_APART_SWITCHED) {
		frame->apart &= ~(uint32_t)RS_APART_SWITCHED;
		rs_off_cpu_clear(thread, frame);
	}
	if (word)
		rs_call_seal(word, sum, rs_slow_ended(thread));
	rs_leave(thread);
}

void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread)
{
	uint64_t *word = (uint64_t *)call->word_;
	struct rs_frame *frame = NULL;
	/* Read it again: a handler may have forked, as in rs_begin_busy(). */
	struct rs_thread *self = rs_self;
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->start_(call, site);
		return;
	}
	if (!(thread = rs_enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	uint64_t control = rs_control(thread), sum = 0;
	bool is_call = region && !(control & RS_CONTROL_PAUSED);
	if (is_call) {
		if (has_entry(thread, stack))
			frame = rs_call_take_entry(thread);
		sum = rs_call_open(thread, frame, region, control,
			rs_call_draw(thread, region, thread->runtime->samples), word);
		if (frame)
			rs_frame_work_clear(thread, frame);
	}
	begin_call(thread, region ? region->accumulator : NULL, frame, is_call ? word : NULL, sum);
}

void rs_start_again(struct rs_thread *thread, struct rs_frame *frame, struct regionstat_call *call,
	uint64_t sum)
{
	rs_slow_begin_again(thread, thread->innermost);
	begin_call(thread, frame->region->accumulator, frame, (uint64_t *)call->word_, sum);
}

/* ---- STOP ---- */

/* Return true if this is the call's first STOP on any thread. If the call has lost its frame, this
 * is a guess. Fill reported with the call's work, or with 0 if that is unknown. */
static bool is_first_stop(
	struct rs_thread *thread, const uint64_t *word, struct rs_frame_work *reported)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	*reported = (struct rs_frame_work){0};
	if (!frame)
		return true;
	/* Read the work first: once the call is claimed, the frame may be used for another call. */
	const struct rs_frame_work *work = rs_frame_work(thread, frame);
	struct rs_frame_work seen = {__atomic_load_n(&work->bytes, __ATOMIC_RELAXED),
		__atomic_load_n(&work->flops, __ATOMIC_RELAXED)};
	if (!rs_call_claim(frame, word[RS_CALL_TICKET]))
		return atomic_load_explicit(
			&frame->thread->asyncs.has_forgotten, memory_order_relaxed);
	*reported = seen;
	if (frame->thread != thread)
		atomic_fetch_add_explicit(
			&frame->thread->asyncs.n_stopped_elsewhere, 1, memory_order_relaxed);
	return true;
}

/* Return the call's frame if this thread started the call and the frame is still the call's.
 * Otherwise return NULL. */
static struct rs_frame *find_entry(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	bool is_its = frame && frame->thread == thread && frame->ticket == word[RS_CALL_TICKET];
	return is_its && frame->apart & RS_APART_ASYNC ? frame : NULL;
}

/* Return the thread that started a call, or 0 if the call has no frame. The frame may already
 * belong to a later call, but that is one of the same thread. */
static uint32_t find_starter(const uint64_t *word)
{
	const struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	return frame ? frame->thread->part.tid : 0;
}

/* Use the first free frame for a call without a frame during this STOP. The call's events are
 * unknown. */
static struct rs_frame *borrow_entry(struct rs_thread *thread)
{
	struct rs_frame *frame = thread->innermost->next;
	frame->apart = RS_APART_ASYNC;
	frame->sequence = RS_SEQUENCE_NONE;
	frame->off = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		frame->off |= RS_GROUP_NOT_COUNTED(g) | RS_GROUP_OFF(g);
	return frame;
}

/* End a call with the snapshot in thread->snapshot.values. */
static void stop_call(struct rs_thread *thread, const uint64_t *word,
	struct rs_thread_region *region, const struct rs_frame_work *reported)
{
	struct rs_accumulator *accumulator = region->accumulator;
	uint64_t *deltas = thread->room.deltas;
	struct rs_frame *events = find_entry(thread, word);
	struct rs_frame *frame = events ? events : borrow_entry(thread);
	rs_accumulator_count_thread(region);
	rs_count(&accumulator->pending, UINT64_MAX);
	frame->region = region;
	frame->weight = (uint32_t)word[RS_CALL_WEIGHT];
	if (!events && (reported->bytes | reported->flops))
		rs_frame_work_add(thread, frame, reported->bytes, reported->flops);
	if (word[RS_CALL_CONTROL] != rs_control(thread)) {
		rs_accumulator_count(accumulator, RS_ACCUMULATOR_DIAG_CUT);
	} else if (!word[RS_CALL_WEIGHT]) {
		struct rs_thread_region *apart = rs_work_region(thread, frame);
		accumulator = apart->accumulator;
		rs_work_record(thread, apart, frame);
		if (frame->apart & RS_APART_SWITCHED)
			rs_off_cpu_skip(thread, frame, apart);
		else if (!events)
			rs_accumulator_set_unwatched(accumulator);
		rs_count(&accumulator->skipped, 1);
	} else {
		/* The time includes the overhead of other markers during the call, because they may
		 * have run on other threads. */
		frame->values[0] = word[RS_CALL_TICKS];
		if (!events) /* The off-CPU time of the call is unknown. */
			rs_accumulator_set_unwatched(accumulator);
		rs_record_deltas(thread, frame, deltas);
		thread->tracer.started_by = find_starter(word);
		rs_record_other(thread, frame, deltas);
		rs_trace_note_other(thread, frame);
	}
	if (events)
		rs_frame_drop_async(thread, events);
	else
		rs_frame_renew(thread, frame);
	frame->off = 0;
}

/* End a call, or count a STOP without a START. The snapshot is in thread->snapshot.values.
 * is_claimed is true if this is certainly the call's first STOP. */
static void stop_slow(struct rs_thread *thread, const struct regionstat_call *call, bool is_claimed)
{
	struct rs_accumulator *accumulator = NULL;
	uint64_t *word = thread->room.call;
	memcpy(word, call->word_, sizeof(thread->room.call));
	if (!rs_call_is_sealed(word)) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_NO_CALL);
	} else if (word[RS_CALL_PROCESS] == thread->runtime->process_id) {
		/* Otherwise the call is the parent's, and this STOP is ignored. */
		struct regionstat_site_ site = {NULL, (uint32_t)word[RS_CALL_MARK]};
		struct rs_thread_region *region = rs_ready_site(thread, &site);
		struct rs_frame_work reported = {0};
		accumulator = region ? region->accumulator : NULL;
		if (region && (is_claimed || is_first_stop(thread, word, &reported)))
			stop_call(thread, word, region, &reported);
		else if (region)
			rs_accumulator_count(accumulator, RS_ACCUMULATOR_DIAG_UNMATCHED);
	}
	rs_slow_leave(thread, accumulator, thread->cost->inside, NULL, 0);
}

void rs_stop_slow(const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_thread *self = rs_self;
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->stop_(call);
		return;
	}
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	stop_slow(thread, call, false);
}

void rs_stop_other(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed, enum rs_reached reached)
{
	rs_take_rest(thread, ticks, reached);
	stop_slow(thread, call, is_claimed);
}
