/* SPDX-License-Identifier: MIT */
/*
 * The functions of the markers, compiled from the fast paths of BEGIN, END and NEXT (path.h) and of
 * START and STOP (call.h). There is one set for each number of events, way to find the calling
 * thread, and clock, and another for runs with filtered regions. A program gets one set.
 */
#include "runtime/mark/marker.h"
#include "runtime/mark/call.h"
#include "runtime/mark/path.h"

/* ---- the markers of sites ---- */

/* Prevent inlining and cloning. */
#ifdef __clang__
#define RS_ONE_BODY __attribute__((noinline))
#else
#define RS_ONE_BODY __attribute__((noipa))
#endif

/* A run with sampling, --budget or filtered regions has a set of its own. In that set, a pair with
 * time only takes 172 instructions instead of 113, even if each call is measured. About 20 of them
 * draw the next measured call. The others store the call's weight in the frame and in the
 * accumulator, multiply counts, sums and squares by it, and look for skipped calls.
 *
 * The arguments are: name, way to find the calling thread, number of events and of groups,
 * sampling, trace, clock. Most sets have constants here, so that the compiler removes loops and
 * branches. The sets for any number of events use the values of the thread. */
#define RS_COUNTED(X, prefix, samples)                                 \
	X(prefix##time, NEAR, 0, 0, samples, false, RS_CLOCK_COUNTER)  \
	X(prefix##one, NEAR, 1, 1, samples, false, RS_CLOCK_COUNTER)   \
	X(prefix##two, NEAR, 2, 1, samples, false, RS_CLOCK_COUNTER)   \
	X(prefix##three, NEAR, 3, 1, samples, false, RS_CLOCK_COUNTER) \
	X(prefix##four, NEAR, 4, 1, samples, false, RS_CLOCK_COUNTER)
#define RS_ANY(X, name, samples, traced) \
	X(name, FAR, thread->n_events, thread->n_groups, samples, traced, thread->clock)
/* With labels one set does for all other runs, so that the library stays small. */
#if RS_LABELS
#define RS_ANYS(X) RS_ANY(X, any, rs_state->samples, rs_state->traces)
#else
#define RS_ANYS(X)                          \
	RS_ANY(X, any, false, false)        \
	RS_ANY(X, sampled_any, true, false) \
	RS_ANY(X, traced_any, rs_state->samples, true)
#endif
/* The set for runs with a trace, with time only and without sampling. */
#define RS_TRACED(X) X(traced_time, NEAR, 0, 0, false, true, RS_CLOCK_COUNTER)

/* How a marker finds its thread: NEAR by a distance that is the same for all threads, FAR by the
 * TLS descriptor. With labels it also keeps the distance in a register. */
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
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_within(                               \
		struct regionstat_site_ *site, uintptr_t stack)                                    \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return begin_within(                                                               \
			thread, site, stack, n_events, n_groups, samples, clock, place);           \
	}                                                                                          \
	static RS_ONE_BODY regionstat_ticket_ begin_##name##_at(                                   \
		struct regionstat_site_ *site, uintptr_t stack)                                    \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return begin(thread, site, stack, begin_##name##_within, n_events, n_groups,       \
			samples, clock, place);                                                    \
	}                                                                                          \
	static regionstat_ticket_ begin_##name(struct regionstat_site_ *site)                      \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return begin(thread, site, RS_STACK, begin_##name##_within, n_events, n_groups,    \
			samples, clock, place);                                                    \
	}                                                                                          \
	static RS_ONE_BODY void end_##name##_nested(                                               \
		struct rs_thread *thread, struct rs_frame *frame, bool by_name)                    \
	{                                                                                          \
		intptr_t place = RS_LABELS ? PLACE_##where : 0;                                    \
		end_counted(thread, frame, by_name, frame->region, thread->room.deltas, true,      \
			n_events, n_groups, samples, traced, place);                               \
	}                                                                                          \
	static void end_##name(regionstat_ticket_ ticket)                                          \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		end_ticket(thread, ticket, RS_STACK, end_##name##_nested, n_events, n_groups,      \
			samples, traced, clock, place);                                            \
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
	static RS_ONE_BODY bool try_next_##name(                                                   \
		struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack)   \
	{                                                                                          \
		FIND_SELF(where);                                                                  \
		return next(thread, ended, begun, stack, n_events, n_groups, samples, traced,      \
			clock, place);                                                             \
	}                                                                                          \
	static void next_##name(struct regionstat_site_ *ended, struct regionstat_site_ *begun)    \
	{                                                                                          \
		uintptr_t stack = RS_STACK;                                                        \
		if (!(samples)) {                                                                  \
			try_next_##name(ended, begun, stack);                                      \
		} else if (!try_next_##name(ended, begun, stack)) {                                \
			end_site_##name##_at(ended, stack);                                        \
			begin_##name##_at(begun, stack);                                           \
		}                                                                                  \
	}

/* START and STOP lie outside of the nesting, so they have no labels. */
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

#define MAKE(make) \
	RS_COUNTED(make, , false) RS_COUNTED(make, sampled_, true) RS_TRACED(make) RS_ANYS(make)

MAKE(SITE_MARKERS)
#if !RS_LABELS
MAKE(ASYNC_MARKERS)
#endif

/* ---- markers for runs with filtered regions ---- */

/* The markers for regions that are not filtered. */
static const struct rs_adapter_table *all;

static bool is_filtered(const struct regionstat_site_ *site)
{
	return rs_site_is_known_filtered(site) ||
	       rs_site_is_filtered(rs_state, rs_load_32(&site->region_));
}

/* Skip a marker whose site is known to be in a filtered region, without looking at the thread. A
 * NEXT with one filtered region becomes an END or a BEGIN. */
static regionstat_ticket_ begin_only_at(struct regionstat_site_ *site, uintptr_t stack)
{
	return is_filtered(site) ? 0 : all->begin_at(site, stack);
}

static regionstat_ticket_ begin_only(struct regionstat_site_ *site)
{
	return begin_only_at(site, RS_STACK);
}

static void end_site_only_at(struct regionstat_site_ *site, uintptr_t stack)
{
	if (!is_filtered(site))
		all->end_site_at(site, stack);
}

static void end_site_only(struct regionstat_site_ *site)
{
	end_site_only_at(site, RS_STACK);
}

static void end_only(regionstat_ticket_ ticket)
{
	all->markers.end_(ticket);
}

static void next_only(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	bool begins = !is_filtered(begun), ends = !is_filtered(ended);
	if (begins && ends)
		all->markers.next_(ended, begun);
	else if (ends)
		all->end_site_at(ended, RS_STACK);
	else if (begins)
		all->begin_at(begun, RS_STACK);
}

#if !RS_LABELS
static void start_only(struct regionstat_call *call, struct regionstat_site_ *site)
{
	if (!is_filtered(site))
		all->markers.start_(call, site);
}

static void stop_only(const struct regionstat_call *call)
{
	all->markers.stop_(call);
}
#endif

/* ---- tables ---- */

/* Pause counting. A skipped call that is open gets a frame first: it lies partly in the pause, so
 * it must not count. */
static void pause_program(void)
{
	rs_leaf_make_frame(rs_self, RS_STACK);
	rs_pause();
}

/* A run with labels has START and STOP of the table without. */
#if RS_LABELS
#define ASYNC(name)
#else
#define ASYNC(name) .start_ = start_##name, .stop_ = stop_##name,
#endif
#define TABLE(name, ...)                                                                   \
	{.markers = {                                                                      \
		 .abi_ = REGIONSTAT_ABI,                                                   \
		 .bytes_ = sizeof(struct rs_adapter_table),                                \
		 .begin_ = begin_##name,                                                   \
		 .end_ = end_##name,                                                       \
		 .next_ = next_##name,                                                     \
		 .end_site_ = end_site_##name,                                             \
		 ASYNC(name).begin_name_ = rs_begin_name,                                  \
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

/* Tables for runs without and with sampling, by the number of events. */
enum { N_COUNTED = 5 };
static const struct rs_adapter_table tables[2][N_COUNTED] = {
	{RS_COUNTED(TABLE, , false)}, {RS_COUNTED(TABLE, sampled_, true)}};
static const struct rs_adapter_table traced[] = {RS_TRACED(TABLE)};
static const struct rs_adapter_table anys[] = {RS_ANYS(TABLE)};
static const struct rs_adapter_table only[] = {TABLE(only)};

/* The functions of marker.h, for runs with labels in labelled.c. */
#if RS_LABELS
#define ANY rs_labelled_any
#define CHOOSE rs_labelled_choose
#else
#define ANY rs_unlabelled_any
#define CHOOSE rs_unlabelled_choose
#endif

const struct rs_adapter_table *ANY(const struct rs_runtime *runtime)
{
	return &anys[RS_LABELS ? 0 : runtime->traces ? 2 : runtime->samples];
}

const struct rs_adapter_table *CHOOSE(const struct rs_runtime *runtime)
{
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_group_may_be_mapped(runtime, 0);
	all = ANY(runtime);
	if (rs_self_find_near() && runtime->clock == RS_CLOCK_COUNTER && n_events < N_COUNTED &&
		(!n_events || is_one_group)) {
		if (!runtime->traces)
			all = &tables[runtime->samples][n_events];
		else if (!n_events && !runtime->samples)
			all = traced;
	}
	return runtime->n_only ? only : all;
}
