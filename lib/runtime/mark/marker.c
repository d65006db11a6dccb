/* SPDX-License-Identifier: MIT */
/*
 * The functions of the markers, compiled from the fast paths (path.h). There is a set for 0 to 4
 * events each, and one for any events, which also serves sampling. The sets for runs with sampling
 * and with filtered regions handle skipped and filtered calls first, and pass other calls on. A
 * program gets one set.
 */
#include "runtime/mark/marker.h"
#include "runtime/mark/path.h"

#define RS_PASTE(function, set) function##_##set
#define RS_JOIN(function, set) RS_PASTE(function, set)
#define NAME(function) RS_JOIN(function, SET)

/* With labels, a marker may keep the distance of its thread-local variables in a register. */
#define PLACE(is_near) (RS_LABELS ? rs_self_place(is_near) : 0)

/* Look up the calling thread's off-CPU time before counting pauses or resumes, even without a
 * switch. Each interval between two looks is then counted whole, or not at all. With a frame, an open leaf's END finds that the call was in the pause. */
static void look(uintptr_t stack)
{
	rs_leaf_make_frame(rs_self, stack);
	struct rs_thread *thread = rs_enter(rs_self, stack);
	if (!thread)
		return;
	rs_switches_expire(thread);
	rs_switches_look(thread, thread->innermost);
	rs_leave(thread);
}

static void pause_program(void)
{
	look(RS_STACK);
	rs_pause();
}

static void resume_program(void)
{
	look(RS_STACK);
	rs_resume();
}

/* ---- sets for a number of events, which are read in user space ---- */

#define SET time
#define N_EVENTS 0
#include "runtime/mark/set.h"

#define SET one
#define N_EVENTS 1
#include "runtime/mark/set.h"

#define SET two
#define N_EVENTS 2
#include "runtime/mark/set.h"

#define SET three
#define N_EVENTS 3
#include "runtime/mark/set.h"

#define SET four
#define N_EVENTS 4
#include "runtime/mark/set.h"

/* ---- other sets ---- */

#define SET traced_time
#define N_EVENTS 0
#define TRACED true
#include "runtime/mark/set.h"

#define SET any
#define N_EVENTS thread->n_events
#define N_GROUPS thread->n_groups
#define SAMPLES rs_load_flag(&rs_state->samples)
#define TRACED rs_load_flag(&rs_state->traces)
#define CLOCK thread->clock
#define IS_NEAR false
#include "runtime/mark/set.h"

/* ---- the set for runs with sampling ---- */

/* A skipped call ends here, in few instructions. Other calls are passed on to the set `any`. */
static RS_ONE_BODY regionstat_ticket_ begin_within_skip(
	struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	return begin_within(thread, site, stack, begin_entered_any, place);
}

RS_INLINE regionstat_ticket_ begin_in_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		return begin_within_skip(site, stack);
	return begin_or_skip(thread, site, stack, begin_entered_any, place);
}

static RS_ONE_BODY regionstat_ticket_ begin_at_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	return begin_in_skip(site, stack);
}

static regionstat_ticket_ begin_skip(struct regionstat_site_ *site)
{
	return begin_in_skip(site, RS_STACK);
}

static void end_skip(regionstat_ticket_ ticket)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	if (ticket & RS_LEAF)
		end_leaf_ticket(thread, ticket, RS_STACK, end_entered_any, place);
	else
		end_any(ticket);
}

static RS_ONE_BODY void end_site_at_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	end_or_skip(thread, site, stack, end_entered_any, place, false);
}

/* END for a NEXT, which shows the label of the region that it begins. */
static RS_ONE_BODY void end_of_next_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	struct rs_thread *thread = rs_self_near();
	end_or_skip(thread, site, stack, end_entered_any, 0, true);
}

static void end_site_skip(struct regionstat_site_ *site)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	end_or_skip(thread, site, RS_STACK, end_entered_any, place, false);
}

static void next_skip(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	uintptr_t stack = RS_STACK;
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	if (next_or_skip(thread, ended, begun, stack, next_entered_any, place))
		return;
	end_of_next_skip(ended, stack);
	begin_at_skip(begun, stack);
}

#define start_skip start_any
#define stop_skip stop_any
#define SET skip
#include "runtime/mark/set.h"

/* ---- the set for runs with filtered regions ---- */

/* The markers for regions that are not filtered. */
static _Atomic(const struct rs_adapter_table *) measured;

/* Relaxed: either measurement's markers will do. */
static const struct rs_adapter_table *rest(void)
{
	return atomic_load_explicit(&measured, memory_order_relaxed);
}

static bool is_filtered(const struct regionstat_site_ *site)
{
	return rs_site_is_known_filtered(site) ||
	       rs_site_is_filtered(rs_state, rs_load_32(&site->region_));
}

/* Skip a marker of a filtered region. A NEXT with one filtered region becomes an END or a BEGIN. */
static regionstat_ticket_ begin_at_only(struct regionstat_site_ *site, uintptr_t stack)
{
	return is_filtered(site) ? 0 : rest()->begin_at(site, stack);
}

static regionstat_ticket_ begin_only(struct regionstat_site_ *site)
{
	return begin_at_only(site, RS_STACK);
}

static void end_site_at_only(struct regionstat_site_ *site, uintptr_t stack)
{
	if (!is_filtered(site))
		rest()->end_site_at(site, stack);
}

static void end_site_only(struct regionstat_site_ *site)
{
	end_site_at_only(site, RS_STACK);
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

__attribute__((unused)) static void start_only(
	struct regionstat_call *call, struct regionstat_site_ *site)
{
	if (!is_filtered(site))
		rest()->markers.start_(call, site);
}

__attribute__((unused)) static void stop_only(const struct regionstat_call *call)
{
	rest()->markers.stop_(call);
}

#define SET only
#include "runtime/mark/set.h"

static_assert(number_only - number_time < RS_MARKER_SETS, "all sets are counted");

/* ---- choosing a set ---- */

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
	return &table_any;
}

/* By the number of events. */
static const struct rs_adapter_table *const counted[1 + RS_FIXED_EVENTS] = {
	&table_time, &table_one, &table_two, &table_three, &table_four};

const struct rs_adapter_table *CHOOSE(const struct rs_runtime *runtime)
{
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_group_may_be_mapped(runtime, 0);
	bool is_near = rs_self_find_near();
	bool is_fixed = is_near && runtime->clock == RS_CLOCK_COUNTER &&
			n_events <= RS_FIXED_EVENTS && (!n_events || is_one_group);
	const struct rs_adapter_table *all;
	if (runtime->samples)
		all = is_near ? &table_skip : &table_any;
	else if (runtime->traces)
		all = is_fixed && !n_events ? &table_traced_time : &table_any;
	else
		all = is_fixed ? counted[n_events] : &table_any;
	atomic_store_explicit(&measured, all, memory_order_relaxed);
	return runtime->n_only ? &table_only : all;
}
