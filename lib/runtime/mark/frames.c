/*
 * Open calls that do not simply nest: recursion, lost ENDs, overlap, ENDs without a BEGIN, and what
 * a forked child inherits. A frame is one open call; they lie in the order of their BEGINs.
 *
 * The stack address of a BEGIN tells recursion (a deeper frame, so a lower address) from a lost END
 * (the same frame again, or one that the old frame was called from). A function inlined into
 * itself shows the same stack but another return address at the same site: recursion as well.
 */
#include <string.h>

#include "runtime/mark/marker.h"

/* The topmost frame of a region, or NULL. */
static struct rs_frame *find_frame(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	for (struct rs_frame *frame = thread->top; frame != thread->first;) {
		frame = rs_frame_above(thread, frame, -1);
		if (rs_frame_region(frame) == region)
			return frame;
	}
	return NULL;
}

/* A call of the region has ended: calls may begin. */
static void let_begin(struct rs_thread_region *region)
{
	if (region->turn < 0)
		region->turn = -region->turn;
}

/* The next BEGIN is to be plain, whatever is open. */
static void forget_open(struct rs_thread_region *region)
{
	atomic_store_explicit(&region->cell->open, 0, memory_order_relaxed);
	let_begin(region);
}

/* Inner entries of a call that is not to be recorded. */
static uint32_t inherited(const struct rs_frame *frame)
{
	return frame->tag & RS_FRAME_APART ? frame->inherited : 0;
}

bool rs_frame_reenter(struct rs_thread *thread, struct rs_thread_region *region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	struct rs_frame *frame = find_frame(thread, region);
	uint32_t recursion = frame ? rs_frame_recursion(frame) : 0;
	/* No frame: a handler that jumped out of a marker left the region so. This process's own
	 * call, or another of the regions that share "(other)": the new frame shadows the old. */
	if (!frame || recursion == RS_FRAME_INHERITED || region == thread->regions) {
		forget_open(region);
		return false;
	}
	bool inlined = stack == frame->stack && site && site == frame->site &&
		       caller != frame->caller;
	bool is_ignored = rs_frame_is_ignored(frame);
	if (stack < frame->stack || inlined) {
		if (is_ignored)
			rs_frame_set_recursion(frame, recursion, inherited(frame) + 1);
		else
			rs_frame_set_recursion(frame, recursion + 1, 0);
		if (recursion != RS_FRAME_PAUSED)
			rs_cell_count(region->cell, RS_CELL_DIAG_RECURSIVE);
		return true;
	}
	if (recursion != RS_FRAME_PAUSED)
		rs_cell_count(region->cell, RS_CELL_DIAG_LOST);
	if (recursion == RS_FRAME_SKIPPED) /* no call, as with one that is measured */
		atomic_store_explicit(&region->cell->skipped,
			atomic_load_explicit(&region->cell->skipped, memory_order_relaxed) - 1,
			memory_order_relaxed);
	if (!is_ignored && region->sample_calls > 1) /* as after any call that was measured */
		region->turn = rs_draw_turn(thread, region->sample_calls);
	rs_frame_remove(thread, frame);
	forget_open(region);
	return false;
}

struct rs_frame *rs_frame_find_end(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_frame *frame = find_frame(thread, region);
	uint32_t recursion = frame ? rs_frame_recursion(frame) : 0;
	if (frame && rs_frame_is_ignored(frame)) {
		if (inherited(frame))
			rs_frame_set_recursion(frame, recursion, inherited(frame) - 1);
		else
			rs_frame_remove(thread, frame);
		return NULL;
	}
	if (recursion) {
		rs_frame_set_recursion(frame, recursion - 1, 0);
		rs_charge(thread, thread->cost->reentry, 0);
		return NULL;
	}
	if (frame)
		return frame;
	if (thread->overflow) {
		thread->overflow--;
		return NULL;
	}
	struct rs_cell *cell = rs_cell_bind(thread, rs_region_of(thread, region));
	if (cell)
		rs_cell_count(cell, RS_CELL_DIAG_UNMATCHED);
	return NULL;
}

void rs_frame_set_off(struct rs_thread *thread, struct rs_frame *frame, uint32_t off)
{
	struct rs_group_time *times = rs_frame_times(thread, frame);
	frame->off = off;
	frame->sequence = RS_SEQUENCE_NONE;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		if (thread->groups[g].mode != RS_GROUP_USER)
			continue;
		times[g] = thread->times[g];
		times[g].ticks = rs_ticks(thread->clock);
	}
}

void rs_frame_remove(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_thread_region *region = rs_frame_region(frame);
	uint64_t *children = rs_frame_children(thread, frame);
	struct rs_frame *below = rs_frame_above(thread, frame, -1);
	/* a call that is left out has been paid by those that are measured, and its children with
	 * it */
	uint32_t recursion = rs_frame_recursion(frame);
	bool is_skipped = recursion == RS_FRAME_SKIPPED;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		rs_frame_children(thread, below)[m] += is_skipped ? 0 : children[m];
		children[m] = 0;
	}
	if (recursion != RS_FRAME_INHERITED)
		let_begin(region);
	struct rs_frame *last = rs_frame_above(thread, thread->top, -1);
	memmove(frame, (char *)frame + thread->frame_bytes, (size_t)((char *)last - (char *)frame));
	memset(rs_frame_children(thread, last), 0, (1 + thread->n_events) * sizeof(uint64_t));
	thread->top = last;
}

/* Inner entries of recursion are the parent's as well. */
void rs_frames_inherit(struct rs_thread *thread)
{
	for (struct rs_frame *frame = thread->first; frame != thread->top;
		frame = rs_frame_above(thread, frame, 1)) {
		uint32_t entries = rs_frame_is_ignored(frame) ? inherited(frame)
							      : rs_frame_recursion(frame);
		rs_frame_set_recursion(frame, RS_FRAME_INHERITED, entries);
	}
}
