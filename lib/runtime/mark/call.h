/* SPDX-License-Identifier: MIT */
/*
 * START and STOP on the fast path, as path.h has BEGIN and END. It is for a STOP on the thread of
 * its START, when nothing else happened to the call. The program keeps the call in a struct
 * regionstat_call: what proves that it is one, when it began, and the ticket of its frame. The
 * frame has what others write or ask for. A context switch books off-CPU time there, a changed
 * page the groups' times, a WORK its numbers. Each STOP asks there whether it is the first. call.c
 * has all that is not ordinary.
 */
#ifndef RS_RUNTIME_MARK_CALL_H
#define RS_RUNTIME_MARK_CALL_H

#include "runtime/count/snapshot.h"
#include "runtime/calls/record.h"
#include "runtime/calls/sample.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"
#include "runtime/calls/switches.h"

/* The words of a struct regionstat_call. */
enum rs_call_word {
	RS_CALL_MARK, /* of the region; above it a checksum of all words; 0: nothing to stop */
	RS_CALL_CONTROL,
	RS_CALL_TICKS, /* of the clock */
	RS_CALL_TICKET, /* of its frame, 0 when it has none */
	RS_CALL_WEIGHT, /* calls that it represents, 0: skipped */
	RS_CALL_PROCESS, /* id of its entry: by its index a later one may go */
	RS_CALL_NONE, /* this one and the next are 0 */
	RS_CALL_N = 8
};
static_assert(sizeof(struct regionstat_call) == RS_CALL_N * sizeof(uint64_t), "ABI");

/* The highest half of the first word has to be this: the words have been in the program's memory,
 * and one is an address. The factors are odd and dense, so any bit that changes changes that
 * half. */
RS_INLINE uint64_t rs_call_factor(int i)
{
	return UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)i + 1);
}
RS_INLINE uint64_t rs_call_sum(const uint64_t *word)
{
	uint64_t sum = (uint32_t)word[RS_CALL_MARK] * rs_call_factor(RS_CALL_MARK);
#pragma GCC unroll 8
	for (int i = RS_CALL_MARK + 1; i < RS_CALL_N; i++)
		sum += word[i] * rs_call_factor(i);
	return sum;
}

RS_INLINE bool rs_call_is_sealed(const uint64_t *word)
{
	return word[RS_CALL_MARK] >> 32 == rs_call_sum(word) >> 32;
}

/* ---- START ---- */

/* A call that begins has its frame, which lacks its snapshot, and its words, which lack the clock and the
 * seal. weight: 0, or that of the region. Returns the sum of the words. */
RS_INLINE uint64_t rs_call_open(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, uint64_t control, uint64_t weight, uint64_t *word)
{
	if (entry) {
		entry->region = region;
		entry->outer = NULL;
		entry->control = control;
		entry->apart = RS_APART_ASYNC;
		entry->weight = (uint32_t)weight;
		entry->ticket += RS_TICKET_STEP;
		if (RS_UNLIKELY(atomic_load_explicit(&entry->unstopped, memory_order_relaxed)))
			atomic_store_explicit(
				&thread->asyncs.has_forgotten, 1, memory_order_relaxed);
		/* pairs with the exchange of the STOP, which may be on another thread */
		atomic_store_explicit(&entry->unstopped, entry->ticket, memory_order_release);
	}
	rs_count(&region->cell->pending, 1);
	const uint64_t words[RS_CALL_N] = {
		[RS_CALL_MARK] = rs_region_mark(rs_region_of(thread, region)),
		[RS_CALL_CONTROL] = control,
		[RS_CALL_TICKET] = entry ? entry->ticket : 0,
		[RS_CALL_WEIGHT] = weight,
		[RS_CALL_PROCESS] = thread->runtime->process_id,
	};
#pragma GCC unroll 8
	for (int i = 0; i < RS_CALL_N; i++)
		word[i] = words[i];
	return rs_call_sum(words);
}

/* The call begins: the last of its words. */
RS_INLINE void rs_call_seal(uint64_t *word, uint64_t sum, uint64_t ticks)
{
	word[RS_CALL_TICKS] = ticks;
	sum += ticks * rs_call_factor(RS_CALL_TICKS);
	word[RS_CALL_MARK] |= sum & ~(uint64_t)UINT32_MAX;
}

/* The weight of a call that begins: 0, it is skipped. */
RS_INLINE uint64_t rs_call_draw(
	struct rs_thread *thread, struct rs_thread_region *region, bool samples)
{
	if (!samples)
		return 1;
	if (rs_sample_leaves_out(region)) {
		region->turn--;
		return 0;
	}
	uint64_t weight = region->every;
	rs_sample_next(thread, region);
	return weight;
}

/* Charge a START or a STOP to the call around. */
RS_INLINE void rs_call_charge(struct rs_thread *thread, uint32_t n_events)
{
	struct rs_entry *around = thread->innermost;
	uint64_t *charged = rs_entry_vector(around, RS_VECTOR_CHARGED, n_events);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		charged[m] += thread->cost->async_half[m];
	around->direct |= 1;
}

/* Whether to know what the thread was charged takes a walk along calls that are open. */
RS_INLINE bool rs_call_walks(const struct rs_thread *thread, uint32_t n_events)
{
	return n_events && thread->innermost != thread->ground;
}

RS_INLINE void rs_call_start(struct rs_thread *self, struct regionstat_call *call,
	struct regionstat_site_ *site, uintptr_t stack, uint32_t n_events, uint32_t n_groups,
	bool samples, uint32_t clock)
{
	uint64_t *word = (uint64_t *)call->word_;
	if (RS_UNLIKELY(rs_site_is_left_out(site)))
		return;
	struct rs_thread *thread = rs_enter(self, stack);
	if (RS_UNLIKELY(!thread)) {
		rs_start_slow(call, site, stack, NULL);
		return;
	}
	struct rs_thread_region *region = rs_site_region(thread, site);
	uint64_t control = rs_control(thread);
	if (RS_UNLIKELY(!rs_region_is_ready(region)) ||
		RS_UNLIKELY(thread->asyncs.free == thread->asyncs.ring) ||
		RS_UNLIKELY(control & RS_CONTROL_PAUSED) || RS_UNLIKELY(rs_switches_any(thread)) ||
		RS_UNLIKELY(rs_call_walks(thread, n_events)) ||
		RS_UNLIKELY(n_events && thread->counters.n_reads)) {
		rs_start_slow(call, site, stack, thread);
		return;
	}
	struct rs_entry *entry = rs_call_take_entry(thread);
	uint64_t sum = rs_call_open(
		thread, entry, region, control, rs_call_draw(thread, region, samples), word);
	rs_call_charge(thread, n_events);
	uint64_t *charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, n_events);
#pragma GCC unroll 4
	for (uint32_t m = 1; m <= n_events; m++)
		charged[m] = rs_entry_charged(thread, thread->ground, m, samples);
	if (RS_UNLIKELY(!rs_record_begin(thread, entry, n_events, n_groups))) {
		rs_start_again(thread, entry, call, sum);
		return;
	}
	uint64_t ticks = rs_ticks(clock);
	entry->values[0] = ticks;
	rs_call_seal(word, sum, ticks);
	rs_leave(thread);
}

/* ---- STOP ---- */

/* The frame of a call that was started on this thread, if the ring still has it and it holds only
 * the call itself; else NULL. word: sealed or not. */
RS_INLINE struct rs_entry *rs_call_entry(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_entry *entry = rs_entry_of(word[RS_CALL_TICKET]);
	if (RS_UNLIKELY(!rs_call_is_sealed(word)) ||
		RS_UNLIKELY(word[RS_CALL_PROCESS] != thread->runtime->process_id) ||
		RS_UNLIKELY(!entry) || RS_UNLIKELY(entry->thread != thread) ||
		RS_UNLIKELY(entry->ticket != word[RS_CALL_TICKET]) ||
		RS_UNLIKELY(entry->apart != RS_APART_ASYNC))
		return NULL;
	return entry;
}

/* A call is one call, however often it is stopped: whether this is the first STOP. */
RS_INLINE bool rs_call_claim(struct rs_entry *entry, uint64_t ticket)
{
	return atomic_compare_exchange_strong_explicit(
		&entry->unstopped, &ticket, 0, memory_order_acquire, memory_order_acquire);
}

/* The overhead in a call's time or event, beyond that in all values of its cell. In time, the
 * overhead of the thread's other markers meanwhile remains. */
RS_INLINE uint64_t rs_call_overhead(const struct rs_thread *thread, struct rs_entry *entry,
	uint32_t m, uint32_t n_events, bool samples)
{
	uint64_t own = thread->cost->async[m] - thread->cost->inside[m];
	uint64_t at_start = rs_entry_vector(entry, RS_VECTOR_CHARGED, n_events)[m];
	return m ? own + rs_entry_charged(thread, thread->ground, m, samples) - at_start : own;
}

RS_INLINE void rs_call_stop(struct rs_thread *self, const struct regionstat_call *call,
	uintptr_t stack, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	uint64_t fixed[1 + RS_FIXED_EVENTS], room[1 + RS_FIXED_EVENTS];
	const uint64_t *word = (const uint64_t *)call->word_;
	uint32_t off;
	if (!word[RS_CALL_MARK])
		return;
	struct rs_thread *thread = rs_enter(self, stack);
	if (RS_UNLIKELY(!thread)) {
		rs_stop_slow(call, stack, NULL);
		return;
	}
	if (RS_UNLIKELY(rs_call_walks(thread, n_events)) ||
		RS_UNLIKELY(n_events && thread->counters.n_reads)) {
		rs_stop_slow(call, stack, thread);
		return;
	}
	uint64_t *now = RS_ROOM(n_events, room, thread->snapshot.values);
	uint64_t *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	uint64_t ticks = rs_ticks_after(clock), locks;
	if (RS_UNLIKELY(!rs_snapshot_events(
		    thread, now, thread->snapshot.times, &off, &locks, n_events)) ||
		RS_UNLIKELY(n_groups && locks != thread->sequence)) {
		rs_stop_other(thread, call, ticks, false, RS_REACHED_CHANGE);
		return;
	}
	struct rs_entry *entry = rs_call_entry(thread, word);
	bool is_ordinary = entry && !(rs_record_differs(thread, entry, off, locks, n_groups) |
					    (entry->control ^ rs_control(thread)) |
					    rs_switches_any(thread) | entry->region->is_uncalled);
	bool is_claimed = is_ordinary && rs_call_claim(entry, entry->ticket);
	bool is_done = false;
	struct rs_cell *cell = is_claimed ? entry->region->cell : NULL;
	if (RS_LIKELY(is_claimed)) {
		/* by the clock: what other markers cost meanwhile is in it */
		now[0] = entry->values[0] + ticks - word[RS_CALL_TICKS];
#pragma GCC unroll 5
		for (uint32_t m = 0; m <= n_events; m++)
			deltas[m] = now[m] - entry->values[m] -
				    rs_call_overhead(thread, entry, m, n_events, samples);
		if (samples && !entry->weight) {
			rs_count(&cell->skipped, 1);
			is_done = true;
		} else {
			is_done = rs_record(thread, entry->region, entry, cell, deltas, false,
				false, 0, deltas, n_events, samples);
		}
	}
	if (RS_UNLIKELY(!is_done)) {
		for (uint32_t m = 1; now == room && m <= n_events; m++)
			thread->snapshot.values[m] = room[m];
		thread->snapshot.off = off;
		rs_stop_other(thread, call, ticks, is_claimed, RS_REACHED_ALL);
		return;
	}
	rs_count(&cell->pending, UINT64_MAX);
	rs_call_free_entry(thread, entry);
	rs_call_charge(thread, n_events);
	/* each call of a cell is taken to cost a pair */
	rs_count(&cell->own_ticks, 2 * thread->cost->async_half[0] - thread->cost->pair[0]);
	rs_leave(thread);
}

#endif
