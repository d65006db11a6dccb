/* SPDX-License-Identifier: MIT */
/*
 * Probes, see probe.h. A probe takes longer than a pair of markers, because it reads the clock.
 * Calibration measures how much longer it takes (calibrate.c). Each accumulator has the mean of its
 * probes.
 *
 * A probe during which the thread had a context switch does not count. A probe that an interrupt or
 * a hypervisor made longer counts as at most MOST_TIMES times the mean so far.
 */
#include "runtime/calls/probe.h"

#include "runtime/adapter_table.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"

/* The calibrated value counts as this many probes in a region's mean. */
#define FIRST_PROBES 4

/* The mean depends mostly on this many of the latest probes, because a program's behaviour
 * changes. */
#define MOST_PROBES 4096

#define MOST_TIMES 4

bool rs_probe_is_due(struct rs_thread *thread, const struct rs_thread_region *region)
{
	return region->n_until_measured == 1 && !region->parent && !region->is_uncalled &&
	       !thread->n_events && !thread->runtime->raw &&
	       !(rs_control(thread) & RS_CONTROL_PAUSED) && rs_frame_has_room(thread) &&
	       !rs_switches_any(thread);
}

/* Run a marker between two readings of the clock. It is the marker that the program calls, so the
 * processor's caches and branch predictors know it. The fence completes the slow path's stores
 * first. Probes are rare, so their code is not cached: one cache line holds the code up to the
 * second reading of a counter. Like the program, that reading does not wait for the marker's
 * work. */
#define ONE_LINE __attribute__((noinline, aligned(64)))

static ONE_LINE uint64_t time_begin(uint32_t clock,
	regionstat_ticket_ (*begin)(struct regionstat_site_ *), struct regionstat_site_ *site,
	regionstat_ticket_ *ticket)
{
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t entered = rs_ticks_after(clock);
	*ticket = begin(site);
	return rs_ticks(clock) - entered;
}

static ONE_LINE uint64_t time_end_ticket(
	uint32_t clock, void (*end)(regionstat_ticket_), regionstat_ticket_ ticket)
{
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t entered = rs_ticks_after(clock);
	end(ticket);
	return rs_ticks(clock) - entered;
}

static ONE_LINE uint64_t time_end_site(
	uint32_t clock, void (*end)(struct regionstat_site_ *), struct regionstat_site_ *site)
{
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t entered = rs_ticks_after(clock);
	end(site);
	return rs_ticks(clock) - entered;
}

regionstat_ticket_ rs_probe_begin(struct rs_thread *thread, struct rs_thread_region *region,
	struct regionstat_site_ *site, uintptr_t stack)
{
	rs_slow_begin(thread);
	rs_parents_note(thread, region);
	region->parent_label = region->parent->label;
	thread->probe.stack = stack;
	rs_leave(thread);
	regionstat_ticket_ ticket;
	uint64_t ticks = time_begin(thread->clock, thread->runtime->table->begin_, site, &ticket);
	thread->probe.stack = 0; /* do this even if the next line finds another thread state */
	thread = rs_enter(rs_self, stack);
	if (!thread) /* A handler has forked meanwhile. */
		return ticket;
	struct rs_frame *frame = thread->innermost;
	if (frame->ticket != ticket || frame->region != region)
		return rs_slow_leave(thread, rs_slow_own(region, false), rs_zeros, NULL, ticket);
	frame->stack = stack;
	if (frame->flags & ~(uint32_t)RS_FRAME_RECURSIVE) /* The BEGIN took the slow path. */
		return rs_slow_leave(thread, rs_slow_own(region, false), rs_zeros, frame, ticket);
	rs_frame_set_flag(frame, RS_FRAME_PROBE);
	thread->probe.ticket = rs_switches_any(thread) ? 0 : ticket;
	thread->probe.ends_by_name = rs_load_32(&site->is_paired_) == RS_SITE_BY_NAME;
	thread->probe.begin_ticks = ticks;
	return rs_slow_leave(thread, rs_slow_own(region, false), rs_zeros, frame, ticket);
}

/* Add a value to a mean of n values. *mean_q8 is 256 times the mean. */
static void add(uint32_t *mean_q8, uint32_t *n, int64_t ticks)
{
	int64_t value = ticks * 256, most = (int64_t)*mean_q8 * MOST_TIMES;
	value = value < 0 ? 0 : most && value > most ? most : value;
	if (*n < MOST_PROBES)
		++*n;
	*mean_q8 = (uint32_t)(*mean_q8 + (value - *mean_q8) / (int64_t)(FIRST_PROBES + *n));
}

static uint32_t rounded(uint32_t q8)
{
	return (q8 + 128) / 256;
}

/* A processor does some work of a call during the call's markers. If the call has less work than
 * that, its markers add more ticks to it. Return how many more: between 0 and `most`. All such
 * calls take as long as empty calls, so return the middle. */
static int64_t overlap_missed(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t sums[1 + RS_MAX_EVENTS], calls = rs_accumulator_sums(thread, region, sums);
	int64_t most = thread->runtime->overlap_ticks;
	/* Use self time: the work of nested calls does not overlap with these markers. */
	uint64_t nested = rs_accumulator_children(region->accumulator, 0)->sum / 2;
	int64_t self = (int64_t)(sums[0] - nested), n = (int64_t)calls;
	/* Do not use the median: the steps of many clocks are longer than such a call. */
	int64_t mean = n > 0 ? self / n - (int64_t)thread->cost->inside[0] : INT64_MAX;
	/* The means of such regions differ by about a sixth. */
	return mean <= most + most / 6 ? most / 2 : 0;
}

static void account(struct rs_thread *thread, struct rs_thread_region *region, uint64_t end_ticks)
{
	struct rs_region_more *more = rs_table_more(region->table);
	int64_t ticks = (int64_t)(thread->probe.begin_ticks + end_ticks);
	thread->probe.latest = (uint64_t)ticks;
	if (thread->probe.is_calibrating)
		return;
	ticks -= thread->runtime->probe_ticks;
	ticks += overlap_missed(thread, region);
	add(&thread->probe.pair_q8, &thread->probe.n, ticks);
	if (!more->n_probes)
		more->pair_q8 = thread->probe.pair_q8;
	add(&more->pair_q8, &more->n_probes, ticks);
	region->pair_ticks = (int32_t)rounded(more->pair_q8);
	atomic_store_explicit(
		&region->accumulator->pair_ticks, rounded(more->pair_q8), memory_order_relaxed);
}

/* Exclude the slow path of an END from its call. Move the begin of the call by the path's time, and
 * charge this time to the enclosing call. A probe has no events. */
static void exclude_slow_path(struct rs_thread *thread, struct rs_frame *frame)
{
	uint64_t *charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, 0);
	uint64_t before = *charged, direct = frame->direct;
	rs_slow_end(thread, rs_slow_own(frame->region, false), thread->cost->inside, NULL);
	uint64_t ticks = *charged - before;
	frame->values[0] += ticks;
	*charged = before;
	frame->direct = direct;
	rs_frame_charge(thread, frame->below, 0, ticks);
}

void rs_probe_end(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_thread_region *region = frame->region;
	regionstat_ticket_ ticket = frame->ticket;
	uintptr_t stack = rs_busy(thread);
	struct regionstat_site_ site = {
		"", rs_region_mark(rs_region_of(thread, region)), RS_SITE_BY_NAME};
	uint64_t begin = frame->values[0];
	exclude_slow_path(thread, frame);
	thread->tracer.moved = frame->values[0] - begin;
	bool is_fast = !(frame->flags & RS_FRAME_SWITCHED);
	const _Atomic uint64_t *slow = &region->accumulator->own_ticks;
	uint64_t ticks, slow_ticks = atomic_load_explicit(slow, memory_order_relaxed);
	thread->probe.stack = stack;
	rs_leave(thread);
	if (thread->probe.ends_by_name)
		ticks = time_end_site(thread->clock, thread->runtime->table->end_site_, &site);
	else
		ticks = time_end_ticket(thread->clock, thread->runtime->table->end_, ticket);
	thread->tracer.moved = thread->probe.stack = 0; /* as in rs_probe_begin() */
	thread = rs_enter(rs_self, stack);
	if (!thread)
		return;
	/* own_ticks has the time of a slow path, as for a new maximum, and what a recursive call
	 * costs more than other calls. */
	ticks -= atomic_load_explicit(slow, memory_order_relaxed) - slow_ticks;
	is_fast &= !rs_switches_any(thread);
	rs_slow_begin(thread);
	if (is_fast)
		account(thread, region, ticks);
	rs_slow_leave(thread, rs_slow_own(region, false), thread->cost->inside, NULL, 0);
}

int32_t rs_probe_first_ticks(const struct rs_thread *thread)
{
	return thread->n_events ? (int32_t)thread->cost->pair[0]
				: (int32_t)rounded(thread->probe.pair_q8);
}

void rs_probe_start(struct rs_thread *thread)
{
	int64_t pair = (int64_t)thread->cost->pair[0];
	thread->probe.pair_q8 = pair > 0 ? (uint32_t)pair * 256 : 0;
}
