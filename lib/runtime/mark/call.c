/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous calls: from START to STOP, outside the nesting, in any order and on any thread.
 * call.h has their fast path, and the parts of a call; the slow paths are here. A call without a
 * frame has only its time; so has one that another thread stops. One that is never stopped keeps
 * its frame until frames are scarce.
 */
#include "runtime/mark/call.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"

/* Entries of calls that other threads have stopped are free, once they are worth the search. */
static void sweep(struct rs_thread *thread)
{
	struct rs_entry *next, *ring = thread->asyncs.ring;
	if (atomic_load_explicit(&thread->asyncs.n_stopped_elsewhere, memory_order_relaxed) <
		thread->n_entries / 16)
		return;
	atomic_store_explicit(&thread->asyncs.n_stopped_elsewhere, 0, memory_order_relaxed);
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = ring->next; entry != ring && n--; entry = next) {
		next = entry->next;
		if (!atomic_load_explicit(&entry->unstopped, memory_order_relaxed))
			rs_entry_drop_async(thread, entry);
	}
}

/* Whether there is a free entry for a call. The oldest of the ring goes when there are too many. */
static bool has_entry(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_entry *ring = thread->asyncs.ring;
	if (thread->asyncs.free == ring)
		sweep(thread);
	if (thread->asyncs.free == ring && !rs_entry_has_room(thread) &&
		thread->n_entries >= RS_MAX_ENTRIES && ring->next != ring)
		rs_entry_drop_async(thread, ring->next);
	if (thread->asyncs.free != ring)
		return true;
	if (!rs_entry_has_room(thread) && !rs_entry_make_room(thread, stack))
		return false;
	rs_entry_give_async(thread);
	return true;
}

/* ---- START ---- */

/* The call begins where its START ends, with a snapshot that is still to come. entry: or NULL.
 * word: NULL where there is no call; their sum. */
static void begin_call(struct rs_thread *thread, struct rs_cell *cell, struct rs_entry *entry,
	uint64_t *word, uint64_t sum)
{
	rs_slow_end(thread, cell, thread->cost->inside, entry);
	if (entry && entry->apart & RS_APART_SWITCHED) { /* before its call */
		entry->apart &= ~(uint32_t)RS_APART_SWITCHED;
		rs_off_cpu_clear(thread, entry);
	}
	if (word)
		rs_call_seal(word, sum, rs_slow_ended(thread));
	rs_leave(thread);
}

void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread)
{
	uint64_t *word = (uint64_t *)call->word_;
	struct rs_entry *entry = NULL;
	struct rs_thread *self = rs_self; /* as in rs_begin_busy() */
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->start_(call, site);
		return;
	}
	if (!(thread = rs_enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	uint64_t control = rs_control(thread), sum = 0;
	bool is_call = region && !(control & RS_CONTROL_PAUSED);
	if (is_call) {
		if (has_entry(thread, stack))
			entry = rs_call_take_entry(thread);
		sum = rs_call_open(thread, entry, region, control,
			rs_call_draw(thread, region, thread->runtime->samples), word);
		if (entry)
			rs_entry_work_clear(thread, entry);
	}
	begin_call(thread, region ? region->cell : NULL, entry, is_call ? word : NULL, sum);
}

void rs_start_again(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_call *call,
	uint64_t sum)
{
	rs_slow_begin_again(thread);
	begin_call(thread, entry->region->cell, entry, (uint64_t *)call->word_, sum);
}

/* ---- STOP ---- */

/* Whether no STOP came before for the call, on any thread, as far as is known. told: filled with
 * its work, as far as that is known. */
static bool is_first_stop(
	struct rs_thread *thread, const uint64_t *word, struct rs_entry_work *told)
{
	struct rs_entry *entry = rs_entry_of(word[RS_CALL_TICKET]);
	*told = (struct rs_entry_work){0};
	if (!entry)
		return true;
	/* looked at first: from then on the entry may be another call's */
	const struct rs_entry_work *work = rs_entry_work(thread, entry);
	struct rs_entry_work seen = {__atomic_load_n(&work->bytes, __ATOMIC_RELAXED),
		__atomic_load_n(&work->flops, __ATOMIC_RELAXED)};
	if (!rs_call_claim(entry, word[RS_CALL_TICKET]))
		return atomic_load_explicit(
			&entry->thread->asyncs.has_forgotten, memory_order_relaxed);
	*told = seen;
	if (entry->thread != thread)
		atomic_fetch_add_explicit(
			&entry->thread->asyncs.n_stopped_elsewhere, 1, memory_order_relaxed);
	return true;
}

/* The entry of the call, if this is its thread and it is still there. */
static struct rs_entry *find_entry(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_entry *entry = rs_entry_of(word[RS_CALL_TICKET]);
	bool is_its = entry && entry->thread == thread && entry->ticket == word[RS_CALL_TICKET];
	return is_its && entry->apart & RS_APART_ASYNC ? entry : NULL;
}

/* An entry for a call whose events are not known, in the first free one: no longer than this. */
static struct rs_entry *borrow_entry(struct rs_thread *thread)
{
	struct rs_entry *entry = thread->innermost->next;
	entry->apart = RS_APART_ASYNC;
	entry->sequence = RS_SEQUENCE_NONE;
	entry->off = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		entry->off |= RS_GROUP_LACKS(g) | RS_GROUP_OFF(g);
	return entry;
}

/* With the snapshot in thread->snapshot.values. */
static void stop_call(struct rs_thread *thread, const uint64_t *word,
	struct rs_thread_region *region, const struct rs_entry_work *told)
{
	struct rs_cell *cell = region->cell;
	uint64_t *deltas = thread->room.deltas;
	struct rs_entry *events = find_entry(thread, word);
	struct rs_entry *entry = events ? events : borrow_entry(thread);
	rs_cell_count_thread(region);
	rs_count(&cell->pending, UINT64_MAX);
	entry->region = region;
	entry->weight = (uint32_t)word[RS_CALL_WEIGHT];
	if (!events && (told->bytes | told->flops))
		rs_entry_work_add(thread, entry, told->bytes, told->flops);
	if (word[RS_CALL_CONTROL] != rs_control(thread)) {
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	} else if (!word[RS_CALL_WEIGHT]) {
		struct rs_thread_region *apart = rs_work_region(thread, entry);
		cell = apart->cell;
		rs_work_record(thread, apart, entry);
		if (entry->apart & RS_APART_SWITCHED)
			rs_off_cpu_skip(thread, entry, apart);
		else if (!events)
			rs_cell_set_unwatched(cell);
		rs_count(&cell->skipped, 1);
	} else {
		/* by the clock: what other markers have cost since then, which may have been on
		 * other threads, is in it */
		entry->values[0] = word[RS_CALL_TICKS];
		if (!events) /* its time between is unknown */
			rs_cell_set_unwatched(cell);
		rs_record_deltas(thread, entry, deltas);
		rs_record_other(thread, entry, deltas);
	}
	if (events)
		rs_entry_drop_async(thread, events);
	else
		rs_entry_renew(thread, entry);
	entry->off = 0;
}

/* With the snapshot in thread->snapshot.values. is_claimed: this is known to be the first STOP. A
 * STOP without a START is ignored and counted. */
static void stop_slow(struct rs_thread *thread, const struct regionstat_call *call, bool is_claimed)
{
	struct rs_cell *cell = NULL;
	uint64_t *word = thread->room.call;
	memcpy(word, call->word_, sizeof(thread->room.call));
	if (!rs_call_is_sealed(word)) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_NO_CALL);
	} else if (word[RS_CALL_PROCESS] == thread->runtime->process_id) {
		/* else the call is the parent's: see fork() */
		struct regionstat_site_ site = {NULL, (uint32_t)word[RS_CALL_MARK]};
		struct rs_thread_region *region = rs_ready_site(thread, &site);
		struct rs_entry_work told = {0};
		cell = region ? region->cell : NULL;
		if (region && (is_claimed || is_first_stop(thread, word, &told)))
			stop_call(thread, word, region, &told);
		else if (region)
			rs_cell_count(cell, RS_CELL_DIAG_UNMATCHED);
	}
	rs_slow_leave(thread, cell, thread->cost->inside, NULL, 0);
}

void rs_stop_slow(const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_thread *self = rs_self;
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->stop_(call);
		return;
	}
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	stop_slow(thread, call, false);
}

void rs_stop_other(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed, enum rs_reached reached)
{
	rs_take_rest(thread, ticks, reached);
	stop_slow(thread, call, is_claimed);
}
