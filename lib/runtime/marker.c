/*
 * BEGIN, END and NEXT: the path that every call of a region takes, kept short and free of system
 * calls but for the reading of counters. What is not the plain case leaves through cold functions
 * (thread.c, frames.c, cell.c).
 *
 * The order matters: bookkeeping, counters, clock at BEGIN; clock, counters, bookkeeping at END.
 * So a region's time holds no reading of counters, and its counts hold no bookkeeping.
 *
 * What a marker cannot do at once is done by a cold function that leaves the thread as it was, and
 * the marker starts over: so nothing has to be kept across a call, and the plain path saves no
 * registers.
 */
#include "runtime/record.h"
#include "runtime/snapshot.h"

struct rs_thread rs_unseen = {.busy = UINTPTR_MAX};
__thread struct rs_thread *rs_self = &rs_unseen;

/* Where a marker was called: the caller's own stack, so inlined here. */
#define STACK ((uintptr_t)__builtin_dwarf_cfa())
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* The thread, marked busy; NULL when it cannot mark at once. A handler that interrupts a marker sees
 * the mark; stack tells it whether that marker is still there. */
RS_INLINE struct rs_thread *enter(uintptr_t stack)
{
	struct rs_thread *thread = rs_self;
	if (RS_UNLIKELY(thread->busy || !*thread->alive))
		return NULL;
	thread->busy = stack;
	atomic_signal_fence(memory_order_seq_cst);
	return thread;
}

RS_INLINE void leave(struct rs_thread *thread)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = 0;
}

/* The site to start over with, or NULL when this marker is to be skipped. */
static RS_COLD struct regionstat_site_ *admit(struct regionstat_site_ *site, uintptr_t stack)
{
	return rs_thread_admit(stack) ? site : NULL;
}

/* First marker of a site. An END's region is still open and must not pay for it. */
static RS_COLD struct regionstat_site_ *resolve(
	struct rs_thread *thread, struct regionstat_site_ *site, enum rs_slow_kind kind)
{
	rs_slow_begin(thread);
	uint32_t index = rs_region_index(thread->runtime, site->name);
	__atomic_store_n(&site->region, index + 1, __ATOMIC_RELAXED);
	rs_slow_end(thread, kind);
	leave(thread);
	return site;
}

/* The number of a site's region, 0 when its name has to be looked up. */
RS_INLINE uint64_t number_of(const struct regionstat_site_ *site)
{
	/* Relaxed: every thread that resolves a site stores the same number. */
	return __atomic_load_n(&site->region, __ATOMIC_RELAXED);
}

RS_INLINE struct rs_thread_region *region_of(const struct rs_thread *thread, uint64_t number)
{
	return &thread->regions[number - 1];
}

/* The region of a name made at run time. At first sight no region is to pay for the look-up. */
static struct rs_thread_region *name_region(struct rs_thread *thread, const char *name)
{
	uint32_t index;
	if (RS_UNLIKELY(!rs_region_find(thread->runtime, name, &index))) {
		rs_slow_begin(thread);
		index = rs_region_index(thread->runtime, name);
		rs_slow_end(thread, RS_SLOW_RESOLVE_BEGIN);
	}
	return &thread->regions[index];
}

/* What a BEGIN is called with. By value: where it is inlined it stays in registers. */
struct begin {
	struct rs_thread_region *region;
	const struct regionstat_site_ *site;
	uintptr_t stack;
	uintptr_t caller;
};

/* ---- sampling ---- */

/* A call that is left out. Only its number is kept. */
static void skip_call(struct rs_thread *thread, struct rs_thread_region *region)
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
	if (thread->top != thread->first)
		rs_charge(thread, thread->cost->skip, 1, 0);
}

/* END of a call that was left out. */
static void end_skipped(struct rs_thread_region *region)
{
	if (!--region->skipping)
		rs_frame_make_ready(region);
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

/* ---- BEGIN ---- */

/* A region's first call on this thread. False without memory. */
static RS_COLD bool bind(
	struct rs_thread *thread, struct rs_thread_region *region, enum rs_slow_kind kind)
{
	/* a BEGIN with no call around it: nobody is there to pay */
	bool is_charged = kind == RS_SLOW_BIND_NEXT || thread->top != thread->first;
	if (is_charged)
		rs_slow_begin(thread);
	struct rs_cell *cell = rs_cell_bind(thread, rs_region_of(thread, region));
	if (is_charged)
		rs_slow_end(thread, kind);
	return cell != NULL;
}

/* A BEGIN of a region that is not ready. True: done. False: it may be ready now. */
static __attribute__((noinline)) bool begin_unready(struct rs_thread *thread,
	struct rs_thread_region *region, const struct regionstat_site_ *site, uintptr_t stack,
	uintptr_t caller, enum rs_slow_kind bind_kind)
{
	if (RS_LIKELY(region->is_bound && (region->skip | region->skipping))) {
		skip_call(thread, region);
		return true;
	}
	if (!region->is_bound)
		return !bind(thread, region, bind_kind);
	return rs_frame_reenter(thread, region, site, stack, caller);
}

/* A BEGIN that finds counting paused, or too many calls open. */
static RS_COLD void begin_nothing(struct rs_thread *thread, struct rs_thread_region *region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	struct rs_frame *frame = thread->top;
	if (frame == thread->last) {
		thread->overflow++;
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
		return;
	}
	*frame = (struct rs_frame){.control = RS_CONTROL_PAUSED,
		.region = region,
		.stack = stack,
		.caller = caller,
		.site = site,
		.recursion = RS_FRAME_PAUSED};
	region->ready = NULL;
	thread->top = rs_frame_above(thread, frame, 1);
}

/* The page of an event has changed: as if this BEGIN had not begun. */
static RS_COLD void begin_renew(struct rs_thread *thread)
{
	struct rs_frame *frame = rs_frame_above(thread, thread->top, -1);
	thread->top = frame;
	frame->sequence = thread->sequence - 1; /* no times are to be kept for it */
	frame->region->ready = frame->region->cell;
	atomic_store_explicit(&frame->region->cell->open, 0, memory_order_relaxed);
	rs_snapshot_renew(thread, RS_SLOW_RENEW_BEGIN);
}

/* The frame of a region that is ready, but for its snapshot; NULL when there is to be none. */
RS_INLINE struct rs_frame *open_frame(struct rs_thread *thread, struct rs_cell *cell,
	struct begin begin, uint32_t n_events, uint32_t n_groups, bool samples)
{
	struct rs_thread_region *region = begin.region;
	struct rs_frame *frame = thread->top;
	/* Relaxed: a pause need not stop a call that begins at the same moment. */
	uint64_t control = atomic_load_explicit(thread->control, memory_order_relaxed);
	if (RS_UNLIKELY(control & RS_CONTROL_PAUSED) || RS_UNLIKELY(frame == thread->last)) {
		begin_nothing(thread, begin.region, begin.site, begin.stack, begin.caller);
		return NULL;
	}
	frame->control = control;
	frame->region = region;
	frame->stack = begin.stack;
	frame->caller = begin.caller;
	frame->site = begin.site;
	frame->sequence = thread->sequence;
	frame->recursion = 0;
	if (samples)
		frame->weight = region->sample_calls;
	region->ready = NULL;
	atomic_store_explicit(&cell->open, 1, memory_order_relaxed);
	thread->top = (void *)((char *)frame + rs_frame_bytes(n_events, n_groups));
	return frame;
}

/* False: start over. */
RS_INLINE bool begin_region(struct rs_thread *thread, struct begin begin, uint32_t n_events,
	uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_cell *cell = begin.region->ready;
	if (RS_UNLIKELY(!cell)) {
		bool done = begin_unready(
			thread, begin.region, begin.site, begin.stack, begin.caller, RS_SLOW_BIND);
		leave(thread);
		return done;
	}
	struct rs_frame *frame = open_frame(thread, cell, begin, n_events, n_groups, samples);
	if (RS_UNLIKELY(!frame)) {
		leave(thread);
		return true;
	}
	struct rs_group_time *times = (void *)((char *)frame + rs_frame_times_offset(n_events));
	if (RS_UNLIKELY(!rs_snapshot_events(
		    thread, frame->values, times, &frame->off, n_events, n_groups))) {
		begin_renew(thread);
		leave(thread);
		return false;
	}
	frame->values[0] = rs_ticks(clock) + thread->adjust[0];
	leave(thread);
	return true;
}

/* ---- END ---- */

/* What a call that ends leaves for the one around it: what it used, and what its markers cost. */
RS_INLINE void pay(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas,
	const uint64_t *cost, uint32_t n_events, uint32_t n_groups, bool samples)
{
	uint64_t *around = (uint64_t *)(void *)((char *)(frame->values + 1 + n_events) -
						rs_frame_bytes(n_events, n_groups));
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		around[m] += samples ? deltas[m] * frame->weight : deltas[m];
		thread->adjust[m] -= cost[m];
	}
}

/* The topmost frame, of a call that has been recorded, is no more. */
RS_INLINE void close_frame(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, struct rs_cell *cell, bool samples)
{
	atomic_store_explicit(&cell->open, 0, memory_order_relaxed);
	region->ready = cell;
	if (samples && region->sample_calls > 1) {
		region->skip = draw_skip(thread, region->sample_calls);
		if (region->skip)
			region->ready = NULL;
	}
	thread->top = frame;
}

/*
 * END of a call that need not be plain, nor the topmost; its snapshot is in thread->now.
 *
 * After a context switch most often all groups turn out to have been on the PMU while the thread
 * ran: then the regions around are counted, too. And a group that was not leaves others that were.
 * So nobody is to pay for what happens here, unless that would take more system calls.
 */
static RS_COLD void end_frame(struct rs_thread *thread, struct rs_frame *frame)
{
	bool is_charged = thread->is_charged;
	enum rs_slow_kind kind = thread->now_edge == RS_EDGE_NEXT ? RS_SLOW_RECORD_NEXT
								  : RS_SLOW_RECORD;
	struct rs_thread_region *region = frame->region;
	struct rs_cell *cell = region->cell;
	if (is_charged)
		rs_slow_begin(thread);
	uint64_t control = atomic_load_explicit(thread->control, memory_order_relaxed);
	if (control == frame->control)
		rs_record_other(thread, frame);
	else
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	atomic_store_explicit(&cell->open, 0, memory_order_relaxed);
	if (region->sample_calls > 1)
		region->skip = draw_skip(thread, region->sample_calls);
	rs_frame_remove(thread, frame);
	if (is_charged)
		rs_slow_end(thread, kind);
}

/* The snapshot of an END that is not the plain case into thread->now. */
static void take_end(struct rs_thread *thread)
{
	do {
		thread->now[0] = rs_ticks(thread->clock) + thread->adjust[0];
		if (rs_snapshot_events(thread, thread->now, thread->now_times, &thread->now_off,
			    thread->n_events, thread->n_groups))
			return;
		rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
	} while (true);
}

/* END of a region that is not the topmost frame's, or whose snapshot is in thread->now already. */
static __attribute__((noinline)) void end_apart(
	struct rs_thread *thread, struct rs_thread_region *region, bool has_snapshot)
{
	const struct rs_frame *top = rs_frame_above(thread, thread->top, -1);
	if (region->skipping) {
		end_skipped(region);
		return;
	}
	if (!has_snapshot && !(top->region == region && top->recursion))
		take_end(thread);
	thread->now_edge = RS_EDGE_PLAIN;
	uint32_t off = thread->now_off;
	struct rs_frame *frame = rs_frame_find_end(thread, region);
	if (frame) {
		end_frame(thread, frame);
		rs_charge(thread, thread->cost->pair, 1, off);
	}
}

/* The same of the topmost frame's, that turned out not to be plain. */
static RS_COLD void end_other(
	struct rs_thread *thread, struct rs_thread_region *region, uint32_t off)
{
	thread->now_off = off;
	end_apart(thread, region, true);
}

/* Whether groups by read() were on the PMU all the time, as far as their times tell. */
RS_INLINE uint64_t read_differs(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events, uint32_t n_groups)
{
	if (__builtin_constant_p(n_groups) || !thread->n_reads)
		return 0;
	const struct rs_group_time *begin =
		(const void *)((char *)frame + rs_frame_times_offset(n_events));
	const struct rs_group_time *end = thread->now_times;
	uint64_t differs = 0;
	for (uint32_t g = 0; g < n_groups; g++)
		if (thread->groups[g].mode == RS_GROUP_READ)
			differs |= (begin[g].enabled_ns - begin[g].running_ns) ^
				   (end[g].enabled_ns - end[g].running_ns);
	return differs;
}

/* What keeps the call of the topmost frame from being plain; 0 when it is, as far as that goes. */
RS_INLINE uint64_t frame_differs(struct rs_thread *thread, struct rs_frame *frame, uint32_t off,
	uint32_t n_events, uint32_t n_groups)
{
	uint64_t differs = 0;
	if (n_groups)
		differs = (frame->off | off) | (frame->sequence ^ thread->sequence) |
			  read_differs(thread, frame, n_events, n_groups);
	/* Relaxed: a pause need not be seen at once. */
	return differs |
	       (frame->control ^ atomic_load_explicit(thread->control, memory_order_relaxed));
}

/* Room for a snapshot: the thread's own, where the number of events is not a constant. */
#define FIXED_EVENTS 4
#define SNAPSHOT(thread, n_events, room) (__builtin_constant_p(n_events) ? (room) : (thread)->now)

/* False: start over. */
RS_INLINE bool end_region(struct rs_thread *thread, struct rs_thread_region *region,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_frame *frame = (void *)((char *)thread->top - rs_frame_bytes(n_events, n_groups));
	if (RS_UNLIKELY(frame->region != region) || RS_UNLIKELY(frame->recursion)) {
		end_apart(thread, region, false);
		leave(thread);
		return true;
	}
	uint64_t room[1 + FIXED_EVENTS], *now = SNAPSHOT(thread, n_events, room);
	uint64_t deltas[1 + RS_MAX_EVENTS];
	uint32_t off;
	now[0] = rs_ticks(clock) + thread->adjust[0];
	if (RS_UNLIKELY(!rs_snapshot_events(
		    thread, now, thread->now_times, &off, n_events, n_groups))) {
		rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
		leave(thread);
		return false;
	}
	struct rs_cell *cell = region->cell;
	const struct rs_cost *cost = thread->cost;
	uint64_t differs = frame_differs(thread, frame, off, n_events, n_groups);
	if (RS_UNLIKELY(!rs_record(thread, frame, cell, now, cost->inside[RS_EDGE_PLAIN], differs,
		    deltas, n_events, n_groups))) {
		for (uint32_t m = 0; now == room && m <= n_events; m++)
			thread->now[m] = room[m];
		end_other(thread, region, off);
		leave(thread);
		return true;
	}
	close_frame(thread, frame, region, cell, samples);
	if (frame != thread->first)
		pay(thread, frame, deltas, cost->pair, n_events, n_groups, samples);
	leave(thread);
	return true;
}

/* ---- NEXT ---- */

/* END of one and BEGIN of the other where that takes two markers: the one is not the topmost call,
 * or sampling leaves one of them out. */
static RS_COLD void next_apart(struct rs_thread *thread, struct rs_thread_region *ended,
	struct rs_thread_region *begun, const struct regionstat_site_ *site, uintptr_t stack,
	uintptr_t caller)
{
	struct begin begin = {begun, site, stack, caller};
	end_apart(thread, ended, false);
	while (!begin_region(
		thread, begin, thread->n_events, thread->n_groups, true, thread->clock))
		thread->busy = stack;
}

/* This marker will be charged for what was counted only; the call that it begins will be taken to
 * have paid already. */
static RS_COLD void spare_uncounted(struct rs_thread *thread)
{
	const uint64_t *cost = thread->cost->next;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!rs_is_off(thread, thread->now_off, m))
			continue;
		thread->now[m] += cost[m];
		thread->adjust[m] += cost[m];
	}
}

/* END of a call that is not plain, by a NEXT. */
static RS_COLD void next_other(struct rs_thread *thread, struct rs_thread_region *ended)
{
	thread->now_edge = RS_EDGE_NEXT;
	uint32_t off = thread->now_off;
	struct rs_frame *frame = rs_frame_find_end(thread, ended);
	if (frame)
		end_frame(thread, frame);
	if (off)
		spare_uncounted(thread);
}

/* The frame of a region that begins with the snapshot in thread->now. */
RS_INLINE void begin_shared(struct rs_thread *thread, struct begin begin, uint32_t n_events,
	uint32_t n_groups, bool samples)
{
	struct rs_cell *cell;
	while (RS_UNLIKELY(!(cell = begin.region->ready)))
		if (begin_unready(thread, begin.region, begin.site, begin.stack, begin.caller,
			    RS_SLOW_BIND_NEXT))
			return;
	struct rs_frame *frame = open_frame(thread, cell, begin, n_events, n_groups, samples);
	if (RS_UNLIKELY(!frame))
		return;
	frame->off = thread->now_off;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[m] = thread->now[m] + thread->cost->share[m];
	struct rs_group_time *times = (void *)((char *)frame + rs_frame_times_offset(n_events));
	for (uint32_t g = 0; thread->n_reads && g < n_groups; g++)
		times[g] = thread->now_times[g];
}

/* False: start over. */
RS_INLINE bool next_region(struct rs_thread *thread, struct rs_thread_region *ended,
	struct begin begin, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_frame *frame = (void *)((char *)thread->top - rs_frame_bytes(n_events, n_groups));
	uint64_t deltas[1 + RS_MAX_EVENTS];
	if (RS_UNLIKELY(frame->region != ended) || RS_UNLIKELY(frame->recursion) ||
		(samples && RS_UNLIKELY(begin.region->skip | begin.region->skipping))) {
		next_apart(thread, ended, begin.region, begin.site, begin.stack, begin.caller);
		return true;
	}
	thread->now[0] = rs_ticks(clock) + thread->adjust[0];
	if (RS_UNLIKELY(!rs_snapshot_events(thread, thread->now, thread->now_times,
		    &thread->now_off, n_events, n_groups))) {
		rs_snapshot_renew(thread, RS_SLOW_RENEW_NEXT);
		leave(thread);
		return false;
	}
	struct rs_cell *cell = ended->cell;
	uint64_t differs = frame_differs(thread, frame, thread->now_off, n_events, n_groups);
	if (RS_LIKELY(rs_record(thread, frame, cell, thread->now,
		    thread->cost->inside[RS_EDGE_NEXT], differs, deltas, n_events, n_groups))) {
		static const uint64_t nothing[1 + RS_MAX_EVENTS];
		close_frame(thread, frame, ended, cell, samples);
		pay(thread, frame, deltas, nothing, n_events, n_groups, samples);
	} else {
		next_other(thread, ended);
	}
	begin_shared(thread, begin, n_events, n_groups, samples);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		thread->adjust[m] -= thread->cost->next[m];
	leave(thread);
	return true;
}

/* ---- the markers of sites ---- */

/* For a number of events and groups, and a clock: constants, so that what follows from them is
 * straight, or the thread's own. */
#define SITE_MARKERS(name, n_events, n_groups, samples, clock)                                     \
	static void begin_##name(struct regionstat_site_ *site)                                    \
	{                                                                                          \
		do {                                                                               \
			struct rs_thread *thread = enter(STACK);                                   \
			uint64_t number = number_of(site);                                         \
			if (RS_UNLIKELY(!thread)) {                                                \
				site = admit(site, STACK);                                         \
			} else if (RS_UNLIKELY(!number)) {                                         \
				site = resolve(thread, site, RS_SLOW_RESOLVE_BEGIN);               \
			} else {                                                                   \
				struct begin begin = {                                             \
					region_of(thread, number), site, STACK, CALLER};           \
				if (RS_LIKELY(begin_region(                                        \
					    thread, begin, n_events, n_groups, samples, clock)))   \
					return;                                                    \
			}                                                                          \
		} while (site);                                                                    \
	}                                                                                          \
	static void end_##name(struct regionstat_site_ *site)                                      \
	{                                                                                          \
		do {                                                                               \
			struct rs_thread *thread = enter(STACK);                                   \
			uint64_t number = number_of(site);                                         \
			if (RS_UNLIKELY(!thread))                                                  \
				site = admit(site, STACK);                                         \
			else if (RS_UNLIKELY(!number))                                             \
				site = resolve(thread, site, RS_SLOW_RESOLVE_END);                 \
			else if (RS_LIKELY(end_region(thread, region_of(thread, number), n_events, \
					 n_groups, samples, clock)))                               \
				return;                                                            \
		} while (site);                                                                    \
	}                                                                                          \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun)    \
	{                                                                                          \
		do {                                                                               \
			struct rs_thread *thread = enter(STACK);                                   \
			uint64_t old = number_of(ended), new = number_of(begun);                   \
			if (RS_UNLIKELY(!thread)) {                                                \
				ended = admit(ended, STACK);                                       \
			} else if (RS_UNLIKELY(!old)) {                                            \
				resolve(thread, ended, RS_SLOW_RESOLVE_ENDED);                     \
			} else if (RS_UNLIKELY(!new)) {                                            \
				resolve(thread, begun, RS_SLOW_RESOLVE_BEGUN);                     \
			} else {                                                                   \
				struct begin begin = {                                             \
					region_of(thread, new), begun, STACK, CALLER};             \
				if (RS_LIKELY(next_region(thread, region_of(thread, old), begin,   \
					    n_events, n_groups, samples, clock)))                  \
					return;                                                    \
			}                                                                          \
		} while (ended);                                                                   \
	}

SITE_MARKERS(time, 0, 0, false, RS_CLOCK_COUNTER)
SITE_MARKERS(two, 2, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(three, 3, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(four, 4, 1, false, RS_CLOCK_COUNTER)
SITE_MARKERS(any, thread->n_events, thread->n_groups, false, thread->clock)
SITE_MARKERS(sampled_time, 0, 0, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_four, 4, 1, true, RS_CLOCK_COUNTER)
SITE_MARKERS(sampled_any, thread->n_events, thread->n_groups, true, thread->clock)

/* ---- the markers of names ---- */

static struct rs_thread *enter_name(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = enter(stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

static void begin_name(const char *name)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct begin begin = {name_region(thread, name), NULL, STACK, CALLER};
	while (!begin_region(
		thread, begin, thread->n_events, thread->n_groups, true, thread->clock))
		thread->busy = begin.stack;
}

/* Looking up a name takes as long as the name is: not inside the region, unless sampling has to
 * know first whether this END is measured. */
static void end_name(const char *name)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	if (!thread->runtime->samples)
		take_end(thread);
	end_apart(thread, name_region(thread, name), !thread->runtime->samples);
	leave(thread);
}

static void next_name(const char *ended, const char *begun)
{
	struct rs_thread *thread = enter_name(STACK);
	if (RS_UNLIKELY(!thread))
		return;
	struct rs_thread_region *region = name_region(thread, ended);
	struct begin begin = {name_region(thread, begun), NULL, STACK, CALLER};
	while (!next_region(
		thread, region, begin, thread->n_events, thread->n_groups, true, thread->clock))
		thread->busy = begin.stack;
}

#define TABLE(name)                                                                     \
	{                                                                               \
		.abi = REGIONSTAT_ABI, .bytes = sizeof(struct regionstat_table_),       \
		.begin = begin_##name, .end = end_##name, .next = next_##name,          \
		.begin_name = begin_name, .end_name = end_name, .next_name = next_name, \
		.pause = rs_pause, .resume = rs_resume,                                 \
	}

const struct regionstat_table_ *rs_markers(const struct rs_runtime *runtime)
{
	static const struct regionstat_table_ time = TABLE(time), two = TABLE(two),
					      three = TABLE(three), four = TABLE(four),
					      any = TABLE(any), sampled_time = TABLE(sampled_time),
					      sampled_four = TABLE(sampled_four),
					      sampled_any = TABLE(sampled_any);
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_counters_may_be_mapped(runtime, 0);
	if (runtime->clock != RS_CLOCK_COUNTER || (n_events && !is_one_group))
		return runtime->samples ? &sampled_any : &any;
	if (runtime->samples)
		return !n_events ? &sampled_time : n_events == 4 ? &sampled_four : &sampled_any;
	static const struct regionstat_table_ *const tables[] = {&time, &any, &two, &three, &four};
	return n_events < sizeof(tables) / sizeof(tables[0]) ? tables[n_events] : &any;
}
