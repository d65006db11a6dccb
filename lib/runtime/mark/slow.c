/* SPDX-License-Identifier: MIT */
/*
 * The slow cases of BEGIN, END and NEXT: see slow.h. The code that they share with START and STOP
 * (call.c) comes first.
 */
#include "runtime/mark/slow.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/probe.h"
#include "runtime/calls/work.h"
#include "runtime/mark/marker.h"
#include "runtime/mark/path.h"
#include "runtime/thread/thread.h"

struct rs_thread *rs_enter_slowly(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = rs_enter(rs_self, stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

struct rs_thread *rs_enter_at(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	thread = thread ? rs_enter_slow(thread) : rs_enter(rs_self, stack);
	return thread || rs_site_find_left_out(site) ? thread : rs_enter_slowly(stack);
}

static uint32_t find_region(struct rs_thread *thread, struct regionstat_site_ *site)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t hash = (uintptr_t)site->name_ * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *known = &thread->known.names[hash >> 61], index = *known;
	uint32_t ends = rs_load_32(&site->is_paired_);
	static_assert(RS_KNOWN_NAMES == 1u << (64 - 61), "names are numbered by the highest bits");
	if (ends != RS_SITE_BY_NAME || !index || !rs_region_is_named(runtime, index, site->name_))
		index = rs_region_index(runtime, site->name_);
	if (ends == RS_SITE_BY_NAME) {
		rs_region_end_by_name(runtime, index);
		*known = index < RS_MAX_REGIONS ? index : 0;
	} else if (ends == RS_SITE_BY_API) {
		rs_region_end_by_api(runtime, index);
	}
	__atomic_store_n(&site->region_, rs_region_mark(index), __ATOMIC_RELAXED);
	return index;
}

struct rs_thread_region *rs_ready_site(struct rs_thread *thread, struct regionstat_site_ *site)
{
	if (!rs_load_32(&site->region_))
		return rs_ready_region(thread, find_region(thread, site));
	return rs_ready_region(thread, rs_region_of(thread, rs_site_region(thread, site)));
}

/* ---- BEGIN ---- */

static const uint64_t none[1 + RS_MAX_EVENTS];

/* There is no room: counted, and its END ends no other call. */
static regionstat_ticket_ count_beyond(struct rs_thread *thread)
{
	thread->depth.overflow++;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
	return rs_ticket_beyond(thread);
}

/* Open an entry of a region; paused, one that is no call, and whose END is ignored. *begun: the entry,
 * where it is to have a snapshot. Returns its ticket. */
static regionstat_ticket_ open_entry(struct rs_thread *thread, struct rs_thread_region *region,
	uint64_t control, uintptr_t stack, struct rs_entry **begun)
{
	bool samples = thread->runtime->samples;
	if (!rs_entry_has_room(thread) && !rs_entry_make_room(thread, stack))
		return count_beyond(thread);
	if (control & RS_CONTROL_PAUSED) {
		struct rs_entry *entry = rs_entry_open_apart(
			thread, region, RS_APART_IGNORED, stack);
		rs_cell_add_open(region->cell, UINT32_MAX);
		return entry->ticket;
	}
	if (region->is_uncalled || region->within != thread->innermost->region)
		rs_parents_note(thread, region);
	if (rs_switches_any(thread)) /* before its call */
		rs_slow_look(thread);
	if (samples && rs_sample_leaves_out(region))
		return rs_sample_skip_framed(thread, region, stack);
	struct rs_entry *entry = rs_entry_open_apart(thread, region, 0, stack);
	entry->control = control; /* a pause since then cuts the call */
	if (samples)
		rs_sample_begin(thread, entry, region);
	*begun = entry;
	return entry->ticket;
}

regionstat_ticket_ rs_begin_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_entry *begun = NULL;
	if (!(thread = rs_enter_at(thread, site, stack)))
		return 0;
	if (rs_probe_is_due(thread, rs_site_region(thread, site)))
		return rs_probe_begin(thread, rs_site_region(thread, site), site, stack);
	uint64_t control = rs_control(thread);
	bool is_charged = !(control & RS_CONTROL_PAUSED);
	if (is_charged)
		rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	regionstat_ticket_ ticket = region ? open_entry(thread, region, control, stack, &begun) : 0;
	/* of a call that is measured END charges the rest */
	if (is_charged)
		return rs_slow_leave(thread, region ? region->cell : NULL,
			begun ? none : thread->cost->inside, begun, ticket);
	rs_leave(thread);
	return ticket;
}

regionstat_ticket_ rs_begin_busy(struct regionstat_site_ *site, uintptr_t stack)
{
	struct rs_thread *thread =
		rs_self; /* after a fork in a handler it is another, without a runtime */
	if (rs_leaf_make_frame(thread, stack))
		return rs_markers_of(thread->runtime)->begin_at(site, stack);
	return rs_begin_slow(site, stack, NULL);
}

/* Whether the marker failed only because the thread reads nothing in user space. It is in markers
 * of a number of events, and its only group is read by read(). */
static bool is_only_read(const struct rs_thread *thread)
{
	return thread->counters.n_reads && !thread->n_users;
}

/* On such a thread: undo this BEGIN, and begin in markers for any thread. */
static regionstat_ticket_ begin_by_read(struct rs_thread *thread, struct rs_entry *entry)
{
	struct regionstat_site_ site = {NULL, rs_region_mark(rs_region_of(thread, entry->region))};
	uintptr_t stack = entry->stack;
	rs_cell_add_open(entry->region->cell, UINT32_MAX);
	if (thread->runtime->samples)
		rs_sample_undo(entry->region);
	rs_entry_free(thread, entry);
	rs_leave(thread);
	return rs_markers_any(thread->runtime)->begin_at(&site, stack);
}

regionstat_ticket_ rs_begin_again(struct rs_thread *thread)
{
	struct rs_entry *entry = thread->innermost;
	if (is_only_read(thread))
		return begin_by_read(thread, entry);
	/* what the thread lost of the CPU meanwhile was before its call */
	thread->innermost = entry->below;
	rs_slow_begin_again(thread);
	thread->innermost = entry;
	return rs_slow_leave(thread, entry->region->cell, none, entry, entry->ticket);
}

/* ---- END ---- */

static void count_recursive(const struct rs_entry *entry)
{
	if (entry->apart & RS_APART_INNER)
		rs_cell_add(entry->region->cell, RS_CELL_DIAG_RECURSIVE, entry->n_inner);
}

/* Pass on what its region counted within a skipped call. */
static void pass_inner(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_rare *rare = rs_cell_row_now(entry->region->cell, thread->shape);
	struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	const uint64_t *inner = rs_entry_vector(entry, RS_VECTOR_INNER, thread->n_events);
	for (uint32_t m = 0; entry->apart & RS_APART_INNER && m <= thread->n_events; m++)
		extremes[m].inner += inner[m];
}

/* END of the innermost entry, with the snapshot in thread->snapshot.values, where the look-up of its name was all that
 * kept it off the fast path. False: something else does, and nothing has been done. */
static bool end_ordinary(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_thread_region *region = entry->region;
	uint64_t *deltas = thread->room.deltas;
	uint32_t n_events = thread->n_events;
	bool samples = thread->runtime->samples;
	bool is_next = thread->snapshot.inside == thread->cost->inside_next;
	uint64_t weight = samples ? entry->weight : 1;
	if (entry != thread->innermost || entry->control != rs_control(thread) ||
		entry->apart | rs_record_differs(thread, entry, thread->snapshot.off,
				       thread->sequence, thread->n_groups))
		return false;
	rs_record_used(entry, thread->snapshot.values, deltas, n_events);
	if (!rs_record(thread, region, entry, region->cell, deltas, is_next,
		    rs_entry_has_nested(entry, samples), 0, deltas, n_events, samples))
		return false;
	uint64_t *around = rs_entry_children(thread, entry->below);
	rs_entry_close(thread, entry, region, region->cell);
	entry->below->direct += 2 * weight;
	rs_entry_hand_over(thread, entry);
	for (uint32_t m = 0; m <= n_events; m++)
		around[m] += weight * deltas[m];
	return true;
}

/* END of an entry, whatever it is, with the snapshot in thread->snapshot.values; and it is free. */
static void end_entry(struct rs_thread *thread, struct rs_entry *entry)
{
	entry->apart &= ~(uint32_t)RS_APART_PROBE;
	if (end_ordinary(thread, entry))
		return;
	struct rs_cell *cell = entry->region->cell;
	uint64_t *deltas = thread->room.deltas;
	bool is_ignored = entry->apart & RS_APART_IGNORED;
	bool is_cut = !is_ignored && rs_control(thread) != entry->control;
	bool is_measured = rs_entry_is_measured(entry) && !is_cut;
	if (is_measured)
		rs_record_deltas(thread, entry, deltas);
	rs_entry_tell(thread, entry, is_measured ? deltas : NULL, !is_ignored && !is_cut);
	if (is_measured) {
		rs_record_other(thread, entry, deltas);
	} else if (is_cut) {
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	} else if (!is_ignored) {
		struct rs_thread_region *region = rs_work_region(thread, entry);
		rs_work_record(thread, region, entry);
		rs_count(&region->cell->skipped, 1);
		pass_inner(thread, entry);
		rs_sample_pass_children(thread, entry, cell, thread->n_events);
		if (entry->apart & RS_APART_SWITCHED)
			rs_off_cpu_skip(thread, entry, region);
	}
	if (!is_ignored) {
		count_recursive(entry);
		rs_cell_add_open(cell, UINT32_MAX);
	}
	rs_entry_forget_children(thread, entry);
	rs_entry_free(thread, entry);
}

/* The parts of both markers of a call outside of their snapshots. entry: that ends, or NULL. */
static const uint64_t *outside_of(
	const struct rs_thread *thread, const struct rs_entry *entry, const uint64_t *measured)
{
	const struct rs_cost *cost = thread->cost;
	if (!entry || entry->apart & RS_APART_IGNORED)
		return cost->inside;
	return entry->apart & RS_APART_LEFT_OUT ? cost->skip_slow : measured;
}

/* With the snapshot in thread->snapshot.values. entry: NULL where there is none; region: as well. */
static void end_found(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	if (entry)
		end_entry(thread, entry);
	else if (region && thread->depth.overflow)
		thread->depth.overflow--;
	else if (region)
		rs_cell_count(region->cell, RS_CELL_DIAG_UNMATCHED);
}

/* END, or NEXT, with the snapshot in thread->snapshot.values. following: what a NEXT begins, or NULL. */
static void end_slow(struct rs_thread *thread, struct rs_thread_region *region,
	struct rs_entry *entry, bool is_next, struct rs_thread_region *following)
{
	const struct rs_cost *cost = thread->cost;
	struct rs_cell *cell = region ? region->cell : NULL;
	struct rs_entry *begun = NULL;
	const uint64_t *outside = outside_of(
		thread, entry, is_next ? cost->inside_next : cost->pair_slow);
	uint32_t waiting = entry ? rs_groups_waiting(thread, entry) : 0;
	thread->snapshot.inside = is_next ? cost->inside_next : cost->inside;
	end_found(thread, region, entry);
	thread->snapshot.off |= waiting;
	if (following)
		open_entry(thread, following, rs_control(thread), thread->busy, &begun);
	if (begun && thread->runtime->raw) { /* one snapshot, so that there is no gap */
		rs_slow_end(thread, cell, outside, begun);
		memcpy(begun->values, thread->snapshot.values,
			(1 + thread->n_events) * sizeof(uint64_t));
		rs_leave(thread);
	} else if (!begun && rs_control(thread) & RS_CONTROL_PAUSED) {
		thread->snapshot.lost_ticks =
			0; /* nothing is measured until later: so nothing is charged */
		rs_leave(thread);
	} else {
		rs_slow_leave(thread, cell, outside, begun, 0);
	}
}

/* By a ticket the innermost entry is the one; by name, of recursion, that of the END's stack frame. */
static struct rs_entry *ended_by(
	const struct rs_thread *thread, struct rs_entry *entry, bool by_name)
{
	bool is_sure = !by_name || entry->stack == thread->busy ||
		       !(entry->apart & RS_APART_RECURSIVE);
	struct rs_entry *found = is_sure ? entry : rs_entry_find(entry->region, thread->busy);
	/* none, where two tasks of the kernel are one thread, and the other has just ended it */
	return found ? found : entry;
}

static void end_probe(struct rs_thread *thread, struct rs_entry *entry)
{
	bool is_its = entry->ticket == thread->probe.ticket;
	rs_entry_clear_apart(thread, entry);
	rs_slow_look(thread);
	if (is_its)
		rs_probe_end(thread, entry);
	else
		end_slow(thread, entry->region, entry, false, NULL);
}

/* END of the innermost entry that only recursion or work keeps off the fast path, where its END by
 * name finds it. n_events: of the thread; a constant 0 where it has none. */
RS_INLINE bool end_later(struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events)
{
	uint64_t fixed[1], *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	bool samples = thread->runtime->samples, has_nested = rs_entry_has_nested(entry, samples);
	bool has_work = entry->apart & RS_APART_WORK;
	const uint64_t *cost = has_work ? thread->cost->work : thread->cost->recursive;
	struct rs_thread_region *own = entry->region, *region = rs_work_region(thread, entry);
	uint64_t weight = samples ? entry->weight : 1, row = rs_record_inner(thread, entry);
	rs_work_record(thread, region, entry);
	rs_record_used(entry, thread->snapshot.values, deltas, n_events);
	if (!rs_record(thread, region, entry, region->cell, deltas, false, has_nested, row, deltas,
		    n_events, samples)) {
		/* it may be no call after all, where another thread pauses counting just now */
		if (has_work)
			rs_work_repair(thread, region);
		return false;
	}
	count_recursive(entry);
	rs_entry_tell_outer(entry, deltas, thread->cost->inside, weight, n_events);
	own->innermost = entry->outer;
	thread->innermost = entry->below;
	rs_cell_add_open(own->cell, UINT32_MAX);
	entry->outer = NULL;
	rs_entry_renew(thread, entry);
	hand_over(thread, entry, own, deltas, false, has_nested, n_events, samples);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_entry_charge(thread, entry->below, m, cost[m]);
	rs_leave(thread);
	return true;
}

/* An END that is not slow, and that the fast path leaves here: it is recorded in the same way,
 * only later. False: something else is special, and nothing has been done that counts. A function
 * of its own, so that the code below does not need its stack as well. */
static __attribute__((noinline)) bool end_other(
	struct rs_thread *thread, struct rs_entry *entry, bool by_name)
{
	bool is_nested = !(entry->apart & ~(uint32_t)RS_APART_NESTED);
	if (!(is_nested || entry->apart == RS_APART_WORK) || thread->counters.n_reads ||
		ended_by(thread, entry, by_name) != entry || entry->control != rs_control(thread) ||
		rs_record_differs(
			thread, entry, thread->snapshot.off, thread->sequence, thread->n_groups))
		return false;
	return thread->n_events ? end_later(thread, entry, thread->n_events)
				: end_later(thread, entry, 0);
}

/* Counters of pages that have changed since the latest look are invalid. */
static enum rs_reached less_if_stale(const struct rs_thread *thread, enum rs_reached reached)
{
	bool is_stale = reached == RS_REACHED_ALL && thread->n_users &&
			thread->snapshot.locks != thread->sequence;
	return is_stale ? RS_REACHED_CHANGE : reached;
}

/*
 * The rest of the snapshot, with the clock as it was read. A switch from here on was not in this
 * call; the next marker sees it. After a context switch most often all groups turn out to have
 * been on the PMU while the thread ran: then the regions around are counted, too.
 */
void rs_take_rest(struct rs_thread *thread, uint64_t time, enum rs_reached reached)
{
	if (reached == RS_REACHED_CLOCK || (reached == RS_REACHED_CHANGE && is_only_read(thread)))
		rs_slow_begin(thread);
	else if (reached == RS_REACHED_CHANGE)
		rs_slow_begin_again(thread);
	thread->snapshot.values[0] = time;
	if (reached != RS_REACHED_ALL) /* it has looked with its snapshot */
		rs_slow_note_off(thread);
	else
		rs_slow_look(thread);
}

void rs_end_slow(struct rs_thread *thread, struct rs_entry *entry, bool by_name, uint64_t time,
	enum rs_reached reached)
{
	reached = less_if_stale(thread, reached);
	if (reached == RS_REACHED_ALL && entry->apart == RS_APART_PROBE) {
		end_probe(thread, entry);
		return;
	}
	if (reached == RS_REACHED_ALL && end_other(thread, entry, by_name))
		return;
	entry = ended_by(thread, entry, by_name);
	regionstat_ticket_ ticket = entry->ticket;
	uintptr_t stack = thread->busy;
	if (reached == RS_REACHED_CHANGE && is_only_read(thread)) {
		rs_leave(thread);
		rs_markers_any(thread->runtime)->markers.end_(ticket);
	} else if (reached == RS_REACHED_CLOCK && !rs_enter_slow(thread)) {
		rs_end_ticket_slow(ticket, stack, NULL);
	} else {
		rs_take_rest(thread, time, reached);
		end_slow(thread, entry->region, entry, false, NULL);
	}
}

/* Whether a ticket is of an entry that is open, of this thread. */
static bool is_open(
	const struct rs_thread *thread, const struct rs_entry *entry, regionstat_ticket_ ticket)
{
	return entry->ticket == ticket && entry->region && rs_entry_is_chained(thread, entry);
}

/* A scope that ends on another thread than it began on: counted, and no call. */
static void count_moved(struct rs_thread *thread, struct rs_entry *entry, regionstat_ticket_ ticket)
{
	/* this thread's own, from before it began anew: counted as open there */
	if (entry->thread->life.is_given_up)
		return;
	/* that thread may be using the entry for another call just now, or may have ended */
	const struct rs_thread_region *there = __atomic_load_n(&entry->region, __ATOMIC_RELAXED);
	if (!there || __atomic_load_n(&entry->ticket, __ATOMIC_RELAXED) != ticket)
		return;
	struct rs_thread_region *here = rs_ready_region(thread, rs_region_of(entry->thread, there));
	if (!here)
		return;
	atomic_store_explicit(&entry->is_moved, 1, memory_order_relaxed);
	/* readers of the cells subtract it from the open calls of the thread where it began */
	rs_cell_count(here->cell, RS_CELL_DIAG_MOVED);
}

void rs_end_ticket_slow(regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_entry *entry = rs_entry_of(ticket);
	thread = thread ? rs_enter_slow(thread) : NULL;
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	if (entry->thread == thread && is_open(thread, entry, ticket)) {
		end_slow(thread, entry->region, entry, false, NULL);
		return;
	}
	if (ticket == rs_ticket_beyond(entry->thread)) {
		if (thread->depth.overflow)
			thread->depth.overflow--;
	} else if (entry->thread != thread) {
		count_moved(thread, entry, ticket);
	} else if (entry->ticket == ticket && entry->region && entry->region->cell) {
		/* it was dropped, or an END by name took it */
		rs_cell_count(entry->region->cell, RS_CELL_DIAG_UNMATCHED);
	}
	rs_slow_leave(thread, NULL, thread->cost->inside, NULL, 0);
}

void rs_end_site_slow(struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	if (!(thread = rs_enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	struct rs_entry *entry = region ? rs_entry_find(region, stack) : NULL;
	end_slow(thread, region, entry, false, NULL);
}

/* The innermost of a region's skipped calls: their tickets are the same. */
static struct rs_entry *find_skipped(const struct rs_thread_region *region)
{
	struct rs_entry *entry = region->innermost;
	for (uint32_t n = RS_MAX_ENTRIES; entry && !(entry->apart & RS_APART_LEFT_OUT) && n; n--)
		entry = entry->outer;
	return entry;
}

void rs_end_leaf_slow(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (!rs_load_64((const uint64_t *)(const void *)thread->is_here)) { /* forked: it is open */
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = rs_leaf_of(region);
		rs_end_skipped_slow(region, stack, NULL);
		return;
	}
	bool has_frame = rs_leaf_open(thread, region); /* first: off-CPU time is booked to it */
	rs_slow_begin(thread);
	if (has_frame) {
		end_slow(thread, region, thread->innermost, false, NULL);
	} else {
		rs_leaf_end(thread, region);
		rs_slow_leave(thread, region->cell, thread->cost->inside, NULL, 0);
	}
}

/* Whether the thread has a skipped call of a region open, as another thread sees it. */
static bool may_be_open(const struct rs_thread *there, const struct rs_thread_region *region)
{
	return __atomic_load_n(&there->busy, __ATOMIC_RELAXED) == rs_leaf_of(region) ||
	       __atomic_load_n(&region->innermost, __ATOMIC_RELAXED);
}

/* The same of a skipped call, of whose thread the region in the ticket is. */
static void count_moved_skipped(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint32_t index = RS_MAX_REGIONS;
	uint64_t mask;
	rs_lock(thread->runtime, &mask);
	for (struct rs_thread *there = thread->runtime->live->attached; there;
		there = there->life.next_attached) {
		uintptr_t place = (uintptr_t)region - (uintptr_t)there->regions;
		if (place >= RS_MAX_REGIONS * sizeof(*region) || there->life.is_given_up ||
			!may_be_open(there, region))
			continue;
		index = rs_region_of(there, region);
		uint64_t moved = atomic_load_explicit(&there->moved_skipped, memory_order_relaxed);
		uint64_t more;
		do
			more = RS_MOVED_REGION(moved) == index ? moved + 1 : RS_MOVED(index, 1);
		while (!atomic_compare_exchange_weak_explicit(&there->moved_skipped, &moved, more,
			memory_order_relaxed, memory_order_relaxed));
		break;
	}
	rs_unlock(thread->runtime, &mask);
	struct rs_thread_region *here = index < RS_MAX_REGIONS ? rs_ready_region(thread, index)
							       : NULL;
	if (here)
		rs_cell_count(here->cell, RS_CELL_DIAG_MOVED);
}

void rs_end_skipped_slow(struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread)
{
	thread = thread ? rs_enter_slow(thread) : NULL;
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	uintptr_t place = (uintptr_t)region - (uintptr_t)thread->regions;
	bool is_own = place < RS_MAX_REGIONS * sizeof(*region);
	if (!is_own)
		count_moved_skipped(thread, region);
	region = is_own ? rs_ready_region(thread, rs_region_of(thread, region)) : NULL;
	end_slow(thread, region, region ? find_skipped(region) : NULL, false, NULL);
}

/* ---- NEXT ---- */

void rs_next_other(struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *begun,
	enum rs_reached reached)
{
	rs_take_rest(thread, thread->snapshot.values[0], less_if_stale(thread, reached));
	end_slow(thread, entry->region, ended_by(thread, entry, true), true, begun);
}

void rs_next_slow(struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	struct rs_thread *thread)
{
	thread = rs_enter_at(thread, ended, stack);
	if (!thread && rs_site_is_left_out(ended))
		thread = rs_enter_at(NULL, begun, stack);
	if (!thread)
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, ended);
	struct rs_thread_region *following = rs_ready_site(thread, begun);
	struct rs_entry *entry = region ? rs_entry_find(region, stack) : NULL;
	end_slow(thread, region, entry, true, following);
}

/* ---- names made at run time ---- */

/* A site that has never been looked up. */
#define SITE_OF(name)                                        \
	{                                                    \
		.name_ = name, .is_paired_ = RS_SITE_BY_NAME \
	}

regionstat_ticket_ rs_begin_name(const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	return rs_begin_slow(&site, RS_STACK, NULL);
}

void rs_end_name(const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_end_site_slow(&site, RS_STACK, NULL);
}

void rs_next_name(const char *ended, const char *begun)
{
	struct regionstat_site_ first = SITE_OF(ended), second = SITE_OF(begun);
	rs_next_slow(&first, &second, RS_STACK, NULL);
}

void rs_start_name(struct regionstat_call *call, const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_start_slow(call, &site, RS_STACK, NULL);
}

void rs_work_name(const char *name, unsigned long long bytes, unsigned long long flops)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_work_slow(&site, bytes, flops, RS_STACK, NULL);
}
