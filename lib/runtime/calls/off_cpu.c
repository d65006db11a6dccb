/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time of calls, see off_cpu.h. The input is the off-CPU time that switches.c finds between
 * two markers. The output is the sums in struct rs_off_sums, which include skipped calls.
 */
#include "runtime/calls/off_cpu.h"

#include <string.h>

#include "runtime/arch/compiler.h"
#include "runtime/calls/trace.h"

static RS_OWN_WORDS void add(uint64_t *sums, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		sums[k] += off[k];
}

static void subtract(uint64_t *sums, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		sums[k] -= off[k] < sums[k] ? off[k] : sums[k];
}

/* Add off-CPU time to an open call, unless a fork or a pause has excluded the call. */
static RS_OWN_WORDS void book(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *off)
{
	if (frame->flags & RS_FRAME_IGNORED)
		return;
	rs_frame_set_flag(frame, RS_FRAME_SWITCHED);
	add(rs_frame_off(thread, frame)->total, off);
}

static void book_self(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *off)
{
	if (frame != thread->ground && !(frame->flags & RS_FRAME_IGNORED))
		add(rs_frame_off(thread, frame)->self, off);
}

void rs_off_cpu_book_slot(struct rs_thread *thread, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		atomic_fetch_add_explicit(
			&thread->part.slot->off_ticks[k], off[k], memory_order_relaxed);
}

RS_OWN_WORDS void rs_off_cpu_book(
	struct rs_thread *thread, struct rs_frame *around, const uint64_t *off)
{
	uint32_t n = rs_most_steps(thread), n_async = n;
	rs_off_cpu_book_slot(thread, off);
	for (struct rs_frame *frame = around; frame != thread->ground && n--; frame = frame->below)
		book(thread, frame, off);
	for (struct rs_frame *frame = thread->asyncs.ring->below;
		frame != thread->asyncs.ring && n_async--; frame = frame->below)
		book(thread, frame, off);
	book_self(thread, around, off);
	if (thread->tracer.is_used)
		rs_trace_note_off(thread, around, off, thread->switches.latest.ticks);
}

/* Between the clock reading of an END and the look, a thread is on its CPU this many us. */
#define LATE_US 2u

/* Of the off-CPU time that the latest look found, fill late with the part after the END's clock
 * reading. Return false if there is none. A marker seldom blocks, so as much as possible counts as
 * preempted. */
static bool find_late(const struct rs_thread *thread, uint64_t *late)
{
	const struct rs_switches *switches = &thread->switches;
	uint64_t gap = switches->latest.ticks - thread->snapshot.values[0];
	uint64_t on_cpu = LATE_US * switches->us_ticks;
	bool may_be_late = switches->may_be_in_marker || rs_off_sum(switches->booked) <= gap;
	if (!switches->is_booked || !may_be_late || gap >> 63 || gap <= on_cpu)
		return false;
	uint64_t rest = gap - on_cpu, preempted = switches->booked[RS_OFF_PREEMPTED];
	late[RS_OFF_PREEMPTED] = preempted < rest ? preempted : rest;
	rest -= late[RS_OFF_PREEMPTED];
	late[RS_OFF_BLOCKED] = switches->booked[RS_OFF_BLOCKED];
	if (late[RS_OFF_BLOCKED] > rest)
		late[RS_OFF_BLOCKED] = rest;
	return true;
}

/* Limit off-CPU time to `most`, because the two clocks may differ by some ticks. */
static void limit(uint64_t *off, uint64_t most)
{
	for (int k = 0; k < RS_OFF_N; k++) {
		off[k] = off[k] < most ? off[k] : most;
		most -= off[k];
	}
}

/* Return the shortest time of the region's calls without a context switch, or 0 if unknown. */
static uint64_t find_least(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_rare *rare = rs_accumulator_row_now(region->accumulator, thread->shape);
	uint64_t least = ~rs_rare_extremes(rare, thread->shape)->min_inverted;
	uint64_t inside = thread->cost->inside[0];
	return ~least && least > inside ? least - inside : 0;
}

/* Return the most off-CPU time that a call of this many ticks can have. A context switch takes
 * about 1 us of the thread's CPU time. If less is left, the clocks were wrong, for example because
 * of a hypervisor. Then assume the on-CPU time of the shortest call without a switch. */
static uint64_t most_off(const struct rs_thread *thread, const struct rs_frame *frame,
	const struct rs_frame_off *off, uint64_t ticks)
{
	uint64_t all = rs_off_sum(off->total), least = find_least(thread, frame->region);
	if (all + thread->switches.us_ticks <= ticks)
		return all;
	uint64_t most = ticks > least ? ticks - least : 0;
	return all < most ? all : most;
}

void rs_off_cpu_end(struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks)
{
	struct rs_frame_off *off = rs_frame_off(thread, frame);
	uint64_t rest[RS_OFF_N], late[RS_OFF_N];
	bool is_innermost = thread->innermost == frame;
	memcpy(rest, off->total, sizeof(rest));
	if (find_late(thread, late)) {
		subtract(off->total, late);
		if (!is_innermost) /* It is self time of the innermost call, which is open. */
			subtract(rest, late);
	}
	uint64_t most = most_off(thread, frame, off, ticks);
	if (rs_off_sum(off->total) > most)
		limit(off->total, most);
	/* The rest came before the BEGIN's clock reading or after the END's, so it is in no nested
	 * call. It belongs to the enclosing call. */
	subtract(rest, off->total);
	subtract(off->self, rest);
	if (!(frame->flags & RS_FRAME_ASYNC) && is_innermost)
		book_self(thread, frame->below, rest);
}

void rs_off_cpu_hand_inner_on(
	struct rs_thread *thread, struct rs_frame *inner, struct rs_frame *frame)
{
	struct rs_frame_off *within = rs_frame_off(thread, inner),
			    *off = rs_frame_off(thread, frame);
	add(off->passed, within->passed);
	subtract(off->passed, within->crossed);
	off->weighted += within->weighted - within->weighted_crossed;
	memcpy(within->passed, within->crossed, sizeof(within->passed));
	within->weighted = within->weighted_crossed;
}

/* The region has already counted a part of its open calls within this call: store that part here.
 * Then note in these calls that this call counts their time so far. tell_region() in overlap.c does
 * this with time. */
static void pass_inner(struct rs_thread *thread, struct rs_frame *frame)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *inner = frame->region->innermost; inner && inner != frame && n--;
		inner = inner->outer) {
		struct rs_frame_off *within = rs_frame_off(thread, inner);
		rs_off_cpu_hand_inner_on(thread, inner, frame);
		memcpy(within->passed, within->total, sizeof(within->passed));
		memcpy(within->crossed, within->total, sizeof(within->crossed));
		within->weighted = within->weighted_crossed = rs_frame_weight(thread, inner) *
							      rs_off_sum(within->total);
	}
}

/* Store in the outer call of the same region that the region has counted this call. */
static void tell_outer(struct rs_thread *thread, struct rs_frame *frame, uint64_t own)
{
	struct rs_frame_off *off = rs_frame_off(thread, frame);
	if (!frame->outer || !(frame->outer->flags & RS_FRAME_SWITCHED))
		return;
	struct rs_frame_off *outer = rs_frame_off(thread, frame->outer);
	for (int k = 0; k < RS_OFF_N; k++)
		outer->passed[k] += (off->passed[k] > off->total[k] ? off->passed[k]
								    : off->total[k]) -
				    off->crossed[k];
	outer->weighted += own - off->weighted_crossed;
}

void rs_off_cpu_add(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_off_sums *sums, uint64_t weight)
{
	struct rs_frame_off *off = rs_frame_off(thread, frame);
	bool is_async = frame->flags & RS_FRAME_ASYNC;
	uint64_t own = weight * rs_off_sum(off->total);
	if (!is_async)
		pass_inner(thread, frame);
	off->children += off->earlier;
	for (int k = 0; k < RS_OFF_N; k++) {
		sums->calls[k] += off->total[k] > 0;
		sums->self[k] += is_async ? off->total[k] : off->self[k];
		/* rs_off_cpu_end() limits each call by itself, so `passed` can exceed `total`. */
		if (off->passed[k] < off->total[k])
			sums->total[k] += off->total[k] - off->passed[k];
	}
	sums->weighted += own - off->weighted;
	sums->weighted_self += own - off->children;
	if (!is_async)
		tell_outer(thread, frame, own);
	if (!is_async && frame->below != thread->ground && frame->below->flags & RS_FRAME_SWITCHED)
		rs_frame_off(thread, frame->below)->children += own - off->given;
}

void rs_off_cpu_skip(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region)
{
	struct rs_thread_region *switched = rs_accumulator_switched(thread, region);
	if (switched == region)
		return;
	struct rs_rare *rare = rs_accumulator_row_now(
		switched->accumulator, &thread->runtime->switched_shape);
	rs_off_cpu_add(thread, frame, &rare->off, 0);
}

void rs_off_cpu_pass(struct rs_thread *thread, struct rs_frame *above, struct rs_frame *frame,
	bool moves, bool stays, uint64_t *within)
{
	struct rs_frame_off *off = rs_frame_off(thread, above);
	if (!(above->flags & RS_FRAME_SWITCHED))
		return;
	uint64_t new = rs_frame_weight(thread, above) * rs_off_sum(off->total) - off->given;
	uint64_t new_own = new - off->children - *within, former = moves ? off->own : 0;
	rs_frame_off(thread, frame)->children += off->children - former;
	if (!stays)
		off->own = new_own + former;
	off->given += new;
	off->earlier += off->children + *within;
	*within = new;
	off->children = 0;
}

void rs_off_cpu_share(
	struct rs_thread *thread, struct rs_frame *above, struct rs_frame *frame, bool is_gift)
{
	struct rs_frame_off *off = rs_frame_off(thread, above);
	uint64_t self[RS_OFF_N], children = off->children;
	if (!(above->flags & RS_FRAME_SWITCHED))
		return;
	memcpy(self, off->self, sizeof(self));
	if (is_gift)
		memcpy(off->gift, self, sizeof(off->gift));
	off->children = 0;
	memset(off->self, 0, sizeof(off->self));
	/* In the other order, if a handler jumped out in between, both calls would have this. */
	atomic_signal_fence(memory_order_seq_cst);
	book_self(thread, frame, self);
	if (frame->flags & RS_FRAME_SWITCHED)
		rs_frame_off(thread, frame)->children += children;
}

void rs_off_cpu_give(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region)
{
	struct rs_frame_off *off = rs_frame_off(thread, frame);
	if (!(frame->flags & RS_FRAME_SWITCHED))
		return;
	struct rs_thread_region *switched = rs_accumulator_switched(thread, region);
	/* The call that passed this one had a context switch too. */
	if (switched != region) {
		struct rs_off_sums *sums = &rs_accumulator_row_now(
			switched->accumulator, &thread->runtime->switched_shape)
						    ->off;
		subtract(sums->self, off->gift);
		sums->weighted_self -= off->own;
	}
	add(off->self, off->gift);
	memset(off->gift, 0, sizeof(off->gift));
}

void rs_off_cpu_clear(struct rs_thread *thread, struct rs_frame *frame)
{
	memset(rs_frame_off(thread, frame), 0, sizeof(struct rs_frame_off));
}
