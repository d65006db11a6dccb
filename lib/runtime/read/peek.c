/* SPDX-License-Identifier: MIT */
/*
 * This file reads the values of an open call. It takes a snapshot like a slow marker, and excludes
 * its own overhead. A signal handler that interrupted a marker gets no values.
 */
#include "runtime/read/read.h"

#include <string.h>

#include "runtime/calls/calls.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/sample.h"
#include "runtime/mark/path.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"

/* Fill the values of the open call of a frame. begin is the clock reading at its BEGIN. */
static void fill(struct rs_thread *thread, struct rs_frame *frame, uint64_t begin, uint32_t value,
	struct regionstat_values *values)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t *deltas = thread->scratch.deltas, at_begin = frame->values[0];
	uint32_t m = value < REGIONSTAT_EVENTS ? 0 : 1 + value - REGIONSTAT_EVENTS, counted, asked;
	const uint64_t *children = rs_frame_children(thread, frame);
	const struct rs_frame_off *off = rs_frame_off(thread, frame);
	uint64_t blocked = 0, preempted = 0, self_off = 0;
	thread->snapshot.inside = thread->cost->inside;
	frame->values[0] = begin;
	rs_record_deltas(thread, frame, deltas);
	frame->values[0] = at_begin;
	if (frame->flags & RS_FRAME_SWITCHED) {
		blocked = off->total[RS_OFF_BLOCKED];
		preempted = off->total[RS_OFF_PREEMPTED];
		self_off = rs_off_sum(off->self);
	}
	memset(thread->scratch.groups, 0, thread->n_groups * sizeof(*thread->scratch.groups));
	if (m)
		rs_group_times(thread, frame, deltas[0], thread->scratch.groups, &counted, &asked);
	if (m ? !(counted >> thread->shape->event_group[m - 1] & 1)
	      : value && !rs_switches_are_watched(thread))
		return;
	int64_t total = (int64_t)deltas[m];
	int64_t self = total -
		       (int64_t)(children[m] - (frame->direct >> 1) * thread->cost->inside[m]);
	if (value == REGIONSTAT_CPU_TIME) {
		total -= (int64_t)(blocked + preempted);
		self -= (int64_t)self_off;
	} else if (value == REGIONSTAT_BLOCKED || value == REGIONSTAT_PREEMPTED) {
		int k = value == REGIONSTAT_BLOCKED ? RS_OFF_BLOCKED : RS_OFF_PREEMPTED;
		total = (int64_t)(k == RS_OFF_BLOCKED ? blocked : preempted);
		self = self_off ? (int64_t)off->self[k] : 0;
	}
	values->total_ = total > 0 ? (double)total : 0;
	values->self_ = self > 0 ? (double)self : 0;
	if (value < REGIONSTAT_EVENTS) {
		values->total_ = rs_read_ns(runtime, values->total_);
		values->self_ = rs_read_ns(runtime, values->self_);
	}
	if (values->self_ > values->total_)
		values->self_ = values->total_;
	values->validity_ = REGIONSTAT_VALID;
}

static bool is_countable(struct rs_thread *thread, const struct rs_frame *frame)
{
	return frame && rs_frame_is_measured(frame) && frame->control == rs_control(thread);
}

void rs_peek_site(struct regionstat_site_ *site, int value, struct regionstat_values *values)
{
	uintptr_t stack = RS_STACK;
	struct rs_thread *thread = rs_enter(rs_self, stack);
	if (!thread)
		return;
	rs_slow_begin(thread);
	struct rs_frame *frame = site->region_ ? rs_site_region(thread, site)->innermost : NULL;
	if (is_countable(thread, frame))
		fill(thread, frame, frame->values[0], (uint32_t)value, values);
	rs_slow_leave(thread, NULL, thread->cost->inside, NULL, 0);
}

int rs_peek(const struct regionstat_call *call, int value, struct regionstat_values *values,
	unsigned long long bytes)
{
	struct regionstat_values found = {0};
	struct rs_thread *thread = rs_read_event_name(value) ? rs_enter(rs_self, RS_STACK) : NULL;
	uint64_t word[RS_CALL_N];
	memcpy(word, call->word_, sizeof(word));
	if (thread) {
		rs_slow_begin(thread);
		bool is_ours = rs_call_is_sealed(word) &&
			       word[RS_CALL_PROCESS] == thread->runtime->process_id;
		struct rs_frame *frame = is_ours ? rs_frame_of(word[RS_CALL_TICKET]) : NULL;
		if (frame && frame->thread == thread && frame->ticket == word[RS_CALL_TICKET] &&
			frame->flags & RS_FRAME_ASYNC && word[RS_CALL_WEIGHT] &&
			atomic_load_explicit(&frame->unstopped, memory_order_relaxed) &&
			is_countable(thread, frame))
			fill(thread, frame, word[RS_CALL_TICKS], (uint32_t)value, &found);
		rs_slow_leave(thread, NULL, thread->cost->inside, NULL, 0);
	}
	memset(values, 0, bytes);
	memcpy(values, &found, bytes < sizeof(found) ? bytes : sizeof(found));
	return found.validity_;
}
