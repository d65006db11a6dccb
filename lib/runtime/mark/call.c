/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous calls: from START to STOP, outside the nesting, in any order and on any thread. What
 * a call needs is in the program's own hands: when it began, on the clock. What the events were
 * then, and whether it has been stopped, is kept in an entry of the thread that started it; one that
 * is never stopped keeps that until entries are scarce.
 */
#include <string.h>

#include "runtime/count/snapshot.h"
#include "runtime/mark/off_cpu.h"
#include "runtime/mark/slow.h"
#include "runtime/mark/record.h"
#include "runtime/mark/sample.h"
#include "runtime/mark/work.h"
#include "runtime/process/self.h"

/* The words of a struct regionstat_call. */
enum {
	WORD_MARK, /* of the region; above it a checksum of all words; 0: nothing to stop */
	WORD_CONTROL,
	WORD_TICKS, /* of the clock */
	WORD_THREAD, /* address of its struct rs_thread */
	WORD_LIFE, /* attached_ticks of its slot: of that thread, and not another there */
	WORD_TICKET, /* of its entry, 0 when it has none */
	WORD_WEIGHT, /* calls that it stands for, 0: left out */
	WORD_PROCESS, /* id of its entry: by its index a later one may go */
};

/* What the highest half of the first word is to be: the words have been in the program's hands, and
 * places are among them. */
static uint64_t seal_of(const uint64_t *word)
{
	uint64_t sum = (uint32_t)word[WORD_MARK];
	for (int i = WORD_MARK + 1; i <= WORD_PROCESS; i++)
		sum = (sum ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return sum & ~(uint64_t)UINT32_MAX;
}

static bool is_sealed(const uint64_t *word)
{
	return (word[WORD_MARK] & ~(uint64_t)UINT32_MAX) == seal_of(word);
}

static uint64_t life_of(const struct rs_thread *thread)
{
	return atomic_load_explicit(&thread->slot->attached_ticks, memory_order_relaxed);
}

static void add_pending(struct rs_cell *cell, uint64_t n)
{
	atomic_store_explicit(&cell->pending,
		atomic_load_explicit(&cell->pending, memory_order_relaxed) + n,
		memory_order_relaxed);
}

/* Entries of calls that other threads have stopped are free, once they are worth the search. */
static void sweep(struct rs_thread *thread)
{
	struct rs_entry *next, *ring = thread->async;
	if (atomic_load_explicit(&thread->n_stopped_elsewhere, memory_order_relaxed) <
		thread->n_entries / 16)
		return;
	atomic_store_explicit(&thread->n_stopped_elsewhere, 0, memory_order_relaxed);
	for (struct rs_entry *entry = ring->next; entry != ring; entry = next) {
		next = entry->next;
		if (!atomic_load_explicit(&entry->unstopped, memory_order_relaxed))
			rs_entry_drop_async(thread, entry);
	}
}

/* Take an entry out of the free ones, into the ring of those that lie outside the nesting; of which
 * the oldest goes when there are too many. NULL: none is to be had. */
static struct rs_entry *take_entry(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_entry *ring = thread->async;
	if (!thread->top->next)
		sweep(thread);
	if (!thread->top->next && thread->n_entries >= RS_MAX_ENTRIES && ring->next != ring)
		rs_entry_drop_async(thread, ring->next);
	if (!thread->top->next && !rs_entry_make_room(thread, stack))
		return NULL;
	struct rs_entry *entry = thread->top;
	entry->below->next = entry->next;
	entry->next->below = entry->below;
	thread->top = entry->next;
	entry->next = ring;
	entry->below = ring->below;
	ring->below->next = entry;
	ring->below = entry;
	entry->ticket += RS_TICKET_STEP;
	if (atomic_load_explicit(&entry->unstopped, memory_order_relaxed))
		atomic_store_explicit(&thread->has_forgotten, 1, memory_order_relaxed);
	/* pairs with the exchange in is_first_stop(), which may be on another thread */
	atomic_store_explicit(&entry->unstopped, entry->ticket, memory_order_release);
	return entry;
}

/* An entry for a call, of which the events are still to be filled in; NULL: none is to be had. */
static struct rs_entry *keep(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	struct rs_entry *entry = take_entry(thread, stack);
	if (!entry)
		return NULL;
	entry->region = region;
	entry->stack = stack;
	entry->outer = NULL;
	entry->apart = RS_APART_ASYNC;
	rs_entry_work_clear(thread, entry);
	return entry;
}

/* False: counting is paused, and it is no call. */
static bool start(struct rs_thread *thread, uint64_t *word, struct rs_thread_region *region)
{
	uint64_t control = rs_control(thread);
	if (control & RS_CONTROL_PAUSED)
		return false;
	bool is_left_out = rs_sample_leaves_out(region);
	word[WORD_WEIGHT] = is_left_out ? 0 : region->every;
	if (is_left_out)
		region->turn--;
	else if (thread->runtime->samples)
		rs_sample_next(thread, region);
	add_pending(region->cell, 1);
	word[WORD_MARK] = rs_region_mark(rs_region_of(thread, region));
	word[WORD_CONTROL] = control;
	word[WORD_THREAD] = (uintptr_t)thread;
	word[WORD_LIFE] = life_of(thread);
	word[WORD_PROCESS] = thread->runtime->process_id;
	return true;
}

/* The call begins where its START ends. */
static void start_here(struct regionstat_call *call, struct regionstat_site_ *site,
	const char *name, uintptr_t stack)
{
	bool is_left_out = site ? rs_site_find_left_out(site) : rs_name_is_left_out(name);
	struct rs_thread *thread = is_left_out ? NULL : rs_enter_slowly(stack);
	if (!thread)
		return;
	uint64_t *word = (uint64_t *)call->word_;
	struct rs_entry *entry = NULL;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site, name);
	if (region && start(thread, word, region))
		entry = keep(thread, region, stack);
	word[WORD_TICKET] = entry ? entry->ticket : 0;
	rs_slow_end(thread, region ? region->cell : NULL, thread->cost->async_half, entry);
	word[WORD_TICKS] = rs_slow_ended(thread);
	if (entry && entry->apart & RS_APART_SWITCHED) { /* before its call */
		entry->apart &= ~(uint32_t)RS_APART_SWITCHED;
		rs_off_cpu_clear(thread, entry);
	}
	if (word[WORD_MARK])
		word[WORD_MARK] |= seal_of(word);
	rs_leave(thread);
}

void rs_start(struct regionstat_call *call, struct regionstat_site_ *site)
{
	start_here(call, site, NULL, RS_STACK);
}

void rs_start_name(struct regionstat_call *call, const char *name)
{
	start_here(call, NULL, name, RS_STACK);
}

/* Whether nobody has stopped the call before, on any thread, as far as is known: so a call is one
 * call, however often it is stopped. told: filled with its work, as far as that is known. */
static bool is_first_stop(
	struct rs_thread *thread, const uint64_t *word, struct rs_entry_work *told)
{
	struct rs_entry *entry = rs_entry_of(word[WORD_TICKET]);
	uint64_t expected = word[WORD_TICKET];
	*told = (struct rs_entry_work){0};
	if (!expected)
		return true;
	/* looked at first: from then on the entry may be another call's */
	const struct rs_entry_work *work = rs_entry_work(thread, entry);
	struct rs_entry_work seen = {__atomic_load_n(&work->bytes, __ATOMIC_RELAXED),
		__atomic_load_n(&work->flops, __ATOMIC_RELAXED)};
	if (!atomic_compare_exchange_strong_explicit(
		    &entry->unstopped, &expected, 0, memory_order_acquire, memory_order_acquire))
		return atomic_load_explicit(&entry->thread->has_forgotten, memory_order_relaxed);
	*told = seen;
	if (entry->thread != thread)
		atomic_fetch_add_explicit(
			&entry->thread->n_stopped_elsewhere, 1, memory_order_relaxed);
	return true;
}

/* The entry of the call, if this is its thread and it is still there. */
static struct rs_entry *find_entry(const uint64_t *word, bool is_here)
{
	struct rs_entry *entry = rs_entry_of(word[WORD_TICKET]);
	return word[WORD_TICKET] && is_here && entry->ticket == word[WORD_TICKET] &&
			       (entry->apart & ~(uint32_t)(RS_APART_SWITCHED | RS_APART_WORK)) ==
				       RS_APART_ASYNC
		       ? entry
		       : NULL;
}

/* An entry for a call whose events are not known, in the first free one: no longer than this. */
static struct rs_entry *borrow_entry(struct rs_thread *thread)
{
	struct rs_entry *entry = thread->top;
	entry->apart = RS_APART_ASYNC;
	entry->sequence = RS_SEQUENCE_NONE;
	entry->off = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		entry->off |= RS_GROUP_LACKS(g) | RS_GROUP_OFF(g);
	return entry;
}

static void stop(struct rs_thread *thread, const uint64_t *word, struct rs_thread_region *region,
	const struct rs_entry_work *told)
{
	struct rs_cell *cell = region->cell;
	uint64_t *deltas = thread->room.deltas;
	bool is_here = word[WORD_THREAD] == (uintptr_t)thread && word[WORD_LIFE] == life_of(thread);
	struct rs_entry *events = find_entry(word, is_here);
	struct rs_entry *entry = events ? events : borrow_entry(thread);
	add_pending(cell, UINT64_MAX);
	entry->region = region;
	entry->weight = (uint32_t)word[WORD_WEIGHT];
	if (!events && (told->bytes | told->flops))
		rs_entry_work_add(thread, entry, told->bytes, told->flops);
	if (word[WORD_CONTROL] != rs_control(thread)) {
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	} else if (!word[WORD_WEIGHT]) {
		struct rs_thread_region *apart = rs_work_region(thread, entry);
		cell = apart->cell;
		rs_work_record(thread, apart, entry);
		if (entry->apart & RS_APART_SWITCHED)
			rs_off_cpu_skip(thread, entry, apart);
		else if (!events)
			rs_cell_set_unwatched(cell);
		atomic_store_explicit(&cell->skipped,
			atomic_load_explicit(&cell->skipped, memory_order_relaxed) + 1,
			memory_order_relaxed);
	} else {
		/* by the clock: what other markers have cost since then, which may have been on
		 * other threads, is in it */
		entry->values[0] = word[WORD_TICKS];
		if (!events) /* nobody knows how it went meanwhile */
			rs_cell_set_unwatched(cell);
		rs_record_deltas(thread, entry, deltas);
		rs_record_other(thread, entry, deltas);
	}
	if (events)
		rs_entry_drop_async(thread, events);
	else
		entry->apart = 0;
}

void rs_stop(const struct regionstat_call *call)
{
	uint64_t word[8];
	struct rs_thread *thread = call->word_[WORD_MARK] ? rs_enter_slowly(RS_STACK) : NULL;
	if (!thread)
		return;
	memcpy(word, call->word_, sizeof(word));
	if (!is_sealed(word)) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_NO_CALL);
		rs_leave(thread);
		return;
	}
	if (word[WORD_PROCESS] != thread->runtime->process_id) {
		rs_leave(thread); /* the call is the parent's: see fork() */
		return;
	}
	struct regionstat_site_ site = {NULL, (uint32_t)word[WORD_MARK]};
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, &site, NULL);
	struct rs_entry_work told;
	if (region && is_first_stop(thread, word, &told)) {
		rs_cell_count_thread(region);
		stop(thread, word, region, &told);
	} else if (region)
		rs_cell_count(region->cell, RS_CELL_DIAG_UNMATCHED);
	rs_slow_leave(thread, region ? region->cell : NULL, thread->cost->async_half, NULL, 0);
}
