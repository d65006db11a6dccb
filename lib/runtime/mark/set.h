/* SPDX-License-Identifier: MIT */
/*
 * A set of markers: the functions of path.h, compiled for one way to count.
 * marker.c includes this file once for each set. It first defines:
 *
 * SET: the name of the set. NAME(begin) is begin_SET.
 * N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK: as in path.h. Where these are constants, the compiler
 *	removes loops and branches.
 * MEASURED: in place of these, the set to which a set for sampling passes calls that it measures.
 * IS_NEAR: how a marker finds its thread, see rs_self_find().
 *
 * If both N_EVENTS and MEASURED are missing, marker.c itself defines the functions, and this file
 * only the table. The other macros have defaults. This file undefines all of them.
 */
#ifndef N_GROUPS
#define N_GROUPS ((N_EVENTS) != 0)
#endif
#ifndef SAMPLES
#define SAMPLES false
#endif
#ifndef TRACED
#define TRACED false
#endif
#ifndef CLOCK
#define CLOCK RS_CLOCK_COUNTER
#endif
#ifndef IS_NEAR
#define IS_NEAR true
#endif
#ifdef MEASURED
#define NAME_OF_MEASURED(function) RS_JOIN(function, MEASURED)
#define NAME_OF_ASYNC(function) NAME_OF_MEASURED(function)
#else
#define NAME_OF_ASYNC(function) NAME(function)
#endif
enum { NAME(number) = __COUNTER__ };
/* Some sets only serve others, and need only some of their functions. */
#define MARKER __attribute__((unused)) static

/* With labels, a marker may keep the distance of its thread-local variables in a register. */
#define PLACE (RS_LABELS ? rs_self_place(IS_NEAR) : 0)

#if defined(N_EVENTS)

/* ---- markers that measure calls ---- */

/* The functions with the argument stack are for adapters, those with the argument thread for calls
 * that another set passes on. */
MARKER RS_ONE_BODY regionstat_ticket_ NAME(begin_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	return begin(thread, site, stack, N_EVENTS, N_GROUPS, SAMPLES, CLOCK, place);
}

MARKER regionstat_ticket_ NAME(begin)(struct regionstat_site_ *site)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	return begin(thread, site, RS_STACK, N_EVENTS, N_GROUPS, SAMPLES, CLOCK, place);
}

MARKER RS_ONE_BODY regionstat_ticket_ NAME(begin_entered)(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	return begin_entered(thread, site, stack, N_EVENTS, N_GROUPS, SAMPLES, CLOCK, 0, true);
}

static RS_ONE_BODY void NAME(end_nested)(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	end_counted(thread, frame, by_name, frame->region, thread->room.deltas, true, N_EVENTS,
		N_GROUPS, SAMPLES, TRACED);
}

MARKER void NAME(end)(regionstat_ticket_ ticket)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_ticket(thread, ticket, RS_STACK, NAME(end_nested), N_EVENTS, N_GROUPS, SAMPLES, TRACED,
		CLOCK, place);
}

MARKER RS_ONE_BODY void NAME(end_site_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_site(thread, site, stack, NAME(end_nested), N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK,
		place);
}

MARKER void NAME(end_site)(struct regionstat_site_ *site)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_site(thread, site, RS_STACK, NAME(end_nested), N_EVENTS, N_GROUPS, SAMPLES, TRACED,
		CLOCK, place);
}

MARKER RS_ONE_BODY void NAME(end_entered)(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	end(thread, frame, by_name, NAME(end_nested), N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK);
}

MARKER void NAME(next)(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	next(thread, ended, begun, RS_STACK, N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK, place);
}

MARKER __attribute__((noinline)) void NAME(next_entered)(struct rs_thread *thread,
	struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	intptr_t place)
{
	next_entered(
		thread, ended, begun, stack, N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK, place);
}

MARKER void NAME(start)(struct regionstat_call *call, struct regionstat_site_ *site)
{
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	rs_call_start(thread, call, site, RS_STACK, N_EVENTS, N_GROUPS, SAMPLES, CLOCK);
}

MARKER void NAME(stop)(const struct regionstat_call *call)
{
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	rs_call_stop(thread, call, RS_STACK, N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK);
}

#elif defined(MEASURED)

/* ---- markers that skip calls, and pass the others on ---- */

static RS_ONE_BODY regionstat_ticket_ NAME(begin_within)(
	struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	return begin_within(thread, site, stack, NAME_OF_MEASURED(begin_entered), place);
}

RS_INLINE regionstat_ticket_ NAME(begin_in)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		return NAME(begin_within)(site, stack);
	return begin_or_skip(thread, site, stack, NAME_OF_MEASURED(begin_entered), place);
}

static RS_ONE_BODY regionstat_ticket_ NAME(begin_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	return NAME(begin_in)(site, stack);
}

static regionstat_ticket_ NAME(begin)(struct regionstat_site_ *site)
{
	return NAME(begin_in)(site, RS_STACK);
}

static void NAME(end)(regionstat_ticket_ ticket)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	if (ticket & RS_LEAF)
		end_leaf_ticket(thread, ticket, RS_STACK, NAME_OF_MEASURED(end_entered), place);
	else
		NAME_OF_MEASURED(end)(ticket);
}

static RS_ONE_BODY void NAME(end_site_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_or_skip(thread, site, stack, NAME_OF_MEASURED(end_entered), place, false);
}

/* END for a NEXT, which shows the label of the region that it begins. */
static RS_ONE_BODY void NAME(end_of_next)(struct regionstat_site_ *site, uintptr_t stack)
{
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_or_skip(thread, site, stack, NAME_OF_MEASURED(end_entered), 0, true);
}

static void NAME(end_site)(struct regionstat_site_ *site)
{
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_or_skip(thread, site, RS_STACK, NAME_OF_MEASURED(end_entered), place, false);
}

static void NAME(next)(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	uintptr_t stack = RS_STACK;
	intptr_t place = PLACE;
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	if (next_or_skip(thread, ended, begun, stack, NAME_OF_MEASURED(next_entered), place))
		return;
	NAME(end_of_next)(ended, stack);
	NAME(begin_at)(begun, stack);
}

#endif

/* Labelled markers have no START and STOP: a program gets those of the same set without labels. */
MARKER const struct rs_adapter_table NAME(table) = {
	.markers = {
		.abi_ = REGIONSTAT_ABI,
		.bytes_ = sizeof(struct rs_adapter_table),
		.begin_ = NAME(begin),
		.end_ = NAME(end),
		.next_ = NAME(next),
		.end_site_ = NAME(end_site),
		.start_ = RS_LABELS ? NULL : NAME_OF_ASYNC(start),
		.stop_ = RS_LABELS ? NULL : NAME_OF_ASYNC(stop),
		.begin_name_ = rs_begin_name,
		.end_name_ = rs_end_name,
		.next_name_ = rs_next_name,
		.start_name_ = rs_start_name,
		.pause_ = pause_program,
		.resume_ = resume_program,
		.work_ = rs_work_site,
		.work_name_ = rs_work_name,
		.adapter_[RS_ADAPTER_BEGIN_AT] = (void (*)(void))NAME(begin_at),
		.adapter_[RS_ADAPTER_END_SITE_AT] = (void (*)(void))NAME(end_site_at),
	}};

#undef SET
#undef N_EVENTS
#undef N_GROUPS
#undef SAMPLES
#undef TRACED
#undef CLOCK
#undef MEASURED
#undef NAME_OF_MEASURED
#undef NAME_OF_ASYNC
#undef IS_NEAR
#undef MARKER
#undef PLACE
