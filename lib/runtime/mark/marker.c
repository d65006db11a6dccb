/* SPDX-License-Identifier: MIT */
/*
 * The functions of the markers, compiled from the fast paths of BEGIN, END and NEXT (path.h) and of
 * START and STOP (call.h). There is a set for 0 to 4 events each, and one for any events. The sets
 * for runs with sampling (skip.h) and with filtered regions handle skipped and filtered calls
 * first, and pass other calls on. A program gets one set.
 */
#include "runtime/mark/marker.h"
#include "runtime/mark/call.h"
#include "runtime/mark/skip.h"

/* ---- the markers of sites ---- */

/* The arguments are: name, how to find the calling thread, n_events, n_groups, sampling, trace,
 * clock. In most sets they are constants, so that the compiler removes loops and branches. The set
 * for any events uses the thread's values. */
#define RS_COUNTED(X)                                        \
	X(time, NEAR, 0, 0, false, false, RS_CLOCK_COUNTER)  \
	X(one, NEAR, 1, 1, false, false, RS_CLOCK_COUNTER)   \
	X(two, NEAR, 2, 1, false, false, RS_CLOCK_COUNTER)   \
	X(three, NEAR, 3, 1, false, false, RS_CLOCK_COUNTER) \
	X(four, NEAR, 4, 1, false, false, RS_CLOCK_COUNTER)
/* The sets for runs with time only and either a trace or sampling. With sampling, a measured pair
 * of markers takes 186 instructions instead of 109. It is passed on, draws the next measured call,
 * and multiplies by the weight. */
#define RS_TRACED(X) X(traced_time, NEAR, 0, 0, false, true, RS_CLOCK_COUNTER)
#define RS_WEIGHTED(X) X(weighted_time, NEAR, 0, 0, true, false, RS_CLOCK_COUNTER)
#define RS_ANY(X)                                                                         \
	X(any, FAR, thread->n_events, thread->n_groups, rs_load_flag(&rs_state->samples), \
		rs_load_flag(&rs_state->traces), thread->clock)

/* How a marker finds its thread: NEAR by a distance from the thread pointer that is the same for
 * all threads, FAR by the TLS descriptor. With labels the marker also keeps the distance in a
 * register. */
#define SELF_NEAR rs_self_near()
#define SELF_FAR rs_self
#define PLACE_FAR ((intptr_t)&rs_self - rs_thread_pointer())
#ifdef RS_TLS_PLACE
#define PLACE_NEAR rs_self_distance
#else
#define PLACE_NEAR PLACE_FAR
#endif
#define FIND_SELF(where)                                \
	intptr_t place = RS_LABELS ? PLACE_##where : 0; \
	struct rs_thread *thread = SELF_##where

/* The functions with a stack frame argument are for adapters. */
#define SITE_MARKERS(name, where, n_events, n_groups, samples, traced, clock)                      \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_at(                                   \
		struct regionstat_site_ *site, uintptr_t stack)                                    \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return begin(thread, site, stack, n_events, n_groups, samples, clock, place);      \
	}                                                                                          \
	static regionstat_ticket_ begin_##name(struct regionstat_site_ *site)                      \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return begin(thread, site, RS_STACK, n_events, n_groups, samples, clock, place);   \
	}                                                                                          \
	static RS_ONE_BODY void end_site_##name##_at(                                              \
		struct regionstat_site_ *site, uintptr_t stack)                                    \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		end_site(thread, site, stack, end_##name##_nested, n_events, n_groups, samples,    \
			traced, clock, place);                                                     \
	}                                                                                          \
	static void end_site_##name(struct regionstat_site_ *site)                                 \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		end_site(thread, site, RS_STACK, end_##name##_nested, n_events, n_groups, samples, \
			traced, clock, place);                                                     \
	}                                                                                          \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun)    \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		next(thread, ended, begun, RS_STACK, n_events, n_groups, samples, traced, clock,   \
			place);                                                                    \
	}

#define TICKET_MARKERS(name, where, n_events, n_groups, samples, traced, clock)               \
	static RS_ONE_BODY void end_##name##_nested(                                          \
		struct rs_thread *thread, struct rs_frame *frame, bool by_name)               \
	{                                                                                     \
		intptr_t place = RS_LABELS ? PLACE_##where : 0;                               \
		end_counted(thread, frame, by_name, frame->region, thread->room.deltas, true, \
			n_events, n_groups, samples, traced, place);                          \
	}                                                                                     \
	static void end_##name(regionstat_ticket_ ticket)                                     \
	{                                                                                     \
		FIND_SELF(where);                                                             \
		end_ticket(thread, ticket, RS_STACK, end_##name##_nested, n_events, n_groups, \
			samples, traced, clock, place);                                       \
	}

/* Markers for calls that the functions of skip.h pass on. */
#define ENTERED_MARKERS(name, where, n_events, n_groups, samples, traced, clock)                 \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_entered(                            \
		struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)        \
	{                                                                                        \
		intptr_t place = RS_LABELS ? PLACE_##where : 0;                                  \
		return begin_entered(                                                            \
			thread, site, stack, n_events, n_groups, samples, clock, place);         \
	}                                                                                        \
	static RS_ONE_BODY void end_##name##_entered(                                            \
		struct rs_thread *thread, struct rs_frame *frame, bool by_name)                  \
	{                                                                                        \
		intptr_t place = RS_LABELS ? PLACE_##where : 0;                                  \
		end(thread, frame, by_name, end_##name##_nested, n_events, n_groups, samples,    \
			traced, clock, place);                                                   \
	}                                                                                        \
	static RS_ONE_BODY void next_##name##_entered(struct rs_thread *thread,                  \
		struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack) \
	{                                                                                        \
		intptr_t place = RS_LABELS ? PLACE_##where : 0;                                  \
		next_entered(thread, ended, begun, stack, n_events, n_groups, samples, traced,   \
			clock, place);                                                           \
	}

/* Calls of START and STOP do not nest, so they have no labels. */
#define ASYNC_MARKERS(name, where, n_events, n_groups, samples, traced, clock)                    \
	static void start_##name(struct regionstat_call *call, struct regionstat_site_ *site)     \
	{                                                                                         \
		struct rs_thread *thread = SELF_##where;                                          \
		rs_call_start(thread, call, site, RS_STACK, n_events, n_groups, samples, clock);  \
	}                                                                                         \
	static void stop_##name(const struct regionstat_call *call)                               \
	{                                                                                         \
		struct rs_thread *thread = SELF_##where;                                          \
		rs_call_stop(thread, call, RS_STACK, n_events, n_groups, samples, traced, clock); \
	}

#define ALL(X) RS_COUNTED(X) RS_TRACED(X) RS_ANY(X)
ALL(TICKET_MARKERS)
ALL(SITE_MARKERS)
RS_WEIGHTED(TICKET_MARKERS)
RS_WEIGHTED(ENTERED_MARKERS)
RS_ANY(ENTERED_MARKERS)
#if !RS_LABELS
ALL(ASYNC_MARKERS)
RS_WEIGHTED(ASYNC_MARKERS)
#endif

/* ---- markers for runs with sampling: skip.h ---- */

/* The arguments are: name, how to find the calling thread, set for calls that are not skipped. */
#define RS_SKIPPING(X) \
	X(skip_time, NEAR, weighted_time) X(skip_near, NEAR, any) X(skip_far, FAR, any)

#define SKIPPING_MARKERS(name, where, measured)                                                 \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_within(                            \
		struct regionstat_site_ *site, uintptr_t stack)                                 \
	{                                                                                       \
		FIND_SELF(where);                                                               \
		return begin_within(thread, site, stack, begin_##measured##_entered, place);    \
	}                                                                                       \
	RS_INLINE regionstat_ticket_ begin_##name##_in(                                         \
		struct regionstat_site_ *site, uintptr_t stack)                                 \
	{                                                                                       \
		FIND_SELF(where);                                                               \
		if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))                                 \
			return begin_##name##_within(site, stack);                              \
		return begin_or_skip(thread, site, stack, begin_##measured##_entered, place);   \
	}                                                                                       \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_at(                                \
		struct regionstat_site_ *site, uintptr_t stack)                                 \
	{                                                                                       \
		return begin_##name##_in(site, stack);                                          \
	}                                                                                       \
	static regionstat_ticket_ begin_##name(struct regionstat_site_ *site)                   \
	{                                                                                       \
		return begin_##name##_in(site, RS_STACK);                                       \
	}                                                                                       \
	static void end_##name(regionstat_ticket_ ticket)                                       \
	{                                                                                       \
		FIND_SELF(where);                                                               \
		if (ticket & RS_LEAF)                                                           \
			end_leaf_ticket(                                                        \
				thread, ticket, RS_STACK, end_##measured##_entered, place);     \
		else                                                                            \
			end_##measured(ticket);                                                 \
	}                                                                                       \
	static RS_ONE_BODY void end_site_##name##_at(                                           \
		struct regionstat_site_ *site, uintptr_t stack)                                 \
	{                                                                                       \
		FIND_SELF(where);                                                               \
		end_or_skip(thread, site, stack, end_##measured##_entered, place);              \
	}                                                                                       \
	static void end_site_##name(struct regionstat_site_ *site)                              \
	{                                                                                       \
		FIND_SELF(where);                                                               \
		end_or_skip(thread, site, RS_STACK, end_##measured##_entered, place);           \
	}                                                                                       \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun) \
	{                                                                                       \
		uintptr_t stack = RS_STACK;                                                     \
		struct rs_thread *thread = SELF_##where;                                        \
		if (next_or_skip(thread, ended, begun, stack, next_##measured##_entered))       \
			return;                                                                 \
		end_site_##name##_at(ended, stack);                                             \
		begin_##name##_at(begun, stack);                                                \
	}

RS_SKIPPING(SKIPPING_MARKERS)

/* ---- markers for runs with filtered regions ---- */

/* The markers for regions that are not filtered. */
static _Atomic(const struct rs_adapter_table *) measured;

/* Relaxed: a marker of the measurement before may use the markers of either. */
static const struct rs_adapter_table *rest(void)
{
	return atomic_load_explicit(&measured, memory_order_relaxed);
}

static bool is_filtered(const struct regionstat_site_ *site)
{
	return rs_site_is_known_filtered(site) ||
	       rs_site_is_filtered(rs_state, rs_load_32(&site->region_));
}

/* Skip a marker whose site is known to belong to a filtered region, without looking at the thread.
 * A NEXT with one filtered region becomes an END or a BEGIN. */
static regionstat_ticket_ begin_only_at(struct regionstat_site_ *site, uintptr_t stack)
{
	return is_filtered(site) ? 0 : rest()->begin_at(site, stack);
}

static regionstat_ticket_ begin_only(struct regionstat_site_ *site)
{
	return begin_only_at(site, RS_STACK);
}

static void end_site_only_at(struct regionstat_site_ *site, uintptr_t stack)
{
	if (!is_filtered(site))
		rest()->end_site_at(site, stack);
}

static void end_site_only(struct regionstat_site_ *site)
{
	end_site_only_at(site, RS_STACK);
}

static void end_only(regionstat_ticket_ ticket)
{
	rest()->markers.end_(ticket);
}

static void next_only(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	bool begins = !is_filtered(begun), ends = !is_filtered(ended);
	if (begins && ends)
		rest()->markers.next_(ended, begun);
	else if (ends)
		rest()->end_site_at(ended, RS_STACK);
	else if (begins)
		rest()->begin_at(begun, RS_STACK);
}

#if !RS_LABELS
static void start_only(struct regionstat_call *call, struct regionstat_site_ *site)
{
	if (!is_filtered(site))
		rest()->markers.start_(call, site);
}

static void stop_only(const struct regionstat_call *call)
{
	rest()->markers.stop_(call);
}
#endif

/* ---- tables ---- */

/* Pause counting. First give an open leaf a frame: the call is partly in the pause, so it must not
 * count. */
static void pause_program(void)
{
	rs_leaf_make_frame(rs_self, RS_STACK);
	rs_pause();
}

/* With labels, START and STOP come from the table for runs without labels. */
#if RS_LABELS
#define ASYNC(name)
#else
#define ASYNC(name) .start_ = start_##name, .stop_ = stop_##name,
#endif
#define TABLE(name, ...) TABLE_WITH(name, name)
#define SKIPPING_TABLE(name, where, measured) TABLE_WITH(name, measured)
#define TABLE_WITH(name, async)                                                            \
	{.markers = {                                                                      \
		 .abi_ = REGIONSTAT_ABI,                                                   \
		 .bytes_ = sizeof(struct rs_adapter_table),                                \
		 .begin_ = begin_##name,                                                   \
		 .end_ = end_##name,                                                       \
		 .next_ = next_##name,                                                     \
		 .end_site_ = end_site_##name,                                             \
		 ASYNC(async).begin_name_ = rs_begin_name,                                 \
		 .end_name_ = rs_end_name,                                                 \
		 .next_name_ = rs_next_name,                                               \
		 .start_name_ = rs_start_name,                                             \
		 .pause_ = pause_program,                                                  \
		 .resume_ = rs_resume,                                                     \
		 .work_ = rs_work_site,                                                    \
		 .work_name_ = rs_work_name,                                               \
		 .adapter_[RS_ADAPTER_BEGIN_AT] = (void (*)(void))begin_##name##_at,       \
		 .adapter_[RS_ADAPTER_END_SITE_AT] = (void (*)(void))end_site_##name##_at, \
	 }},

enum { N_COUNTED = 5 };
static const struct rs_adapter_table tables[N_COUNTED] = {RS_COUNTED(TABLE)}; /* by events */
static const struct rs_adapter_table traced[] = {RS_TRACED(TABLE)};
static const struct rs_adapter_table any[] = {RS_ANY(TABLE)};
static const struct rs_adapter_table skipping[] = {RS_SKIPPING(SKIPPING_TABLE)};
static const struct rs_adapter_table only[] = {TABLE(only)};
static_assert((sizeof(tables) + sizeof(traced) + sizeof(any) + sizeof(skipping) + sizeof(only)) /
			      sizeof(tables[0]) ==
		      RS_MARKER_SETS,
	"all sets are counted");

/* The functions of marker.h, for runs with labels in labelled.c. */
#if RS_LABELS
#define ANY rs_labelled_any
#define CHOOSE rs_labelled_choose
#else
#define ANY rs_unlabelled_any
#define CHOOSE rs_unlabelled_choose
#endif

const struct rs_adapter_table *ANY(void)
{
	return any;
}

const struct rs_adapter_table *CHOOSE(const struct rs_runtime *runtime)
{
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_group_may_be_mapped(runtime, 0);
	bool is_near = rs_self_find_near();
	bool is_fixed = is_near && runtime->clock == RS_CLOCK_COUNTER && n_events < N_COUNTED &&
			(!n_events || is_one_group);
	bool is_time = is_fixed && !n_events;
	const struct rs_adapter_table *all;
	if (runtime->samples)
		all = &skipping[is_time && !runtime->traces ? 0 : is_near ? 1 : 2];
	else if (runtime->traces)
		all = is_time ? traced : any;
	else
		all = is_fixed ? &tables[n_events] : any;
	atomic_store_explicit(&measured, all, memory_order_relaxed);
	return runtime->n_only ? only : all;
}
