/*
 * BEGIN, END and NEXT: the path that every call of a region takes, kept short and free of system
 * calls but for the reading of counters. What is not the plain case leaves through cold functions
 * (thread.c, frames.c, cell.c).
 *
 * The order matters: bookkeeping, counters, clock at BEGIN; clock, counters, bookkeeping at END.
 * So a region's time holds no reading of counters, and its counts hold no bookkeeping.
 */
#include "runtime/record.h"
#include "runtime/snapshot.h"

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

/* First marker of a site. An END's region is still open and must not pay for it. */
static RS_COLD uint32_t site_resolve(
	struct rs_thread *thread, struct regionstat_site_ *site, enum rs_slow_kind kind)
{
	rs_slow_begin(thread);
	uint32_t region = rs_region_index(thread->runtime, site->name);
	__atomic_store_n(&site->region, region + 1, __ATOMIC_RELAXED);
	rs_slow_end(thread, kind);
	return region;
}

RS_INLINE uint32_t site_region(
	struct rs_thread *thread, struct regionstat_site_ *site, enum rs_slow_kind kind)
{
	/* Relaxed: every thread that resolves a site stores the same number. */
	uint32_t region = __atomic_load_n(&site->region, __ATOMIC_RELAXED);
	return RS_LIKELY(region) ? region - 1 : site_resolve(thread, site, kind);
}

/* The region of a name made at run time. At first sight no region is to pay for the look-up. */
static uint32_t name_region(struct rs_thread *thread, const char *name)
{
	uint32_t region;
	if (RS_LIKELY(rs_region_find(thread->runtime, name, &region)))
		return region;
	rs_slow_begin(thread);
	region = rs_region_index(thread->runtime, name);
	rs_slow_end(thread, RS_SLOW_RESOLVE_BEGIN);
	return region;
}

/* What a BEGIN is called with. */
struct begin {
	const struct regionstat_site_ *site;
	uintptr_t stack;
	uintptr_t caller;
	bool is_next; /* thread->now is the snapshot of this moment */
};

/* A region's first call on this thread. */
static RS_COLD struct rs_cell *first_call(
	struct rs_thread *thread, uint32_t region, enum rs_slow_kind kind)
{
	rs_slow_begin(thread);
	struct rs_cell *cell = rs_cell_bind(thread, region);
	rs_slow_end(thread, kind);
	return cell;
}

static RS_COLD void too_deep(struct rs_thread *thread)
{
	thread->overflow++;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
}

/* Sampling: a call that is left out. Only its number is kept. */
static inline void skip_call(struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	if (region->skipping++) {
		rs_cell_count(cell, RS_CELL_DIAG_RECURSIVE);
		return;
	}
	region->skip--;
	atomic_store_explicit(&cell->skipped,
		atomic_load_explicit(&cell->skipped, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* Calls to leave out until the next that is measured: 0 to 2 N - 2, all as likely, N - 1 on
 * average; so no period of the program's can lock on. xorshift64, Marsaglia 2003. */
static inline uint32_t draw_skip(struct rs_thread *thread, uint32_t sample_calls)
{
	uint64_t x = thread->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thread->random = x;
	return (uint32_t)((x >> 32) * (2 * (uint64_t)sample_calls - 1) >> 32);
}

RS_INLINE void begin_region(struct rs_thread *thread, uint32_t index, const struct begin *begin,
	uint32_t n_events, uint32_t n_groups)
{
	struct rs_thread_region *region = &thread->regions[index];
	if (RS_UNLIKELY(region->open) &&
		rs_frame_reenter(thread, index, begin->site, begin->stack, begin->caller))
		return;
	struct rs_cell *cell = region->cell;
	enum rs_slow_kind kind = begin->is_next ? RS_SLOW_BIND_NEXT : RS_SLOW_BIND;
	if (RS_UNLIKELY(!cell) && !(cell = first_call(thread, index, kind)))
		return;
	if (RS_UNLIKELY(region->skip | region->skipping)) {
		skip_call(region);
		return;
	}
	uint32_t depth = thread->depth;
	if (RS_UNLIKELY(depth == RS_MAX_DEPTH)) {
		too_deep(thread);
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
	frame->region = index;
	frame->recursion = 0;
	frame->shadowed = region->open;
	frame->edge = begin->is_next ? RS_EDGE_NEXT : RS_EDGE_PLAIN;
	frame->weight = region->sample_calls;
	if (RS_UNLIKELY(region->sample_calls > 1))
		region->skip = draw_skip(thread, region->sample_calls);
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[1 + n_events + m] = thread->selves[m];
	atomic_store_explicit(&cell->open, !(control & RS_CONTROL_PAUSED), memory_order_relaxed);
	region->open = depth + 1;
	thread->depth = depth + 1;
	if (begin->is_next)
		rs_snapshot_share(thread, frame, n_events, n_groups);
	else
		rs_snapshot_begin(thread, frame, n_events, n_groups);
}

/* END of a region, whose snapshot is in thread->now. */
RS_INLINE void end_region(
	struct rs_thread *thread, uint32_t region, uint32_t n_events, uint32_t n_groups)
{
	uint32_t index = thread->depth - 1; /* wraps at depth 0, which is looked at first */
	struct rs_frame *frame = rs_frame_at(thread, index);
	if (RS_UNLIKELY(!thread->depth || frame->region != region || frame->recursion)) {
		index = rs_frame_find_end(thread, region) - 1;
		if (index == UINT32_MAX)
			return;
		frame = rs_frame_at(thread, index);
	}
	uint64_t control = atomic_load_explicit(thread->control, memory_order_relaxed);
	if (RS_LIKELY(control == frame->control && !(control & RS_CONTROL_PAUSED)))
		rs_record(thread, frame, index, n_events, n_groups);
	else if (!(frame->control & RS_CONTROL_PAUSED))
		rs_cell_count(frame->cell, RS_CELL_DIAG_CUT);
	atomic_store_explicit(&frame->cell->open, 0, memory_order_relaxed);
	if (RS_LIKELY(index + 1 == thread->depth)) {
		thread->regions[region].open = frame->shadowed;
		thread->depth = index;
	} else {
		rs_frame_remove(thread, index);
	}
}

/* What markers have cost so far, out of every snapshot from now on. */
RS_INLINE void add_bias(struct rs_thread *thread, const uint64_t *cost, uint32_t n_events)
{
	for (uint32_t m = 0; m <= n_events; m++)
		thread->bias[m] += cost[m];
}

/* Sampling: END of a call that was left out. */
static RS_COLD void end_skipped(struct rs_thread *thread, uint32_t region)
{
	thread->regions[region].skipping--;
	add_bias(thread, thread->cost->skip, thread->n_events);
}

RS_INLINE void end_plain(
	struct rs_thread *thread, uint32_t region, uint32_t n_events, uint32_t n_groups)
{
	if (RS_UNLIKELY(thread->regions[region].skipping)) {
		end_skipped(thread, region);
		return;
	}
	thread->now_edge = RS_EDGE_PLAIN;
	rs_snapshot_end(thread, NULL, n_events, n_groups);
	end_region(thread, region, n_events, n_groups);
	add_bias(thread, thread->cost->pair, n_events);
}

/* END of one and BEGIN of the other. With sampling they may be left out or measured each for
 * itself; then they are two markers. */
RS_INLINE void end_begin(struct rs_thread *thread, uint32_t ended, uint32_t begun,
	struct begin *begin, uint32_t n_events, uint32_t n_groups)
{
	const struct rs_thread_region *region = &thread->regions[begun];
	bool alone = thread->regions[ended].skipping | region->skip | region->skipping;
	if (RS_UNLIKELY(alone)) {
		end_plain(thread, ended, n_events, n_groups);
		begin_region(thread, begun, begin, n_events, n_groups);
		return;
	}
	thread->now_edge = RS_EDGE_NEXT;
	rs_snapshot_end(thread, thread->now_times, n_events, n_groups);
	end_region(thread, ended, n_events, n_groups);
	begin->is_next = true;
	begin_region(thread, begun, begin, n_events, n_groups);
	add_bias(thread, thread->cost->next, n_events);
}

/* Where a marker was called: every caller's own stack, so inlined here. */
#define RS_STACK ((uintptr_t)__builtin_frame_address(0))
#define RS_CALLER ((uintptr_t)__builtin_return_address(0))

/* The markers of sites, for a number of events and groups: constants, so that the loops over them
 * are straight, or the thread's own. */
#define SITE_MARKERS(name, n_events, n_groups)                                                  \
	static void begin_##name(struct regionstat_site_ *site)                                 \
	{                                                                                       \
		struct rs_thread *thread = enter(RS_STACK);                                     \
		if (RS_UNLIKELY(!thread))                                                       \
			return;                                                                 \
		struct begin begin = {.site = site, .stack = RS_STACK, .caller = RS_CALLER};    \
		uint32_t region = site_region(thread, site, RS_SLOW_RESOLVE_BEGIN);             \
		begin_region(thread, region, &begin, n_events, n_groups);                       \
		leave(thread);                                                                  \
	}                                                                                       \
	static void end_##name(struct regionstat_site_ *site)                                   \
	{                                                                                       \
		struct rs_thread *thread = enter(RS_STACK);                                     \
		if (RS_UNLIKELY(!thread))                                                       \
			return;                                                                 \
		uint32_t region = site_region(thread, site, RS_SLOW_RESOLVE_END);               \
		end_plain(thread, region, n_events, n_groups);                                  \
		leave(thread);                                                                  \
	}                                                                                       \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun) \
	{                                                                                       \
		struct rs_thread *thread = enter(RS_STACK);                                     \
		if (RS_UNLIKELY(!thread))                                                       \
			return;                                                                 \
		struct begin begin = {.site = begun, .stack = RS_STACK, .caller = RS_CALLER};   \
		uint32_t old = site_region(thread, ended, RS_SLOW_RESOLVE_ENDED);               \
		uint32_t new = site_region(thread, begun, RS_SLOW_RESOLVE_BEGUN);               \
		end_begin(thread, old, new, &begin, n_events, n_groups);                        \
		leave(thread);                                                                  \
	}

SITE_MARKERS(time, 0, 0)
SITE_MARKERS(two, 2, 1)
SITE_MARKERS(four, 4, 1)
SITE_MARKERS(any, thread->n_events, thread->n_groups)

static void begin_name(const char *name)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.stack = RS_STACK, .caller = RS_CALLER};
	uint32_t region = name_region(thread, name);
	begin_region(thread, region, &begin, thread->n_events, thread->n_groups);
	leave(thread);
}

/* Looking up a name takes as long as the name is: not inside the region, unless sampling has to
 * know first whether this END is measured. */
static void end_name(const char *name)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	uint32_t n_events = thread->n_events, n_groups = thread->n_groups;
	if (thread->runtime->samples) {
		end_plain(thread, name_region(thread, name), n_events, n_groups);
	} else {
		thread->now_edge = RS_EDGE_PLAIN;
		rs_snapshot_end(thread, NULL, n_events, n_groups);
		end_region(thread, name_region(thread, name), n_events, n_groups);
		add_bias(thread, thread->cost->pair, n_events);
	}
	leave(thread);
}

static void next_name(const char *ended, const char *begun)
{
	struct rs_thread *thread = enter(RS_STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {.stack = RS_STACK, .caller = RS_CALLER};
	uint32_t region = name_region(thread, ended);
	end_begin(thread, region, name_region(thread, begun), &begin, thread->n_events,
		thread->n_groups);
	leave(thread);
}

#define TABLE(name)                                                                     \
	{                                                                               \
		.abi = REGIONSTAT_ABI, .bytes = sizeof(struct regionstat_table_),       \
		.begin = begin_##name, .end = end_##name, .next = next_##name,          \
		.begin_name = begin_name, .end_name = end_name, .next_name = next_name, \
		.pause = rs_pause, .resume = rs_resume,                                 \
	}

const struct regionstat_table_ *rs_markers(uint32_t n_events, uint32_t n_groups)
{
	static const struct regionstat_table_ time = TABLE(time), two = TABLE(two),
					      four = TABLE(four), any = TABLE(any);
	if (!n_events)
		return &time;
	if (n_groups == 1 && n_events == 2)
		return &two;
	if (n_groups == 1 && n_events == 4)
		return &four;
	return &any;
}
