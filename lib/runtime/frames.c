/*
 * Open calls that do not simply nest: recursion, lost ENDs, overlap, ENDs without a BEGIN, and what
 * a forked child inherits. A frame is one open call; they lie in the order of their BEGINs.
 *
 * The stack address of a BEGIN tells recursion (a deeper frame, so a lower address) from a lost END
 * (the same frame again, or one that the old frame was called from). A function inlined into
 * itself shows the same stack but another return address at the same site: recursion as well.
 */
#include <string.h>

#include "runtime/marker.h"

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

void rs_frame_make_ready(struct rs_thread_region *region)
{
	region->ready = region->is_bound && !region->skip && !region->skipping ? region->cell
									       : NULL;
}

/* An inner entry of a call that is not to be recorded, and its end; while there are any, no END of
 * it is plain. */
static void enter_ignored(struct rs_frame *frame)
{
	frame->inherited++;
	frame->tag |= RS_FRAME_APART;
}

static void leave_ignored(struct rs_frame *frame)
{
	if (!--frame->inherited && frame->recursion == RS_FRAME_SKIPPED)
		frame->tag &= ~RS_FRAME_APART;
}

bool rs_frame_reenter(struct rs_thread *thread, struct rs_thread_region *region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	struct rs_frame *frame = find_frame(thread, region);
	/* No frame: a handler that jumped out of a marker left the region so. This process's own
	 * call, or another of the regions that share "(other)": the new frame shadows the old. */
	if (!frame || frame->recursion == RS_FRAME_INHERITED || region == thread->regions) {
		region->ready = region->cell;
		return false;
	}
	bool inlined = stack == frame->stack && site && site == frame->site &&
		       caller != frame->caller;
	bool is_ignored = rs_frame_is_ignored(frame);
	if (stack < frame->stack || inlined) {
		if (is_ignored)
			enter_ignored(frame);
		else
			rs_frame_set_recursion(frame, frame->recursion + 1);
		if (frame->recursion != RS_FRAME_PAUSED)
			rs_cell_count(region->cell, RS_CELL_DIAG_RECURSIVE);
		return true;
	}
	if (frame->recursion != RS_FRAME_PAUSED)
		rs_cell_count(region->cell, RS_CELL_DIAG_LOST);
	if (frame->recursion == RS_FRAME_SKIPPED) /* no call, as with one that is measured */
		atomic_store_explicit(&region->cell->skipped,
			atomic_load_explicit(&region->cell->skipped, memory_order_relaxed) - 1,
			memory_order_relaxed);
	/* not open, should the new one turn out to be paused */
	atomic_store_explicit(&region->cell->open, 0, memory_order_relaxed);
	if (!is_ignored && region->sample_calls > 1) /* as after any call that was measured */
		region->skip = rs_draw_skip(thread, region->sample_calls);
	rs_frame_remove(thread, frame);
	if (!region->skip)
		region->ready = region->cell;
	return false;
}

struct rs_frame *rs_frame_find_end(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_frame *frame = find_frame(thread, region);
	if (frame && rs_frame_is_ignored(frame)) {
		if (frame->inherited)
			leave_ignored(frame);
		else
			rs_frame_remove(thread, frame);
		return NULL;
	}
	if (frame && frame->recursion) {
		rs_frame_set_recursion(frame, frame->recursion - 1);
		rs_charge(thread, thread->cost->reentry, 1, 0);
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
	bool is_skipped = frame->recursion == RS_FRAME_SKIPPED;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		rs_frame_children(thread, below)[m] += is_skipped ? 0 : children[m];
		children[m] = 0;
	}
	if (is_skipped || frame->recursion == RS_FRAME_PAUSED)
		region->skipping = 0;
	struct rs_frame *last = rs_frame_above(thread, thread->top, -1);
	memmove(frame, (char *)frame + thread->frame_bytes, (size_t)((char *)last - (char *)frame));
	memset(rs_frame_children(thread, last), 0, (1 + thread->n_events) * sizeof(uint64_t));
	thread->top = last;
	if (!find_frame(thread, region))
		rs_frame_make_ready(region);
}

/* Inner entries of recursion are the parent's as well. */
void rs_frames_inherit(struct rs_thread *thread)
{
	for (struct rs_frame *frame = thread->first; frame != thread->top;
		frame = rs_frame_above(thread, frame, 1)) {
		if (!rs_frame_is_ignored(frame))
			frame->inherited = frame->recursion;
		rs_frame_set_recursion(frame, RS_FRAME_INHERITED);
		rs_frame_region(frame)->ready = NULL;
	}
}
