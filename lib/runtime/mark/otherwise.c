/*
 * BEGIN, END and NEXT where they are not plain: regions that are not ready, pauses, calls that do
 * not nest, pages that have changed, and names that are looked up at every call. See otherwise.h.
 */
#include "runtime/mark/otherwise.h"

#include <string.h>

#include "runtime/count/snapshot.h"
#include "runtime/mark/record.h"
#include "runtime/mark/sample.h"
#include "runtime/process/self.h"

#define STACK ((uintptr_t)__builtin_dwarf_cfa())

/* ---- what they share ---- */

struct rs_thread *rs_enter_slowly(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = rs_enter(rs_self, stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

static struct rs_thread_region *make_ready(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	if (rs_region_is_ready(region))
		return region;
	if (!rs_cell_bind(thread, index))
		return NULL;
	rs_sample_choose(thread, index);
	return region;
}

struct rs_thread_region *rs_ready_site(struct rs_thread *thread, struct regionstat_site_ *site)
{
	uint32_t mark = rs_load_32(&site->region);
	if (mark)
		return make_ready(thread, rs_region_of(thread, rs_site_region(thread, site)));
	uint32_t index = rs_region_index(thread->runtime, site->name);
	__atomic_store_n(&site->region, rs_region_mark(index), __ATOMIC_RELAXED);
	return make_ready(thread, index);
}

struct rs_thread_region *rs_ready_name(struct rs_thread *thread, const char *name)
{
	uint32_t index;
	if (!rs_region_find(thread->runtime, name, &index))
		index = rs_region_index(thread->runtime, name);
	return make_ready(thread, index);
}

/* Whether a region is new here: it has not been looked up, or has no cell. */
static bool is_new_site(const struct rs_thread *thread, const struct regionstat_site_ *site)
{
	return !rs_region_is_ready(rs_site_region(thread, site));
}

static bool is_new_name(const struct rs_thread *thread, const char *name)
{
	uint32_t index;
	return !rs_region_find(thread->runtime, name, &index) ||
	       !rs_region_is_ready(&thread->regions[index]);
}

bool rs_is_new(
	const struct rs_thread *thread, const struct regionstat_site_ *site, const char *name)
{
	/* to look a name up twice makes sense only where it saves a system call */
	if (!thread->n_reads)
		return true;
	return site ? is_new_site(thread, site) : is_new_name(thread, name);
}

/* Whether there is a region around that would pay for what a marker does: with nothing open but
 * the entry itself, if that is given, there is none. */
static bool is_anybody_around(const struct rs_thread *thread, const struct rs_entry *entry)
{
	const struct rs_entry *innermost = thread->top->below;
	return innermost != thread->ground &&
	       !(innermost == entry && entry->below == thread->ground);
}

/* The clock of an END or NEXT. */
static void take_clock(struct rs_thread *thread)
{
	thread->entered = rs_ticks_after(thread->clock);
	thread->now[0] = thread->entered + thread->adjust[0];
}

void rs_take_end(struct rs_thread *thread)
{
	for (;;) {
		take_clock(thread);
		if (rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
			break;
		rs_snapshot_renew(thread, RS_SLOW_RENEW_APART);
	}
	if (thread->n_reads)
		rs_correct_end(thread, thread->now);
}

/* ---- the end of a call ---- */

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

/* What entries within one that is no call used is used within the one around it. */
static void leave_children(struct rs_thread *thread, struct rs_entry *entry)
{
	uint64_t *around = rs_entry_children(thread, entry->below);
	const uint64_t *children = rs_entry_children(thread, entry);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		around[m] += children[m];
}

/* END of an entry, whatever it is, with the snapshot in thread->now; and it is free. */
static void end_entry(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	uint64_t deltas[1 + RS_MAX_EVENTS];
	if (entry->apart & RS_APART_IGNORED) {
		leave_children(thread, entry);
	} else {
		if (entry->apart & RS_APART_PASSED)
			rs_entry_settle(thread, entry);
		bool is_cut = rs_control(thread) != entry->control;
		bool is_measured = rs_entry_is_measured(entry) && !is_cut;
		if (is_measured)
			rs_record_deltas(thread, entry, deltas);
		rs_entry_tell(thread, entry, is_measured ? deltas : NULL);
		if (is_measured) {
			rs_record_other(thread, entry, deltas);
		} else if (is_cut) {
			rs_cell_count(cell, RS_CELL_DIAG_CUT);
			leave_children(thread, entry);
		} else {
			count_skipped(cell);
		}
		count_recursive(entry);
		rs_cell_add_open(cell, UINT32_MAX);
	}
	memset(rs_entry_children(thread, entry), 0, (1 + thread->n_events) * sizeof(uint64_t));
	rs_entry_free(thread, entry);
}

/* What an END costs those around it, of groups that count. Charged once its slow path is over, which
 * is measured meanwhile. */
struct bill {
	const uint64_t *cost; /* NULL: nothing */
	uint32_t off;
};

static struct bill bill_of(struct rs_thread *thread, struct rs_entry *entry)
{
	const struct rs_cost *cost = thread->cost;
	struct bill bill = {NULL, 0};
	if (!entry || entry->apart & RS_APART_IGNORED)
		return bill;
	bill.cost = entry->apart & RS_APART_LEFT_OUT ? cost->skip : cost->pair;
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
	if (thread->n_reads)
		rs_charge_end(thread, cell);
	rs_leave(thread);
}

/*
 * After a context switch most often all groups turn out to have been on the PMU while the thread
 * ran: then the regions around are counted, too. And a group that was not leaves others that were.
 * So nobody is to pay for what happens here, unless that would take more system calls.
 */
void rs_end_other(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	bool is_charged = thread->is_charged && is_anybody_around(thread, entry);
	thread->now_edge = RS_EDGE_PLAIN;
	if (is_charged)
		rs_slow_begin(thread, false);
	struct bill bill = bill_of(thread, entry);
	end_entry(thread, entry);
	leave_end(thread, cell, bill, is_charged ? RS_SLOW_OTHER : RS_SLOW_KIND_N);
}

/* END of an entry that was looked up, or not found: entry is NULL then. */
static void end_found(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	if (entry)
		end_entry(thread, entry);
	else if (thread->overflow)
		thread->overflow--;
	else if (region)
		rs_cell_count(region->cell, RS_CELL_DIAG_UNMATCHED);
}

static void end_apart(
	struct rs_thread *thread, struct regionstat_site_ *site, const char *name, uintptr_t stack)
{
	rs_take_end(thread);
	thread->now_edge = site ? RS_EDGE_APART : RS_EDGE_NAME;
	rs_slow_begin(thread, rs_is_new(thread, site, name));
	struct rs_thread_region *region = site ? rs_ready_site(thread, site)
					       : rs_ready_name(thread, name);
	struct rs_entry *entry = region ? rs_entry_find(region, stack) : NULL;
	struct bill bill = bill_of(thread, entry);
	end_found(thread, region, entry);
	leave_end(thread, region ? region->cell : NULL, bill,
		site ? RS_SLOW_APART : RS_SLOW_NAME_END);
}

void rs_end_site_apart(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	end_apart(thread, site, NULL, stack);
}

void rs_end_name(const char *name)
{
	uintptr_t stack = STACK;
	struct rs_thread *thread = rs_enter_slowly(stack);
	if (thread)
		end_apart(thread, NULL, name, stack);
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
	/* that thread may be using the entry for another call just now, or may have ended */
	const struct rs_thread_region *there = __atomic_load_n(&entry->region, __ATOMIC_RELAXED);
	if (!there || __atomic_load_n(&entry->ticket, __ATOMIC_RELAXED) != ticket)
		return;
	struct rs_thread_region *here = make_ready(thread, rs_region_of(entry->thread, there));
	if (!here)
		return;
	atomic_store_explicit(&entry->is_moved, 1, memory_order_relaxed);
	/* whoever reads the cells takes it off those that are open where it began */
	rs_cell_count(here->cell, RS_CELL_DIAG_MOVED);
}

void rs_end_apart(struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack)
{
	(void)stack;
	struct rs_entry *entry = rs_entry_of(ticket);
	struct rs_cell *cell = NULL;
	struct bill bill = {NULL, 0};
	rs_take_end(thread);
	thread->now_edge = RS_EDGE_APART;
	rs_slow_begin(thread, entry->thread != thread);
	if (entry->thread != thread) {
		count_moved(thread, entry, ticket);
	} else if (is_open(entry, ticket)) {
		cell = entry->region->cell;
		bill = bill_of(thread, entry);
		end_entry(thread, entry);
	}
	leave_end(thread, cell, bill, RS_SLOW_APART);
}

void rs_end_renew(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site)
{
	const struct regionstat_table_ *table = thread->runtime->table;
	rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
	rs_leave(thread);
	if (site)
		table->end_site(site);
	else
		table->end(entry->ticket);
}

void rs_end_off(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site)
{
	take_clock(thread);
	if (rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
		rs_end_other(thread, entry);
	else
		rs_end_renew(thread, entry, site);
}

void rs_end_admitted(regionstat_ticket_ ticket, uintptr_t stack)
{
	if (rs_thread_admit(stack))
		rs_self->runtime->table->end(ticket);
}

void rs_end_site_admitted(struct regionstat_site_ *site, uintptr_t stack)
{
	if (rs_thread_admit(stack))
		rs_self->runtime->table->end_site(site);
}

/* ---- BEGIN ---- */

regionstat_ticket_ rs_begin_admitted(struct regionstat_site_ *site, uintptr_t stack)
{
	return rs_thread_admit(stack) ? rs_self->runtime->table->begin(site) : 0;
}

regionstat_ticket_ rs_begin_unready(struct rs_thread *thread, struct regionstat_site_ *site)
{
	bool is_charged = is_anybody_around(thread, NULL);
	if (is_charged)
		rs_slow_begin(thread, true);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	if (is_charged)
		rs_slow_end(thread, region ? region->cell : NULL, RS_SLOW_READY);
	rs_leave(thread);
	return region ? thread->runtime->table->begin(site) : 0;
}

/* An entry that is no call: its END is ignored. False: no room. */
static bool begin_ignored(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	struct rs_entry *entry = thread->top;
	if (!entry->next && !rs_entry_make_room(thread, stack)) {
		thread->overflow++;
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
		return false;
	}
	entry = thread->top;
	rs_entry_open(thread, entry, region, RS_CONTROL_PAUSED, stack);
	rs_cell_add_open(region->cell, UINT32_MAX);
	entry->apart = RS_APART_IGNORED;
	return true;
}

regionstat_ticket_ rs_begin_nothing(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	regionstat_ticket_ ticket = 0;
	if (rs_control(thread) & RS_CONTROL_PAUSED) {
		if (begin_ignored(thread, region, stack))
			ticket = thread->top->below->ticket;
	} else if (rs_entry_make_room(thread, stack)) {
		rs_leave(thread);
		return thread->runtime->table->begin(site);
	} else {
		thread->overflow++;
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
	}
	rs_leave(thread);
	return ticket;
}

/* As if this BEGIN had not begun. */
regionstat_ticket_ rs_begin_renew(struct rs_thread *thread, struct regionstat_site_ *site)
{
	struct rs_entry *entry = thread->top->below;
	rs_cell_add_open(entry->region->cell, UINT32_MAX);
	if (thread->runtime->samples)
		rs_sample_undo(entry->region);
	rs_entry_free(thread, entry);
	rs_snapshot_renew(thread, RS_SLOW_RENEW_BEGIN);
	rs_leave(thread);
	return thread->runtime->table->begin(site);
}

void rs_entry_set_off(struct rs_thread *thread, struct rs_entry *entry, uint32_t off)
{
	struct rs_group_time *times = rs_entry_times(thread, entry);
	entry->off = off;
	entry->sequence = RS_SEQUENCE_NONE;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		if (thread->groups[g].mode != RS_GROUP_USER)
			continue;
		times[g] = thread->times[g];
		times[g].ticks = rs_ticks(thread->clock);
	}
}

regionstat_ticket_ rs_begin_off(struct rs_thread *thread, struct regionstat_site_ *site)
{
	struct rs_entry *entry = thread->top->below;
	uint32_t off;
	if (!rs_snapshot_any(thread, entry->values, rs_entry_times(thread, entry), &off))
		return rs_begin_renew(thread, site);
	if (off)
		rs_entry_set_off(thread, entry, off);
	entry->values[0] = rs_ticks(thread->clock) + thread->adjust[0];
	regionstat_ticket_ ticket = entry->ticket;
	rs_leave(thread);
	return ticket;
}

/* Looking up a name takes as long as the name is: no region is to pay for it. The site lives for
 * this call alone, so the entry's stack frame is set here. */
regionstat_ticket_ rs_begin_name(const char *name)
{
	uintptr_t stack = STACK;
	struct rs_thread *thread = rs_enter_slowly(stack);
	if (RS_UNLIKELY(!thread))
		return 0;
	bool is_charged = is_anybody_around(thread, NULL);
	if (is_charged)
		rs_slow_begin(thread, rs_is_new(thread, NULL, name));
	struct rs_thread_region *region = rs_ready_name(thread, name);
	if (is_charged)
		rs_slow_end(thread, region ? region->cell : NULL, RS_SLOW_NAME);
	rs_leave(thread);
	if (!region)
		return 0;
	struct regionstat_site_ site = {name, rs_region_mark(rs_region_of(thread, region))};
	regionstat_ticket_ ticket = thread->runtime->table->begin(&site);
	if (ticket)
		rs_entry_of(ticket)->stack = stack;
	return ticket;
}

/* ---- NEXT ---- */

/* This marker will be charged for what was counted only; the call that it begins will be taken to
 * have paid already. */
static void spare_uncounted(struct rs_thread *thread)
{
	const uint64_t *cost = thread->cost->next;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!rs_is_off(thread, thread->now_off, m))
			continue;
		thread->now[m] += cost[m];
		thread->adjust[m] += cost[m];
	}
}

/* END of the entry, or of none, in a NEXT. */
static void end_next(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	uint32_t waiting = entry ? rs_groups_waiting(thread, entry) : 0;
	end_found(thread, region, entry);
	thread->now_off |= waiting;
}

/* What the NEXT costs, once its slow path is over. */
static void charge_next(struct rs_thread *thread)
{
	if (thread->now_off)
		spare_uncounted(thread);
	rs_charge(thread, thread->cost->next, 0);
}

void rs_next_other(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	thread->now_edge = RS_EDGE_NEXT;
	if (thread->is_charged)
		rs_slow_begin(thread, false);
	end_next(thread, entry->region, entry);
	if (thread->is_charged)
		rs_slow_end(thread, cell, RS_SLOW_OTHER_NEXT);
	charge_next(thread);
}

bool rs_begin_shared_may(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (rs_control(thread) & RS_CONTROL_PAUSED) {
		begin_ignored(thread, region, stack);
		return false;
	}
	if (thread->top->next || rs_entry_make_room(thread, stack))
		return true;
	thread->overflow++;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
	return false;
}

/* A call that begins with the snapshot in thread->now; NULL when it is not measured. */
static struct rs_entry *begin_shared(struct rs_thread *thread, struct rs_thread_region *region,
	const uint64_t *share, uintptr_t stack)
{
	if (!rs_begin_shared_may(thread, region, stack))
		return NULL;
	struct rs_entry *entry = thread->top;
	bool samples = thread->runtime->samples;
	bool is_left_out = samples && rs_sample_leaves_out(region);
	rs_entry_open(thread, entry, region, rs_control(thread), stack);
	if (samples)
		rs_sample_begin(thread, entry, region, is_left_out);
	if (is_left_out)
		return NULL;
	entry->sequence = thread->sequence;
	entry->off = 0;
	struct rs_group_time *times = rs_entry_times(thread, entry);
	for (uint32_t g = 0; thread->n_reads && g < thread->n_groups; g++)
		times[g] = thread->now_times[g];
	if (thread->now_off)
		rs_entry_set_off(thread, entry, thread->now_off);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		entry->values[m] = thread->now[m] + share[m];
	return entry;
}

static void next_apart(struct rs_thread *thread, struct regionstat_site_ *const sites[2],
	const char *const names[2], uintptr_t stack)
{
	rs_take_end(thread);
	thread->now_edge = sites ? RS_EDGE_APART_NEXT : RS_EDGE_NAME_NEXT;
	bool is_new = false;
	for (int i = 0; i < 2; i++)
		is_new |= rs_is_new(thread, sites ? sites[i] : NULL, names ? names[i] : NULL);
	rs_slow_begin(thread, is_new);
	struct rs_thread_region *regions[2];
	for (int i = 0; i < 2; i++)
		regions[i] = sites ? rs_ready_site(thread, sites[i])
				   : rs_ready_name(thread, names[i]);
	struct rs_cell *cell = regions[0] ? regions[0]->cell : NULL;
	struct rs_entry *entry = regions[0] ? rs_entry_find(regions[0], stack) : NULL;
	end_next(thread, regions[0], entry);
	rs_slow_end(thread, cell, sites ? RS_SLOW_APART_NEXT : RS_SLOW_NAME_NEXT);
	charge_next(thread);
	const uint64_t *share = sites ? thread->cost->share_apart : thread->cost->share_name;
	struct rs_entry *begun = regions[1] ? begin_shared(thread, regions[1], share, stack) : NULL;
	if (thread->n_reads)
		rs_charge_next(thread, cell, begun);
	rs_leave(thread);
}

void rs_next_apart(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack)
{
	next_apart(thread, (struct regionstat_site_ *const[2]){ended, begun}, NULL, stack);
}

void rs_next_name(const char *ended, const char *begun)
{
	uintptr_t stack = STACK;
	struct rs_thread *thread = rs_enter_slowly(stack);
	if (thread)
		next_apart(thread, NULL, (const char *const[2]){ended, begun}, stack);
}

void rs_next_left_out(
	struct rs_thread *thread, struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	const struct regionstat_table_ *table = thread->runtime->table;
	regionstat_ticket_ ticket = thread->top->below->ticket;
	(void)ended;
	rs_leave(thread);
	table->end(ticket);
	table->begin(begun);
}

void rs_next_renew(
	struct rs_thread *thread, struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	rs_snapshot_renew(thread, RS_SLOW_RENEW_NEXT);
	rs_leave(thread);
	thread->runtime->table->next(ended, begun);
}

void rs_next_admitted(
	struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack)
{
	if (rs_thread_admit(stack))
		rs_self->runtime->table->next(ended, begun);
}
