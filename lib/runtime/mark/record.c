/*
 * Finished calls that are not plain, into their cells: new extremes and histogram blocks, groups by
 * read(), groups that were not on the PMU all the time, overlap. See record.h.
 */
#include "runtime/mark/record.h"

#include <string.h>

/* A call that is not plain. */
struct call {
	struct rs_thread *thread;
	struct rs_frame *frame;
	struct rs_frame *above; /* overlap: begun next and still open, or NULL */
	const uint64_t *inside; /* own cost between the snapshots */
	uint64_t weight; /* calls that it stands for */
	uint32_t lacking; /* a bit for each group without a difference to be had */
	uint32_t counted; /* a bit for each group that was on the PMU all the time */
	struct rs_group_time groups[RS_MAX_GROUPS]; /* used of time, where that is not counted */
	struct rs_rare *rare; /* the row to be written */
	struct rs_rare_group *rare_groups; /* of it */
	struct rs_rare_moments *extremes; /* of it */
};

static bool is_counted(const struct call *call, uint32_t m)
{
	return !m || call->counted >> call->thread->shape->event_group[m - 1] & 1;
}

/* A difference of snapshots without own cost; 0, counted, where that is more: what was learnt of
 * own cost is an estimate. */
static uint64_t difference(uint64_t end, uint64_t begin, uint64_t cost, uint64_t *clamped)
{
	uint64_t left = end - begin - cost;
	if (left >> 63) {
		++*clamped;
		return 0;
	}
	return left;
}

/* What the call leaves to the one around it. With overlap the frame begun next covers the rest of
 * this call, and will leave that itself. */
static void leave_to_parent(struct call *call, uint32_t m, uint64_t delta)
{
	struct rs_thread *thread = call->thread;
	uint64_t span = delta, clamped = 0;
	if (call->above)
		span = difference(
			call->above->values[m], call->frame->values[m], call->inside[m], &clamped);
	struct rs_frame *below = rs_frame_above(thread, call->frame, -1);
	rs_frame_children(thread, below)[m] += span * call->weight;
	if (call->above) /* the rest of this call is not its own */
		rs_frame_children(thread, call->frame)[m] += delta - span;
}

/* One quantity, whose copy after is that before so far. Returns what the histogram is to count, or
 * UINT64_MAX. */
static uint64_t take(struct call *call, uint32_t m, struct rs_moments *after, uint64_t *clamped)
{
	struct rs_thread *thread = call->thread;
	struct rs_rare_moments *extremes = &call->extremes[m];
	uint64_t *children = &rs_frame_children(thread, call->frame)[m], uncounted_clamped = 0;
	bool counted = is_counted(call, m);
	if (m && call->lacking >> thread->shape->event_group[m - 1] & 1) {
		*children = 0;
		return UINT64_MAX;
	}
	uint64_t delta = difference(thread->now[m], call->frame->values[m], call->inside[m],
		counted ? clamped : &uncounted_clamped);
	leave_to_parent(call, m, delta);
	if (counted)
		rs_record_add(after, after, delta, *children);
	else
		after->children += *children;
	*children = 0;
	if (!counted) {
		extremes->uncounted += delta;
		return UINT64_MAX;
	}
	if (~delta > extremes->min_inverted)
		extremes->min_inverted = ~delta;
	if (delta > extremes->max)
		extremes->max = delta;
	uint32_t block = rs_block_of(delta);
	const uint32_t *blocks = rs_record_blocks(
		rs_frame_region(call->frame)->cell, thread->n_events, thread->n_groups);
	if (!blocks[m * RS_BLOCKS + block])
		rs_cell_add_block(thread, rs_frame_region(call->frame)->cell, m, block);
	return delta;
}

static void take_groups(struct call *call, uint64_t ticks)
{
	for (uint32_t g = 0; g < call->thread->n_groups; g++) {
		struct rs_rare_group *group = &call->rare_groups[g];
		bool counted = call->counted >> g & 1;
		group->uncounted += !counted;
		group->uncounted_weights += !counted;
		if (counted)
			continue;
		group->enabled_ns += call->groups[g].enabled_ns;
		group->running_ns += call->groups[g].running_ns;
		group->unstable_ticks += ticks;
	}
}

/* The row to be written: a copy of the current one. */
static void copy_row(struct call *call, uint64_t row)
{
	const struct rs_shape *shape = call->thread->shape;
	struct rs_cell *cell = rs_frame_region(call->frame)->cell;
	call->rare = rs_cell_rare(cell, shape, !row);
	call->rare_groups = (void *)(call->rare + 1);
	call->extremes = (void *)(call->rare_groups + shape->n_groups);
	memcpy(call->rare, rs_cell_rare(cell, shape, row), shape->rare_bytes);
}

static void write_slowest(struct call *call, const uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	/* the snapshot is without what markers had cost by then; so much more by now hardly
	 * matters */
	call->rare->start_ticks = call->frame->values[0] - thread->adjust[0];
	call->rare->tid = thread->tid;
	call->rare->pid = thread->pid;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		call->extremes[m].slowest = deltas[m];
}

static void count(struct call *call, const uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	struct rs_cell *cell = rs_frame_region(call->frame)->cell;
	const uint32_t *blocks = rs_record_blocks(cell, thread->n_events, thread->n_groups);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint32_t block = rs_block_of(deltas[m]), entry = blocks[m * RS_BLOCKS + block];
		if (deltas[m] != UINT64_MAX && entry)
			rs_record_counts(thread->base, entry)[rs_block_place(block, deltas[m])]++;
	}
}

static void record(struct call *call)
{
	struct rs_thread *thread = call->thread;
	struct rs_cell *cell = rs_frame_region(call->frame)->cell;
	struct rs_record_copies copies = rs_record_copies(cell, thread->n_events);
	uint64_t deltas[1 + RS_MAX_EVENTS], clamped = 0;
	uint64_t calls = rs_cell_calls(copies.calls_and_row);
	uint32_t row = rs_cell_row(copies.calls_and_row);
	memcpy(copies.after, copies.before, rs_moments_bytes(thread->n_events));
	copy_row(call, row);
	uint64_t slowest = call->extremes[0].max;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		deltas[m] = take(call, m, &copies.after[m], &clamped);
	take_groups(call, deltas[0]);
	if (!calls || deltas[0] > slowest)
		write_slowest(call, deltas);
	rs_record_clamped(cell, clamped);
	atomic_signal_fence(memory_order_seq_cst); /* the moments first */
	count(call, deltas);
	/* pairs with the acquire load in whoever reads the cell */
	atomic_store_explicit(&cell->calls_and_row, (calls + 1) << 1 | !row, memory_order_release);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (is_counted(call, m))
			rs_cell_set_range(&rs_record_ranges(cell)[m], &call->extremes[m], 1);
}

void rs_record_other(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_frame *above = rs_frame_above(thread, frame, 1);
	while (above != thread->top && rs_frame_is_ignored(above)) /* those begin at no time */
		above = rs_frame_above(thread, above, 1);
	struct call call = {.thread = thread,
		.frame = frame,
		.above = above != thread->top ? above : NULL,
		.inside = thread->cost->inside[thread->now_edge],
		.weight = thread->runtime->samples ? frame->weight : 1};
	if (thread->now_off)
		rs_counters_mend(thread);
	call.lacking = frame->off | thread->now_off;
	rs_group_times(thread, frame, call.groups, &call.counted);
	record(&call);
}
