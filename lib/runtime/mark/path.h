/* SPDX-License-Identifier: MIT */
/*
 * BEGIN, END and NEXT, from the first instruction to the last. Every call of a region takes this
 * path. It makes no system call except read() of counters. Slow cases leave it by one of the
 * functions in slow.h, as a tail call, so that the path itself keeps nothing across a call.
 * marker.c compiles it apart for the usual numbers of events, with constants, so that it is
 * straight.
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

/* In the marker. */
RS_INLINE regionstat_ticket_ begin_entered(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	uint64_t entered = rs_measures_itself(thread, n_groups) ? rs_ticks(clock) : 0;
	struct rs_thread_region *region = rs_site_region(thread, site);
	struct rs_entry *around = thread->innermost, *entry = around->next;
	if (RS_UNLIKELY(region->within != around->region)) {
		if (RS_UNLIKELY(!rs_parents_turn(thread, region, around->region)))
			return rs_begin_slow(site, stack, thread);
	}
	/* also where there is no room */
	if (RS_UNLIKELY(rs_state_now(thread) != entry->plain))
		return rs_begin_slow(site, stack, thread);
	if (samples && rs_sample_leaves_out(region))
		return rs_sample_skip(thread, region, stack);
	rs_entry_open(thread, entry, region, stack);
	if (samples)
		rs_sample_begin(thread, entry, region);
	if (n_events && !RS_SURE(rs_record_begin(thread, entry, n_events, n_groups)))
		return rs_begin_again(thread);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_begin(thread, entry, entered);
	else
		entry->values[0] = rs_ticks(clock);
	regionstat_ticket_ ticket = entry->ticket;
	rs_leave(thread);
	return ticket;
}

/* within: a BEGIN that finds its thread busy may be in a skipped call. Markers for any number of events use
 * more of the stack, and go by the slow path. */
RS_INLINE regionstat_ticket_ begin(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, regionstat_ticket_ (*within)(struct regionstat_site_ *, uintptr_t),
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	if (RS_LIKELY(rs_enter_fast(thread, stack)))
		return begin_entered(thread, site, stack, n_events, n_groups, samples, clock);
	if (samples && __builtin_constant_p(n_events))
		return within(site, stack);
	return rs_begin_busy(site, stack);
}

RS_INLINE regionstat_ticket_ begin_within(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	if (!rs_leaf_enter_frame(thread, stack))
		return rs_begin_busy(site, stack);
	return begin_entered(thread, site, stack, n_events, n_groups, samples, clock);
}

/* ---- END ---- */

/* The counters at an END or NEXT, after its clock, which waited for the work before. */
RS_INLINE bool take_end(
	struct rs_thread *thread, uint64_t *now, uint32_t *off, uint64_t *locks, uint32_t n_events)
{
	if (!__builtin_constant_p(n_events))
		thread->snapshot.entered = now[0];
	bool is_taken = rs_snapshot_events(
		thread, now, thread->snapshot.times, off, locks, n_events);
	if (rs_measures_itself(thread, n_events))
		rs_correct_end(thread, now);
	return is_taken;
}

RS_INLINE bool is_time_only(uint32_t n_events)
{
	return __builtin_constant_p(n_events) && !n_events;
}

/* With time only, all that is special about the END of an entry: 0 if nothing is. */
RS_INLINE uint64_t time_differs(
	const struct rs_thread *thread, const struct rs_entry *entry, uint32_t n_events)
{
	return is_time_only(n_events) ? rs_state_now(thread) - entry->plain : 0;
}

/*
 * Whether an END may not read the counters, after a context switch or in a forked child. But groups by
 * read() are read at the usual place after a switch as well, so that two read() calls are as far apart as in
 * other markers.
 */
RS_INLINE bool may_not_read(
	const struct rs_thread *thread, uint64_t differs, uint32_t n_events, uint32_t n_groups)
{
	if (RS_LIKELY(is_time_only(n_events) ? !differs : !rs_switches_any(thread)))
		return false;
	return rs_switches_any(thread) &&
	       !(rs_measures_itself(thread, n_groups) &&
		       rs_load_64((const uint64_t *)(const void *)thread->is_here));
}

/* Whether something is special about a call. With events, may_not_read() finds only what it has to: a call
 * that is apart counts as many instructions of its END as others. */
RS_INLINE uint64_t end_differs(const struct rs_thread *thread, struct rs_entry *entry,
	uint64_t differs, uint32_t off, uint64_t locks, uint32_t n_events, uint32_t n_groups)
{
	if (is_time_only(n_events))
		return differs;
	differs = (entry->control ^ rs_control(thread)) | entry->apart;
	differs |= rs_record_differs(thread, entry, off, locks, n_groups);
	return __builtin_constant_p(n_events) ? differs : differs | rs_switches_any(thread);
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
	if (samples && had_nested) {
		below->skips += entry->skips;
		entry->skips = 0;
	}
}

/* The thread, where a register for it meanwhile would be one too many. */
RS_INLINE struct rs_thread *thread_again(
	struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events)
{
	if (!__builtin_constant_p(n_events) || !n_events)
		return thread;
	return *(struct rs_thread *volatile *)&entry->thread;
}

/* END of the innermost entry. used: what its snapshots differ by. */
RS_INLINE bool end_plain(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, const uint64_t *used, bool has_nested, uint32_t n_events,
	bool samples)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS];
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	struct rs_cell *cell = region->cell;
	if (RS_UNLIKELY(!rs_record(thread, region, entry, cell, used, false, has_nested, 0, deltas,
		    n_events, samples)))
		return false;
	thread = thread_again(thread, entry, n_events);
	rs_entry_close(thread, entry, region, cell);
	hand_over(thread, entry, region, deltas, false, has_nested, n_events, samples);
	return true;
}

/* END of a skipped call that has a frame, the innermost; false: it is not plain. */
RS_INLINE bool end_skipped(struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events)
{
	if (!rs_sample_is_plain(entry) || RS_UNLIKELY(entry->control != rs_control(thread)) ||
		RS_UNLIKELY(rs_switches_any(thread)))
		return false;
	struct rs_thread_region *region = entry->region;
	rs_sample_end(thread, entry, region->cell, n_events);
	rs_entry_close(thread, entry, region, region->cell);
	rs_leave(thread);
	return true;
}

/* END of one that has none, in its marker. */
RS_INLINE void end_leaf(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (RS_UNLIKELY(rs_switches_any(thread))) {
		rs_end_leaf_slow(thread, region, stack);
		return;
	}
	rs_leaf_end(thread, region);
	rs_leave(thread);
}

/* To the slow path with a snapshot; used: what it differs by from that of BEGIN. */
RS_INLINE void end_unrecorded(struct rs_thread *thread, struct rs_entry *entry, bool by_name,
	const uint64_t *used, uint32_t off, uint64_t locks, uint32_t n_events)
{
	/* of any number of events it lies there already, and `used` may be half changed */
	for (uint32_t m = 0; __builtin_constant_p(n_events) && m <= n_events; m++)
		thread->snapshot.values[m] = rs_load_again(&entry->values[m]) + used[m];
	thread->snapshot.off = off;
	thread->snapshot.locks = locks;
	rs_end_slow(thread, entry, by_name, thread->snapshot.values[0], RS_REACHED_ALL);
}

/* END of the innermost entry, whose groups were on the PMU all the time. */
RS_INLINE void end_counted(struct rs_thread *thread, struct rs_entry *entry, bool by_name,
	struct rs_thread_region *region, const uint64_t *used, bool has_nested, uint32_t n_events,
	uint32_t n_groups, bool samples)
{
	if (RS_UNLIKELY(!end_plain(thread, entry, region, used, has_nested, n_events, samples))) {
		uint64_t locks = n_groups ? rs_load_again(&entry->sequence) : 0;
		thread = thread_again(thread, entry, n_events);
		end_unrecorded(thread, entry, by_name, used, 0, locks, n_events);
		return;
	}
	if (rs_measures_itself(thread, n_groups))
		rs_charge_end(thread, region->cell, entry->below);
	rs_leave(thread_again(thread, entry, n_events));
}

/* nested: end_counted() of a call that held others, with `used` in thread->room.deltas. It is another
 * function where there are events: both in one need more registers than a function may use as it likes. */
RS_INLINE void end(struct rs_thread *thread, struct rs_entry *entry, bool by_name,
	void (*nested)(struct rs_thread *, struct rs_entry *, bool), uint32_t n_events,
	uint32_t n_groups, bool samples, uint32_t clock)
{
	uint64_t room[1 + RS_FIXED_EVENTS], *now = RS_ROOM(n_events, room, thread->snapshot.values);
	uint64_t fixed[1 + RS_FIXED_EVENTS], *used = RS_ROOM(n_events, fixed, thread->room.deltas);
	uint32_t off;
	uint64_t locks;
	struct rs_thread_region *region = entry->region;
	if (samples && entry->apart & RS_APART_LEFT_OUT && end_skipped(thread, entry, n_events))
		return;
	now[0] = rs_ticks_after(clock);
	uint64_t differs = time_differs(thread, entry, n_events);
	if (may_not_read(thread, differs, n_events, n_groups)) {
		rs_end_slow(thread, entry, by_name, now[0], RS_REACHED_CLOCK);
		return;
	}
	if (RS_UNLIKELY(!take_end(thread, now, &off, &locks, n_events))) {
		rs_end_slow(thread, entry, by_name, now[0], RS_REACHED_CHANGE);
		return;
	}
	rs_record_used(entry, now, used, n_events);
	if (RS_UNLIKELY(end_differs(thread, entry, differs, off, locks, n_events, n_groups))) {
		end_unrecorded(thread, entry, by_name, used, off, locks, n_events);
		return;
	}
	if (n_events) /* again: meanwhile it would be in a register that others need */
		region = entry->region;
	if (!rs_entry_has_nested(entry, samples)) {
		end_counted(
			thread, entry, by_name, region, used, false, n_events, n_groups, samples);
	} else if (__builtin_constant_p(n_events) && n_events) {
		for (uint32_t m = 0; used == fixed && m <= n_events; m++)
			thread->room.deltas[m] = used[m];
		nested(thread, entry, by_name);
	} else {
		end_counted(
			thread, entry, by_name, region, used, true, n_events, n_groups, samples);
	}
}

/* The scope of a skipped call. */
RS_INLINE void end_skipped_ticket(
	struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack, uint32_t n_events)
{
	struct rs_thread_region *region = (void *)(ticket - RS_LEAF);
	if (RS_LIKELY(rs_leaf_enter(thread, ticket, stack))) {
		end_leaf(thread, region, stack);
		return;
	}
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_skipped_slow(region, stack, NULL);
		return;
	}
	struct rs_entry *entry = thread->innermost;
	if (entry->region != region || !end_skipped(thread, entry, n_events))
		rs_end_skipped_slow(region, stack, thread);
}

RS_INLINE void end_ticket(struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack,
	void (*nested)(struct rs_thread *, struct rs_entry *, bool), uint32_t n_events,
	uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_entry *entry = rs_entry_of(ticket);
	if (samples && ticket & RS_LEAF)
		end_skipped_ticket(thread, ticket, stack, n_events);
	else if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		rs_end_ticket_slow(ticket, stack, NULL);
	else if (RS_UNLIKELY(entry != thread->innermost) || RS_UNLIKELY(entry->ticket != ticket))
		rs_end_ticket_slow(ticket, stack, thread);
	else
		end(thread, entry, false, nested, n_events, n_groups, samples, clock);
}

RS_INLINE void end_site(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack,
	void (*nested)(struct rs_thread *, struct rs_entry *, bool), uint32_t n_events,
	uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	if (samples && rs_leaf_enter(thread, rs_leaf_of(region), stack)) {
		end_leaf(thread, region, stack);
		return;
	}
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_site_slow(site, stack, NULL);
		return;
	}
	struct rs_entry *entry = thread->innermost;
	if (RS_UNLIKELY(entry->region != region))
		rs_end_site_slow(site, stack, thread);
	else
		end(thread, entry, true, nested, n_events, n_groups, samples, clock);
}

/* ---- NEXT ---- */

/* A call begins with the snapshot that another ended with, in whose frame: so the sequence there is that of
 * the snapshot. */
RS_INLINE struct rs_entry *begin_shared(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, uintptr_t stack, const uint64_t *now, uint32_t n_events,
	uint32_t n_groups, bool samples)
{
	rs_entry_open(thread, entry, region, stack);
	if (samples)
		rs_sample_begin(thread, entry, region);
	struct rs_group_time *times = rs_entry_times_of(entry, n_events);
	for (uint32_t g = 0; thread->counters.n_reads && g < n_groups; g++)
		times[g] = thread->snapshot.times[g];
		/* a NEXT has more of its instructions behind the snapshot than a BEGIN, or less */
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		entry->values[m] = now[m] + thread->cost->next[m] - thread->cost->inside_next[m];
	return entry;
}

/* False: a call that sampling skips ends, which has no use for a snapshot: two markers are to do this. */
RS_INLINE bool next(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS], room[1 + RS_FIXED_EVENTS], locks;
	if (samples && thread->busy == rs_leaf_of(rs_site_region(thread, ended)))
		return false;
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_next_slow(ended, begun, stack, NULL);
		return true;
	}
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	uint64_t *now = RS_ROOM(n_events, room, thread->snapshot.values);
	uint32_t off;
	struct rs_entry *entry = thread->innermost;
	struct rs_thread_region *region = rs_site_region(thread, ended),
				*following = rs_site_region(thread, begun);
	if (RS_UNLIKELY(entry->region != region) ||
		(RS_UNLIKELY(following->within != entry->below->region) &&
			!rs_parents_turn(thread, following, entry->below->region))) {
		rs_next_slow(ended, begun, stack, thread);
		return true;
	}
	if (samples && entry->apart & RS_APART_LEFT_OUT) {
		rs_leave(thread);
		return false;
	}
	now[0] = rs_ticks_after(clock);
	uint64_t differs = time_differs(thread, entry, n_events);
	if (may_not_read(thread, differs, n_events, n_groups)) {
		thread->snapshot.values[0] = now[0];
		if (rs_enter_slow(thread))
			rs_next_other(thread, entry, following, RS_REACHED_CLOCK);
		else
			rs_next_slow(ended, begun, stack, NULL);
		return true;
	}
	struct rs_cell *cell = region->cell;
	bool has_nested = rs_entry_has_nested(entry, samples);
	if (RS_UNLIKELY(!take_end(thread, now, &off, &locks, n_events))) {
		thread->snapshot.values[0] = now[0];
		rs_next_other(thread, entry, following, RS_REACHED_CHANGE);
		return true;
	}
	rs_record_used(entry, now, deltas, n_events);
	if (RS_UNLIKELY(end_differs(thread, entry, differs, off, locks, n_events, n_groups)) ||
		RS_UNLIKELY(!rs_record(thread, region, entry, cell, deltas, true, has_nested, 0,
			deltas, n_events, samples))) {
		for (uint32_t m = 0; now == room && m <= n_events; m++)
			thread->snapshot.values[m] = room[m];
		thread->snapshot.off = off;
		thread->snapshot.locks = locks;
		rs_next_other(thread, entry, following, RS_REACHED_ALL);
		return true;
	}
	rs_entry_close(thread, entry, region, cell);
	hand_over(thread, entry, region, deltas, true, has_nested, n_events, samples);
	bool is_left_out = samples && rs_sample_leaves_out(following);
	struct rs_entry *opened = NULL;
	if (!is_left_out)
		opened = begin_shared(
			thread, entry, following, stack, now, n_events, n_groups, samples);
	if (rs_measures_itself(thread, n_groups))
		rs_charge_next(thread, cell, entry->below, opened);
	if (is_left_out)
		rs_sample_skip(thread, following, stack);
	else
		rs_leave(thread);
	return true;
}

#endif
