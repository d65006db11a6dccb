/*
 * Sampling: calls that are left out. Of them only the number is kept, and that they are open. How
 * many lie between two that are measured is drawn at random.
 */
#ifndef RS_RUNTIME_SAMPLE_H
#define RS_RUNTIME_SAMPLE_H

#include "runtime/process/self.h"

/* What a BEGIN is called with. By value: where it is inlined it stays in registers. */
struct rs_begin {
	struct rs_thread_region *region;
	const struct regionstat_site_ *site; /* NULL for a name made at run time */
	uintptr_t stack;
	uintptr_t caller;
};

/* Which of the next calls is measured: the first to the (2 N - 1)th, all as likely, the Nth on
 * average; so no period of the program's can lock on. xorshift64, Marsaglia 2003. */
static inline uint32_t rs_draw_turn(struct rs_thread *thread, uint32_t sample_calls)
{
	uint64_t x = thread->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thread->random = x;
	return 1 + (uint32_t)((x >> 32) * (2 * (uint64_t)sample_calls - 1) >> 32);
}

/* Whether a region's next call is left out. */
RS_INLINE bool rs_skips(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	return region->turn > 1 && RS_LIKELY(thread->top != thread->last) &&
	       RS_LIKELY(!(rs_control(thread) & RS_CONTROL_PAUSED));
}

/* A call that is left out. Only its number is kept, and that it is open. */
RS_INLINE void rs_skip_begin(
	struct rs_thread *thread, struct rs_begin begin, uint32_t n_events, uint32_t n_groups)
{
	struct rs_thread_region *region = begin.region;
	struct rs_cell *cell = region->cell;
	struct rs_frame *frame = thread->top;
	uint64_t *skipped = (uint64_t *)(void *)&cell->skipped;
	frame->tag = (uintptr_t)region | RS_FRAME_LEFT_OUT;
	frame->stack = begin.stack;
	frame->caller = begin.caller;
	frame->site = begin.site;
	region->turn = 1 - region->turn;
	*(volatile uint64_t *)skipped = *skipped + 1;
	thread->top = (void *)((char *)frame + rs_frame_bytes(n_events, n_groups));
	if (frame == thread->first)
		return;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		thread->adjust[m] -= thread->cost->skip[m];
}

/* END of a region if the topmost call is one that was left out; false: it is not. What calls within
 * it used is paid by those of it that are measured. */
RS_INLINE bool rs_skip_end(struct rs_thread *thread, struct rs_thread_region *region,
	uint32_t n_events, uint32_t n_groups)
{
	struct rs_frame *frame = (void *)((char *)thread->top - rs_frame_bytes(n_events, n_groups));
	if (frame->tag != ((uintptr_t)region | RS_FRAME_LEFT_OUT))
		return false;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[1 + n_events + m] = 0;
	region->turn = -region->turn;
	thread->top = frame;
	rs_leave(thread);
	return true;
}

#endif
