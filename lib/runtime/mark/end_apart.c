/* SPDX-License-Identifier: MIT */
/*
 * END where it is not plain: calls that do not nest or have to be recorded otherwise, ENDs that
 * have to be looked up, pages that have changed.
 */
#include "runtime/mark/otherwise.h"

#include <string.h>

#include "runtime/count/snapshot.h"
#include "runtime/mark/off_cpu.h"
#include "runtime/mark/overlap.h"
#include "runtime/mark/record.h"
#include "runtime/mark/sample.h"
#include "runtime/mark/work.h"
#include "runtime/process/self.h"
#include "runtime/process/switches.h"

static void count_skipped(struct rs_cell *cell)
{
	atomic_store_explicit(&cell->skipped,
		atomic_load_explicit(&cell->skipped, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

static void count_recursive(const struct rs_entry *entry)
{
	_Atomic uint64_t *recursive = &entry->region->cell->diag[RS_CELL_DIAG_RECURSIVE];
	if (entry->apart & RS_APART_INNER)
		atomic_store_explicit(recursive,
			atomic_load_explicit(recursive, memory_order_relaxed) + entry->n_inner,
			memory_order_relaxed);
}

/* What its region counted within a call that was left out. */
static void pass_inner(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	uint64_t word = atomic_load_explicit(&cell->calls_word, memory_order_relaxed);
	struct rs_rare *rare = rs_cell_rare(cell, thread->shape, rs_cell_row(word));
	struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	const uint64_t *inner = rs_entry_vector(entry, RS_VECTOR_INNER, thread->n_events);
	for (uint32_t m = 0; entry->apart & RS_APART_INNER && m <= thread->n_events; m++)
		extremes[m].inner += inner[m];
}

/* END of an entry, whatever it is, with the snapshot in thread->now; and it is free. */
static void end_entry(struct rs_thread *thread, struct rs_entry *entry)
{
	if (entry->apart == RS_APART_WORK && rs_work_end(thread, entry))
		return;
	struct rs_cell *cell = entry->region->cell;
	uint64_t *deltas = thread->room.deltas;
	bool is_ignored = entry->apart & RS_APART_IGNORED;
	bool is_cut = !is_ignored && rs_control(thread) != entry->control;
	bool is_measured = rs_entry_is_measured(entry) && !is_cut;
	if (entry->apart & RS_APART_PASSED)
		rs_entry_settle(entry);
	if (is_measured)
		rs_record_deltas(thread, entry, deltas);
	rs_entry_tell(thread, entry, is_measured ? deltas : NULL, !is_ignored && !is_cut);
	rs_passes_drop(thread, entry, !is_ignored && !is_cut);
	if (is_measured) {
		rs_record_other(thread, entry, deltas);
	} else if (is_cut) {
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	} else if (!is_ignored) {
		struct rs_thread_region *region = rs_work_region(thread, entry);
		rs_work_record(thread, region, entry);
		count_skipped(region->cell);
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

/* What an END costs those around it, of groups that count. Charged once its slow path is over,
 * which is measured meanwhile. */
struct bill {
	const uint64_t *cost; /* NULL: nothing */
	uint32_t off;
	bool is_alone; /* of a region that is left out: its BEGIN was no marker that costs as much */
};

static struct bill bill_of(struct rs_thread *thread, struct rs_entry *entry)
{
	const struct rs_cost *cost = thread->cost;
	struct bill bill = {NULL, 0, false};
	if (!entry || entry->apart & RS_APART_IGNORED)
		return bill;
	bill.cost = entry->apart & RS_APART_LEFT_OUT ? cost->skip_apart : cost->pair;
	bill.off = thread->now_off | rs_groups_waiting(thread, entry);
	return bill;
}

/* The end of an END whose snapshot is in thread->now, and of its slow path, unless kind is
 * RS_SLOW_KIND_N. cell: NULL for none. */
static void leave_end(
	struct rs_thread *thread, struct rs_cell *cell, struct bill bill, enum rs_slow_kind kind)
{
	if (kind != RS_SLOW_KIND_N)
		rs_slow_end(thread, cell, kind);
	if (bill.cost)
		rs_charge(thread, bill.cost, bill.off);
	for (uint32_t m = 0; bill.is_alone && m <= thread->n_events; m++)
		thread->adjust[m] += thread->cost->begin[m];
	if (thread->n_reads)
		rs_charge_end(thread, cell);
	rs_leave(thread);
}

/*
 * After a context switch most often all groups turn out to have been on the PMU while the thread
 * ran: then the regions around are counted, too. And a group that was not leaves others that were.
 * So nobody is to pay for what happens here, unless that would take more system calls with every
 * call.
 */
void rs_end_other(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	/* looked at once: a switch from here on was not in this call, and is for the next marker to
	 * see. What follows from one takes long: it is charged, or does not happen. */
	uint64_t differs = rs_switches_differ(thread);
	thread->now_edge = RS_EDGE_PLAIN;
	bool is_charged = rs_end_is_charged(thread, entry, differs) &&
			  rs_is_anybody_around(thread, entry);
	if (is_charged)
		rs_slow_begin(thread);
	if (differs)
		rs_switches_look(thread);
	struct bill bill = bill_of(thread, entry);
	end_entry(thread, entry);
	thread->switches.is_booked = false;
	leave_end(thread, cell, bill, is_charged ? RS_SLOW_OTHER : RS_SLOW_KIND_N);
}

/* END of an entry that was looked up, or not found: entry is NULL then. */
void rs_end_found(struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	if (entry)
		end_entry(thread, entry);
	else if (region && thread->overflow)
		thread->overflow--;
	else if (region)
		rs_cell_count(region->cell, RS_CELL_DIAG_UNMATCHED);
}

/* With the snapshot in thread->now. site or name: the other is NULL. */
static void end_apart(
	struct rs_thread *thread, struct regionstat_site_ *site, const char *name, uintptr_t stack)
{
	thread->now_edge = site ? RS_EDGE_APART : RS_EDGE_NAME;
	rs_slow_begin(thread);
	struct rs_thread_region *region = site ? rs_ready_site(thread, site)
					       : rs_ready_name(thread, name);
	struct rs_entry *entry = region ? rs_entry_find(region, stack) : NULL;
	struct bill bill = bill_of(thread, entry);
	rs_end_found(thread, region, entry);
	if (!region)
		bill = (struct bill){thread->cost->pair, 0, true};
	leave_end(thread, region ? region->cell : NULL, bill,
		site ? RS_SLOW_APART : RS_SLOW_NAME_END);
}

void rs_end_site_apart(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	rs_take_end(thread);
	end_apart(thread, site, NULL, stack);
}

/* By names made at run time: as far as the snapshot END and NEXT are the same code, so that the
 * call that they end holds as much of either. */
static __attribute__((noinline)) void end_name_at(
	const char *ended, const char *begun, bool is_next, uintptr_t stack)
{
	struct rs_thread *thread = rs_enter_slowly(stack);
	if (!thread)
		return;
	rs_take_end(thread);
	if (is_next)
		rs_next_name_apart(thread, ended, begun, stack);
	else
		end_apart(thread, NULL, ended, stack);
}

/* The same where some regions are left out. */
static RS_COLD void end_name_only(const char *name, uintptr_t stack)
{
	if (!rs_name_is_left_out(name))
		end_name_at(name, NULL, false, stack);
}

static RS_COLD void next_name_only(const char *ended, const char *begun, uintptr_t stack)
{
	bool ends = !rs_name_is_left_out(ended), begins = !rs_name_is_left_out(begun);
	if (ends)
		end_name_at(ended, begun, begins, stack);
	else if (begins)
		rs_begin_name_at(begun, stack);
}

/* Both come in as many instructions to their snapshot: the cost of the one is known from the
 * other. */
void rs_end_name(const char *name)
{
	if (RS_UNLIKELY(rs_state->n_only))
		end_name_only(name, RS_STACK);
	else
		end_name_at(name, NULL, false, RS_STACK);
}

void rs_next_name(const char *ended, const char *begun)
{
	if (RS_UNLIKELY(rs_state->n_only))
		next_name_only(ended, begun, RS_STACK);
	else
		end_name_at(ended, begun, true, RS_STACK);
}

/* Whether a ticket is of an entry that is open, of this thread. */
static bool is_open(const struct rs_entry *entry, regionstat_ticket_ ticket)
{
	if (entry->ticket != ticket || !entry->region)
		return false;
	const struct rs_entry *other = entry->region->innermost;
	while (other && other != entry)
		other = other->outer;
	return other;
}

/* A scope that ends on another thread than it began on: told, and no call. */
static void count_moved(struct rs_thread *thread, struct rs_entry *entry, regionstat_ticket_ ticket)
{
	/* this thread's own, from before it began anew: told as open there */
	if (entry->thread->is_given_up)
		return;
	/* that thread may be using the entry for another call just now, or may have ended */
	const struct rs_thread_region *there = __atomic_load_n(&entry->region, __ATOMIC_RELAXED);
	if (!there || __atomic_load_n(&entry->ticket, __ATOMIC_RELAXED) != ticket)
		return;
	struct rs_thread_region *here = rs_ready_region(thread, rs_region_of(entry->thread, there));
	if (!here)
		return;
	atomic_store_explicit(&entry->is_moved, 1, memory_order_relaxed);
	/* whoever reads the cells takes it off those that are open where it began */
	rs_cell_count(here->cell, RS_CELL_DIAG_MOVED);
}

void rs_end_apart(struct rs_thread *thread, regionstat_ticket_ ticket)
{
	struct rs_entry *entry = rs_entry_of(ticket);
	struct rs_cell *cell = NULL;
	struct bill bill = {NULL, 0, false};
	rs_take_end(thread);
	thread->now_edge = RS_EDGE_APART;
	rs_slow_begin(thread);
	if (ticket == rs_ticket_beyond(entry->thread)) {
		if (thread->overflow)
			thread->overflow--;
	} else if (entry->thread != thread) {
		count_moved(thread, entry, ticket);
	} else if (is_open(entry, ticket)) {
		cell = entry->region->cell;
		bill = bill_of(thread, entry);
		end_entry(thread, entry);
	} else if (entry->ticket == ticket && entry->region && entry->region->cell) {
		/* it was dropped, or an END by name took it */
		rs_cell_count(entry->region->cell, RS_CELL_DIAG_UNMATCHED);
	}
	leave_end(thread, cell, bill, RS_SLOW_APART);
}

void rs_end_renew(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site)
{
	const struct rs_again *again = thread->runtime->again;
	uintptr_t stack = thread->busy;
	rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
	rs_leave(thread);
	if (site)
		again->end_site(site, stack);
	else
		again->end(entry->ticket, stack);
}

void rs_end_off(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site)
{
	rs_take_clock(thread);
	if (rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
		rs_end_other(thread, entry);
	else
		rs_end_renew(thread, entry, site);
}

void rs_end_admitted(regionstat_ticket_ ticket, uintptr_t stack)
{
	if (rs_thread_admit(stack))
		rs_self->runtime->again->end(ticket, stack);
}

void rs_end_site_admitted(struct regionstat_site_ *site, uintptr_t stack)
{
	if (!rs_site_find_left_out(site) && rs_thread_admit(stack))
		rs_self->runtime->again->end_site(site, stack);
}
