/*
 * Open calls that do not simply nest: recursion, lost ENDs, overlap, ENDs without a BEGIN, and what
 * a forked child inherits. A frame is one open call; they lie in the order of their BEGINs.
 *
 * The stack address of a BEGIN tells recursion (a deeper frame, so a lower address) from a lost END
 * (the same frame again, or one that the old frame was called from). A function inlined into
 * itself shows the same stack but another return address at the same site: recursion as well.
 */
#include <string.h>

#include "runtime/runtime.h"

/* The frame that regions[region].open speaks of, or NULL when a handler that jumped out of a marker
 * left it stale. */
static struct rs_frame *open_frame(const struct rs_thread *thread, uint32_t region)
{
	uint32_t open = thread->regions[region].open;
	if (!open || open > thread->depth)
		return NULL;
	struct rs_frame *frame = rs_frame_at(thread, open - 1);
	return frame->region == region ? frame : NULL;
}

/* Open in the process that forked this one. Its count of inner entries lies in weight, for
 * recursion holds the mark, so that no END of it takes the plain path. */
#define INHERITED UINT32_MAX

static bool is_inherited(const struct rs_frame *frame)
{
	return frame->recursion == INHERITED;
}

bool rs_frame_reenter(struct rs_thread *thread, uint32_t region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	struct rs_frame *frame = open_frame(thread, region);
	if (!frame) {
		thread->regions[region].open = 0;
		return false;
	}
	/* This process's own call, or another of the regions that share "(other)": the new frame
	 * shadows the old. */
	if (is_inherited(frame) || region == 0)
		return false;
	bool inlined = stack == frame->stack && site && site == frame->site &&
		       caller != frame->caller;
	if (stack < frame->stack || inlined) {
		frame->recursion++;
		rs_cell_count(frame->cell, RS_CELL_DIAG_RECURSIVE);
		return true;
	}
	if (!(frame->control & RS_CONTROL_PAUSED))
		rs_cell_count(frame->cell, RS_CELL_DIAG_LOST);
	rs_frame_remove(thread, thread->regions[region].open - 1);
	return false;
}

uint32_t rs_frame_find_end(struct rs_thread *thread, uint32_t region)
{
	struct rs_frame *frame = open_frame(thread, region);
	if (frame && !frame->recursion)
		return thread->regions[region].open;
	/* This END will be taken for that of a pair, which it is not. */
	for (uint32_t m = 0; m <= thread->n_events; m++)
		thread->bias[m] -= thread->cost->pair[m];
	if (frame && is_inherited(frame)) {
		if (frame->weight)
			frame->weight--;
		else
			rs_frame_remove(thread, thread->regions[region].open - 1);
		return 0;
	}
	if (frame) {
		frame->recursion--;
		for (uint32_t m = 0; m <= thread->n_events; m++)
			thread->bias[m] += thread->cost->reentry[m];
		return 0;
	}
	if (thread->overflow) {
		thread->overflow--;
		return 0;
	}
	struct rs_cell *cell = rs_cell_bind(thread, region);
	if (cell)
		rs_cell_count(cell, RS_CELL_DIAG_UNMATCHED);
	return 0;
}

void rs_frame_remove(struct rs_thread *thread, uint32_t index)
{
	struct rs_frame *frame = rs_frame_at(thread, index);
	thread->regions[frame->region].open = frame->shadowed;
	uint64_t bytes = (uint64_t)(thread->depth - index - 1) * thread->frame_bytes;
	memmove(frame, (char *)frame + thread->frame_bytes, bytes);
	thread->depth--;
	for (uint32_t i = index; i < thread->depth; i++) {
		struct rs_frame *moved = rs_frame_at(thread, i);
		if (moved->shadowed == index + 1)
			moved->shadowed = 0;
		else if (moved->shadowed > index + 1)
			moved->shadowed--;
		thread->regions[moved->region].open = i + 1;
	}
}

void rs_frames_inherit(struct rs_thread *thread)
{
	for (uint32_t i = 0; i < thread->depth; i++) {
		struct rs_frame *frame = rs_frame_at(thread, i);
		frame->cell = NULL;
		if (is_inherited(frame))
			continue;
		frame->weight = frame->recursion;
		frame->recursion = INHERITED;
	}
}
