/* SPDX-License-Identifier: MIT */
/*
 * BEGIN, END and NEXT, from the first instruction to the last: the path that every call of a region
 * takes, free of system calls but for the reading of counters by read(). What is slow leaves it by
 * one of the functions in slow.h, as a tail call: so the path itself keeps nothing across a call.
 * marker.c compiles it apart for the usual numbers of events, with constants, so that it is straight.
 *
 * The order matters: bookkeeping, counters, clock at BEGIN; clock, counters, bookkeeping at END. So
 * a region's time holds no reading of counters, and its counts hold no bookkeeping.
 */
#ifndef RS_RUNTIME_MARK_PATH_H
#define RS_RUNTIME_MARK_PATH_H

#include "runtime/calls/parents.h"
#include "runtime/calls/record.h"
#include "runtime/calls/sample.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"
#include "runtime/count/snapshot.h"

/* ---- BEGIN ---- */

RS_INLINE regionstat_ticket_ begin(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		return rs_begin_slow(site, stack, NULL);
	uint64_t entered = rs_measures_itself(thread, n_groups) ? rs_ticks(clock) : 0;
	struct rs_thread_region *region = rs_site_region(thread, site);
	struct rs_entry *entry = thread->top;
	if (RS_UNLIKELY(!rs_region_is_ready_in(region, entry->below->region, samples)) &&
		!rs_parents_turn(thread, region, entry->below->region))
		return rs_begin_slow(site, stack, thread);
	uint64_t word = rs_control(thread);
	if (RS_UNLIKELY(word & RS_CONTROL_PAUSED) || RS_UNLIKELY(!entry->next))
		return rs_begin_slow(site, stack, thread);
	bool is_left_out = samples && rs_sample_leaves_out(region);
	if (RS_UNLIKELY(rs_switches_any(thread)))
		return rs_begin_slow(site, stack, thread);
	rs_entry_open(thread, entry, region, word, stack);
	if (samples)
		rs_sample_begin(thread, entry, region, is_left_out);
	if (!is_left_out) {
		uint32_t off;
		if (n_groups) {
			entry->sequence = thread->sequence;
			entry->off = 0;
		}
		rs_snapshot_fence(thread, n_events);
		enum rs_snapshot snapshot = rs_snapshot_events(
			thread, entry->values, rs_entry_times_of(entry, n_events), &off, n_events);
		if (RS_UNLIKELY(snapshot != RS_SNAPSHOT_DONE))
			return rs_begin_again(thread);
		if (RS_UNLIKELY(off))
			rs_entry_set_off(thread, entry, off);
		if (rs_measures_itself(thread, n_groups))
			rs_charge_begin(thread, entry, entered);
		else
			entry->values[0] = rs_ticks(clock);
	}
	regionstat_ticket_ ticket = entry->ticket;
	rs_leave(thread);
	return ticket;
}

/* ---- END ---- */

/* The counters at an END or NEXT, after its clock, which waited for the work before. */
RS_INLINE enum rs_snapshot take_end(
	struct rs_thread *thread, uint64_t *now, uint32_t *off, uint32_t n_events)
{
	if (!__builtin_constant_p(n_events))
		thread->entered = now[0];
	enum rs_snapshot snapshot = rs_snapshot_events(
		thread, now, thread->now_times, off, n_events);
	if (rs_measures_itself(thread, n_events))
		rs_correct_end(thread, now);
	return snapshot;
}

/* After a context switch, and not in a forked child, groups by read() are read at the usual place: from one
 * read() to the next lies what from others lies. */
RS_INLINE bool may_read_on(const struct rs_thread *thread, uint32_t n_groups)
{
	return rs_measures_itself(thread, n_groups) &&
	       rs_load_64((const uint64_t *)(const void *)thread->is_here);
}

/* A call that has ended, and is free: what it used, raw, belongs to the one around it, and what its markers
 * cost is charged there. A call that held others takes more to record, and what it was charged for them
 * belongs to the one around. */
RS_INLINE void hand_over(struct rs_thread *thread, struct rs_entry *entry,
	const struct rs_thread_region *region, const uint64_t *deltas, bool is_next,
	bool had_nested, uint32_t n_events, bool samples)
{
	struct rs_entry *below = entry->below;
	uint64_t *children = rs_entry_vector(below, RS_VECTOR_CHILDREN, n_events);
	uint64_t *charged = rs_entry_vector(below, RS_VECTOR_CHARGED, n_events);
	uint64_t *own = rs_entry_vector(entry, RS_VECTOR_CHARGED, n_events);
	bool has_pairs = !__builtin_constant_p(n_events) || n_events;
	below->direct += 2 * (samples ? entry->weight : 1);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t more = is_next ? thread->cost->next[m] : 0;
		children[m] += samples ? deltas[m] * entry->weight : deltas[m];
		if (!m && !is_next)
			more = (uint64_t)(int64_t)region->pair_ticks;
		if (had_nested) {
			more += own[m] + thread->cost->outer[m];
			own[m] = 0;
		}
		if (had_nested || is_next || !m)
			charged[m] += more;
	}
	if (has_pairs)
		below->pairs += had_nested ? entry->pairs + !is_next : !is_next;
	if (has_pairs && had_nested)
		entry->pairs = 0;
}

/* END of the innermost entry, with the snapshot now. */
RS_INLINE bool end_plain(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, const uint64_t *now, bool has_nested, uint32_t n_events,
	bool samples)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS];
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	struct rs_cell *cell = region->cell;
	if (RS_UNLIKELY(!rs_record(thread, region, entry, cell, now, false, has_nested, deltas,
		    n_events, samples)))
		return false;
	rs_entry_close(thread, entry, region, cell);
	hand_over(thread, entry, region, deltas, false, has_nested, n_events, samples);
	return true;
}

RS_INLINE void end(struct rs_thread *thread, struct rs_entry *entry, bool by_name,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	uint64_t room[1 + RS_FIXED_EVENTS], *now = RS_SNAPSHOT_ROOM(thread, n_events, room);
	uint32_t off;
	struct rs_thread_region *region = entry->region;
	if (samples && rs_sample_is_plain(entry) &&
		RS_LIKELY(entry->control == rs_control(thread)) &&
		RS_LIKELY(!rs_switches_any(thread))) {
		rs_sample_end(thread, entry, region->cell, n_events);
		rs_entry_close(thread, entry, region, region->cell);
		rs_leave(thread);
		return;
	}
	now[0] = rs_ticks_after(clock);
	bool is_switched = rs_switches_any(thread);
	if (RS_UNLIKELY(is_switched) && !may_read_on(thread, n_groups)) {
		rs_end_switched(thread, entry, by_name, now[0]);
		return;
	}
	if (RS_UNLIKELY(take_end(thread, now, &off, n_events) != RS_SNAPSHOT_DONE)) {
		rs_end_again(thread, entry, by_name, now[0]);
		return;
	}
	if (RS_UNLIKELY(is_switched)) {
		thread->now_off = off;
		rs_end_slow(thread, entry, by_name);
		return;
	}
	bool is_plain = false;
	if (RS_LIKELY(!(entry->apart | rs_record_differs(thread, entry, off, n_groups)))) {
		if (entry->direct)
			is_plain = end_plain(thread, entry, region, now, true, n_events, samples);
		else
			is_plain = end_plain(thread, entry, region, now, false, n_events, samples);
	}
	if (RS_UNLIKELY(!is_plain)) {
		for (uint32_t m = 0; now == room && m <= n_events; m++)
			thread->now[m] = room[m];
		thread->now_off = off;
		rs_end_other(thread, entry, by_name);
		return;
	}
	if (rs_measures_itself(thread, n_groups))
		rs_charge_end(thread, region->cell, entry->below);
	rs_leave(thread);
}

RS_INLINE void end_ticket(struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_entry *entry = rs_entry_of(ticket);
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		rs_end_ticket_slow(ticket, stack, NULL);
	else if (RS_UNLIKELY(entry->next != thread->top) || RS_UNLIKELY(entry->ticket != ticket))
		rs_end_ticket_slow(ticket, stack, thread);
	else
		end(thread, entry, false, n_events, n_groups, samples, clock);
}

RS_INLINE void end_site(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_site_slow(site, stack, NULL);
		return;
	}
	struct rs_entry *entry = thread->top->below;
	if (RS_UNLIKELY(entry->region != rs_site_region(thread, site)))
		rs_end_site_slow(site, stack, thread);
	else
		end(thread, entry, true, n_events, n_groups, samples, clock);
}

/* ---- NEXT ---- */

/* A call that begins with the snapshot in thread->now; NULL when it is not measured. */
RS_INLINE struct rs_entry *begin_shared(struct rs_thread *thread, struct rs_thread_region *region,
	uint64_t control, uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples)
{
	struct rs_entry *entry = thread->top;
	bool is_left_out = samples && rs_sample_leaves_out(region);
	rs_entry_open(thread, entry, region, control, stack);
	if (samples)
		rs_sample_begin(thread, entry, region, is_left_out);
	if (is_left_out)
		return NULL;
	if (n_groups) {
		entry->sequence = thread->sequence;
		entry->off = 0;
	}
	struct rs_group_time *times = rs_entry_times_of(entry, n_events);
	for (uint32_t g = 0; thread->n_reads && g < n_groups; g++)
		times[g] = thread->now_times[g];
		/* a NEXT has more of its instructions behind the snapshot than a BEGIN, or less */
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		entry->values[m] = thread->now[m] + thread->cost->next[m] -
				   thread->cost->inside_next[m];
	return entry;
}

/* False: a call that sampling skips ends, which has no use for a snapshot: two markers are to do this. */
RS_INLINE bool next(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS];
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_next_slow(ended, begun, stack, NULL);
		return true;
	}
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	struct rs_entry *entry = thread->top->below;
	struct rs_thread_region *region = rs_site_region(thread, ended),
				*following = rs_site_region(thread, begun);
	uint64_t control = rs_control(thread);
	if (RS_UNLIKELY(entry->region != region) ||
		RS_UNLIKELY(entry->apart & RS_APART_RECURSIVE && entry->stack != stack) ||
		RS_UNLIKELY(control & RS_CONTROL_PAUSED) ||
		(RS_UNLIKELY(!rs_region_is_ready_in(following, entry->below->region, samples)) &&
			!rs_parents_turn(thread, following, entry->below->region))) {
		rs_next_slow(ended, begun, stack, thread);
		return true;
	}
	if (samples && entry->apart & RS_APART_LEFT_OUT) {
		rs_leave(thread);
		return false;
	}
	thread->now[0] = rs_ticks_after(clock);
	bool is_switched = rs_switches_any(thread);
	if (RS_UNLIKELY(is_switched) && !may_read_on(thread, n_groups)) {
		if (rs_enter_slow(thread))
			rs_next_switched(thread, entry, following);
		else
			rs_next_slow(ended, begun, stack, NULL);
		return true;
	}
	if (RS_UNLIKELY(take_end(thread, thread->now, &thread->now_off, n_events) !=
			RS_SNAPSHOT_DONE)) {
		rs_next_again(thread, entry, following);
		return true;
	}
	struct rs_cell *cell = region->cell;
	bool has_nested = entry->direct;
	if (RS_UNLIKELY(is_switched) ||
		RS_UNLIKELY(entry->apart |
			    rs_record_differs(thread, entry, thread->now_off, n_groups)) ||
		RS_UNLIKELY(!rs_record(thread, region, entry, cell, thread->now, true, has_nested,
			deltas, n_events, samples))) {
		rs_next_other(thread, entry, following);
		return true;
	}
	rs_entry_close(thread, entry, region, cell);
	hand_over(thread, entry, region, deltas, true, has_nested, n_events, samples);
	struct rs_entry *opened = begin_shared(
		thread, following, control, stack, n_events, n_groups, samples);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_next(thread, cell, entry->below, opened);
	rs_leave(thread);
	return true;
}

#endif
