/* SPDX-License-Identifier: MIT */
/*
 * NEXT where it is not plain: see begin_apart.c and end_apart.c, of which it is both.
 */
#include "runtime/mark/otherwise.h"

#include "runtime/count/snapshot.h"
#include "runtime/mark/parents.h"
#include "runtime/mark/sample.h"
#include "runtime/process/self.h"
#include "runtime/process/switches.h"

/* END of the entry, or of none, in a NEXT. Returns the groups that were waiting, which are no part
 * of thread->now_off: what begins the next call would take as many instructions more in each NEXT
 * but the seldom one in whose call all groups had a turn. */
static uint32_t end_next(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	uint32_t waiting = entry ? rs_groups_waiting(thread, entry) : 0;
	rs_end_found(thread, region, entry);
	return waiting;
}

/* What the NEXT costs, once its slow path is over: nothing that was not being counted, of which the
 * call that it begins has paid already. */
static void charge_next(struct rs_thread *thread, uint32_t waiting)
{
	const uint64_t *cost = thread->cost->next;
	uint32_t off = thread->now_off | waiting;
	rs_charge(thread, cost, off);
	for (uint32_t e = 0; e < thread->n_events; e++)
		thread->now[1 + e] += cost[1 + e] & rs_off_bits(thread, off, e);
}

void rs_next_other(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_cell *cell = entry->region->cell;
	thread->now_edge = RS_EDGE_NEXT;
	bool is_charged = rs_end_is_charged(thread, entry, 0);
	if (is_charged)
		rs_slow_begin(thread);
	uint32_t waiting = end_next(thread, entry->region, entry);
	if (is_charged)
		rs_slow_end(thread, cell, RS_SLOW_OTHER_NEXT);
	charge_next(thread, waiting);
}

bool rs_begin_shared_may(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (rs_control(thread) & RS_CONTROL_PAUSED) {
		if (!rs_begin_ignored(thread, region, stack))
			rs_begin_beyond(thread);
		return false;
	}
	if (thread->top->next || rs_entry_make_room(thread, stack))
		return true;
	rs_begin_beyond(thread);
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

/* With the snapshot in thread->now. sites or names, of what ends and what begins: the other is
 * NULL. */
static void next_apart(struct rs_thread *thread, struct regionstat_site_ *const sites[2],
	const char *const names[2], uintptr_t stack)
{
	thread->now_edge = sites ? RS_EDGE_APART_NEXT : RS_EDGE_NAME_NEXT;
	rs_slow_begin(thread);
	struct rs_thread_region *regions[2];
	for (int i = 0; i < 2; i++)
		regions[i] = sites ? rs_ready_site(thread, sites[i])
				   : rs_ready_name(thread, names[i]);
	struct rs_cell *cell = regions[0] ? regions[0]->cell : NULL;
	struct rs_entry *entry = regions[0] ? rs_entry_find(regions[0], stack) : NULL;
	uint32_t waiting = end_next(thread, regions[0], entry);
	if (regions[1])
		rs_parents_note(thread, regions[1]);
	rs_slow_end(thread, cell, sites ? RS_SLOW_APART_NEXT : RS_SLOW_NAME_NEXT);
	charge_next(thread, waiting);
	const uint64_t *share = sites ? thread->cost->share_apart : thread->cost->share_name;
	struct rs_entry *begun = regions[1] ? begin_shared(thread, regions[1], share, stack) : NULL;
	if (thread->n_reads)
		rs_charge_next(thread, cell, begun);
	rs_leave(thread);
}

void rs_next_apart(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack)
{
	rs_take_end(thread);
	next_apart(thread, (struct regionstat_site_ *const[2]){ended, begun}, NULL, stack);
}

void rs_next_name_apart(
	struct rs_thread *thread, const char *ended, const char *begun, uintptr_t stack)
{
	next_apart(thread, NULL, (const char *const[2]){ended, begun}, stack);
}

void rs_next_left_out(
	struct rs_thread *thread, struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	const struct rs_again *again = thread->runtime->again;
	regionstat_ticket_ ticket = thread->top->below->ticket;
	uintptr_t stack = thread->busy;
	(void)ended;
	rs_leave(thread);
	again->end(ticket, stack);
	again->begin(begun, stack);
}

void rs_next_renew(
	struct rs_thread *thread, struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	uintptr_t stack = thread->busy;
	rs_snapshot_renew(thread, RS_SLOW_RENEW_NEXT);
	rs_leave(thread);
	thread->runtime->again->next(ended, begun, stack);
}

void rs_next_resumed(
	struct rs_thread *thread, struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	uintptr_t stack = thread->busy;
	if (rs_switches_resume(thread, RS_SLOW_RESUMED_NEXT)) {
		rs_leave(thread);
		thread->runtime->again->next(ended, begun, stack);
		return;
	}
	volatile uint64_t *watched = rs_switches_pass(thread);
	rs_leave(thread);
	thread->runtime->again->next(ended, begun, stack);
	thread->watched = watched;
}

void rs_next_admitted(
	struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack)
{
	bool is_left_out = rs_site_find_left_out(ended) && rs_site_find_left_out(begun);
	if (!is_left_out && rs_thread_admit(stack))
		rs_self->runtime->again->next(ended, begun, stack);
}
