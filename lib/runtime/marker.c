/*
 * BEGIN, END and NEXT: the path that every call of a region takes, kept short and free of system
 * calls but for the reading of counters. What is not the plain case leaves through cold functions
 * (thread.c, frames.c, cell.c).
 *
 * The order matters: bookkeeping, counters, clock at BEGIN; clock, counters, bookkeeping at END.
 * So a region's time holds no reading of counters, and its counts hold no bookkeeping.
 */
#include "runtime/runtime.h"

__thread struct rs_thread *rs_self;

/* The thread, marked busy; NULL when this marker is to be skipped. A handler that interrupts a
 * marker sees the mark; stack tells it whether that marker is still there. */
static inline struct rs_thread *enter(uintptr_t stack)
{
	struct rs_thread *thread = rs_self;
	if (RS_UNLIKELY(!thread || thread->busy || !*thread->alive))
		return rs_thread_enter(stack);
	thread->busy = stack;
	atomic_signal_fence(memory_order_seq_cst);
	return thread;
}

static inline void leave(struct rs_thread *thread)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = 0;
}

static RS_COLD uint32_t site_resolve(struct rs_runtime *runtime, struct regionstat_site_ *site)
{
	uint32_t region = rs_region_index(runtime, site->name);
	__atomic_store_n(&site->region, region + 1, __ATOMIC_RELAXED);
	return region;
}

static inline uint32_t site_region(struct rs_thread *thread, struct regionstat_site_ *site)
{
	/* Relaxed: every thread that resolves a site stores the same number. */
	uint32_t region = __atomic_load_n(&site->region, __ATOMIC_RELAXED);
	return RS_LIKELY(region) ? region - 1 : site_resolve(thread->runtime, site);
}

/* What a BEGIN is called with, and what it takes over from the END of a NEXT. */
struct begin {
	const struct regionstat_site_ *site;
	uintptr_t stack;
	uintptr_t caller;
	bool has_snapshot; /* thread->now and ticks are of this moment */
	uint64_t ticks;
};

static inline void begin_region(
	struct rs_thread *thread, uint32_t region, const struct begin *begin)
{
	struct rs_thread_region *state = &thread->regions[region];
	if (RS_UNLIKELY(state->open) &&
		rs_frame_reenter(thread, region, begin->site, begin->stack, begin->caller))
		return;
	struct rs_cell *cell = state->cell;
	if (RS_UNLIKELY(!cell) && !(cell = rs_cell_bind(thread, region)))
		return;
	uint32_t depth = thread->depth;
	if (RS_UNLIKELY(depth == RS_MAX_DEPTH)) {
		thread->overflow++;
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
		return;
	}
	/* Relaxed: a pause need not stop a call that begins at the same moment. */
	uint64_t control = atomic_load_explicit(thread->control, memory_order_relaxed);
	struct rs_frame *frame = rs_frame_at(thread, depth);
	frame->control = control;
	frame->cell = cell;
	frame->stack = begin->stack;
	frame->caller = begin->caller;
	frame->site = begin->site;
	frame->region = region;
	frame->recursion = 0;
	frame->shadowed = state->open;
	uint64_t *children = rs_frame_children(thread, frame);
	for (uint32_t i = 0; i <= thread->n_events; i++)
		children[i] = 0;
	atomic_store_explicit(&cell->open, !(control & RS_CONTROL_PAUSED), memory_order_relaxed);
	state->open = depth + 1;
	thread->depth = depth + 1;
	if (begin->has_snapshot) {
		for (uint32_t i = 0; i < thread->shape->snapshot_words; i++)
			frame->snapshot[i] = thread->now[i];
		frame->valid = thread->now_valid;
		frame->ticks = begin->ticks;
		return;
	}
	frame->valid = thread->n_groups ? rs_counters_read(thread, frame->snapshot) : 0;
	frame->ticks = rs_ticks(thread->clock);
}

/* END at end_ticks. True: thread->now holds the snapshot of this moment. */
static inline bool end_region(struct rs_thread *thread, uint32_t region, uint64_t end_ticks)
{
	uint32_t index = thread->depth - 1; /* wraps at depth 0, which is looked at first */
	struct rs_frame *frame = rs_frame_at(thread, index);
	if (RS_UNLIKELY(!thread->depth || frame->region != region || frame->recursion)) {
		index = rs_frame_find_end(thread, region) - 1;
		if (index == UINT32_MAX)
			return false;
		frame = rs_frame_at(thread, index);
	}
	thread->now_valid = thread->n_groups ? rs_counters_read(thread, thread->now) : 0;
	uint64_t control = atomic_load_explicit(thread->control, memory_order_relaxed);
	if (RS_LIKELY(control == frame->control && !(control & RS_CONTROL_PAUSED)))
		rs_record(thread, index, end_ticks);
	else if (!(frame->control & RS_CONTROL_PAUSED))
		rs_cell_count(frame->cell, RS_CELL_DIAG_CUT);
	atomic_store_explicit(&frame->cell->open, 0, memory_order_relaxed);
	if (RS_LIKELY(index + 1 == thread->depth)) {
		thread->regions[region].open = frame->shadowed;
		thread->depth = index;
	} else {
		rs_frame_remove(thread, index);
	}
	return true;
}

/* Where a marker was called: every caller's own stack, so inlined here. */
#define RS_STACK ((uintptr_t)__builtin_frame_address(0))
#define RS_CALLER ((uintptr_t)__builtin_return_address(0))

static void marker_begin(struct regionstat_site_ *site)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.site = site, .stack = RS_STACK, .caller = RS_CALLER};
	begin_region(thread, site_region(thread, site), &begin);
	leave(thread);
}

static void marker_end(struct regionstat_site_ *site)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	uint64_t ticks = rs_ticks(thread->clock);
	end_region(thread, site_region(thread, site), ticks);
	leave(thread);
}

static void marker_next(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.site = begun, .stack = RS_STACK, .caller = RS_CALLER};
	begin.ticks = rs_ticks(thread->clock);
	begin.has_snapshot = end_region(thread, site_region(thread, ended), begin.ticks);
	begin_region(thread, site_region(thread, begun), &begin);
	leave(thread);
}

static void marker_begin_name(const char *name)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.stack = RS_STACK, .caller = RS_CALLER};
	begin_region(thread, rs_region_index(thread->runtime, name), &begin);
	leave(thread);
}

static void marker_end_name(const char *name)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	uint64_t ticks = rs_ticks(thread->clock);
	end_region(thread, rs_region_index(thread->runtime, name), ticks);
	leave(thread);
}

static void marker_next_name(const char *ended, const char *begun)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.stack = RS_STACK, .caller = RS_CALLER};
	begin.ticks = rs_ticks(thread->clock);
	begin.has_snapshot = end_region(
		thread, rs_region_index(thread->runtime, ended), begin.ticks);
	begin_region(thread, rs_region_index(thread->runtime, begun), &begin);
	leave(thread);
}

const struct regionstat_table_ rs_table = {
	.abi = REGIONSTAT_ABI,
	.bytes = sizeof(struct regionstat_table_),
	.begin = marker_begin,
	.end = marker_end,
	.next = marker_next,
	.begin_name = marker_begin_name,
	.end_name = marker_end_name,
	.next_name = marker_next_name,
	.pause = rs_pause,
	.resume = rs_resume,
};
