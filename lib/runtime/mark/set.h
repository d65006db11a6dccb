/* SPDX-License-Identifier: MIT */
/*
 * A set of markers: the functions of path.h, compiled for one way to count.
 * marker.c includes this file once for each set. It first defines:
 *
 * SET: the name of the set. NAME(begin) is begin_SET.
 * N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK: as in path.h. Where these are constants, the compiler
 *	removes loops and branches.
 * IS_NEAR: how a marker finds its thread, see rs_self_find().
 *
 * If N_EVENTS is missing, marker.c itself defines the functions, and this file only the table. The
 * other macros have defaults. This file undefines all of them.
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
enum { NAME(number) = __COUNTER__ };
/* Some sets only serve others, and need only some of their functions. */
#define MARKER __attribute__((unused)) static

#if defined(N_EVENTS)

/* ---- markers that measure calls ---- */

static RS_ONE_BODY regionstat_ticket_ NAME(begin_checked)(struct rs_thread *thread,
	struct rs_frame *frame, struct rs_thread_region *region, uintptr_t stack)
{
	return begin_checked(thread, frame, region, stack, N_EVENTS, N_GROUPS, SAMPLES, CLOCK);
}

/* The functions with the argument `stack` are for adapters. The functions with the argument
 * `thread` are for calls that another set passes on. */
MARKER RS_ONE_BODY regionstat_ticket_ NAME(begin_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(IS_NEAR);
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	return begin(thread, site, stack, NAME(begin_checked), N_EVENTS, N_GROUPS, SAMPLES, CLOCK,
		place);
}

MARKER regionstat_ticket_ NAME(begin)(struct regionstat_site_ *site)
{
	intptr_t place = PLACE(IS_NEAR);
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	return begin(thread, site, RS_STACK, NAME(begin_checked), N_EVENTS, N_GROUPS, SAMPLES,
		CLOCK, place);
}

MARKER RS_ONE_BODY regionstat_ticket_ NAME(begin_entered)(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	return begin_entered(thread, site, stack, NAME(begin_checked), N_EVENTS, N_GROUPS, SAMPLES,
		CLOCK, 0, true);
}

static RS_ONE_BODY void NAME(end_nested)(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	end_counted(thread, frame, by_name, frame->region, thread->scratch.deltas, true, N_EVENTS,
		N_GROUPS, SAMPLES, TRACED);
}

MARKER RS_ONE_BODY void NAME(end_entered)(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	end(thread, frame, by_name, NAME(end_nested), N_EVENTS, N_GROUPS, SAMPLES, TRACED, CLOCK);
}

MARKER void NAME(end)(regionstat_ticket_ ticket)
{
	intptr_t place = PLACE(IS_NEAR);
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_ticket(thread, ticket, RS_STACK, NAME(end_entered), NAME(end_nested), N_EVENTS,
		N_GROUPS, SAMPLES, TRACED, CLOCK, place);
}

MARKER RS_ONE_BODY void NAME(end_site_at)(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(IS_NEAR);
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_site(thread, site, stack, NAME(end_entered), NAME(end_nested), N_EVENTS, N_GROUPS,
		SAMPLES, TRACED, CLOCK, place);
}

MARKER void NAME(end_site)(struct regionstat_site_ *site)
{
	intptr_t place = PLACE(IS_NEAR);
	struct rs_thread *thread = rs_self_find(IS_NEAR);
	end_site(thread, site, RS_STACK, NAME(end_entered), NAME(end_nested), N_EVENTS, N_GROUPS,
		SAMPLES, TRACED, CLOCK, place);
}

MARKER void NAME(next)(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	intptr_t place = PLACE(IS_NEAR);
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

#endif

/* Labelled markers lack START and STOP: a program gets these from the set without labels. */
MARKER const struct rs_adapter_table NAME(table) = {
	.markers = {
		.abi_ = REGIONSTAT_ABI,
		.bytes_ = sizeof(struct rs_adapter_table),
		.begin_ = NAME(begin),
		.end_ = NAME(end),
		.next_ = NAME(next),
		.end_site_ = NAME(end_site),
		.start_ = RS_LABELS ? NULL : NAME(start),
		.stop_ = RS_LABELS ? NULL : NAME(stop),
		.begin_name_ = rs_begin_name,
		.end_name_ = rs_end_name,
		.next_name_ = rs_next_name,
		.start_name_ = rs_start_name,
		.pause_ = pause_program,
		.resume_ = resume_program,
		.work_ = IS_NEAR ? rs_work_near : rs_work_site,
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
#undef IS_NEAR
#undef MARKER
