/* SPDX-License-Identifier: MIT */
/*
 * BEGIN where it is not plain: regions that are not ready, pauses, no room, pages that have
 * changed, and names that are looked up at every call. What it shares with END and NEXT stands
 * first.
 */
#include "runtime/mark/otherwise.h"

#include "runtime/adapt/adapt.h"
#include "runtime/count/snapshot.h"
#include "runtime/mark/parents.h"
#include "runtime/mark/sample.h"
#include "runtime/process/self.h"
#include "runtime/process/switches.h"

struct rs_thread *rs_enter_slowly(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = rs_enter(rs_self, stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	if (index == RS_REGION_LEFT_OUT)
		return NULL;
	if (rs_region_is_ready(region))
		return region;
	rs_slow_touch(thread);
	if (!rs_cell_bind(thread, index))
		return NULL;
	rs_sample_choose(thread, index);
	return region;
}

struct rs_thread_region *rs_ready_site(struct rs_thread *thread, struct regionstat_site_ *site)
{
	uint32_t mark = rs_load_32(&site->region_);
	if (mark)
		return rs_ready_region(thread, rs_region_of(thread, rs_site_region(thread, site)));
	rs_slow_touch(thread);
	uint32_t index = rs_region_index(thread->runtime, site->name_);
	uint32_t ends = rs_load_32(&site->is_paired_);
	if (ends == RS_SITE_BY_NAME)
		rs_region_end_by_name(thread->runtime, index);
	else if (ends == RS_SITE_BY_API)
		rs_region_end_by_api(thread->runtime, index);
	__atomic_store_n(&site->region_, rs_region_mark(index), __ATOMIC_RELAXED);
	return rs_ready_region(thread, index);
}

struct rs_thread_region *rs_ready_name(struct rs_thread *thread, const char *name)
{
	uint32_t index;
	if (!rs_region_find(thread->runtime, name, &index)) {
		rs_slow_touch(thread);
		index = rs_region_index(thread->runtime, name);
	}
	rs_region_end_by_name(thread->runtime, index);
	return rs_ready_region(thread, index);
}

/* Whether there is a region around that would pay for what a marker does: with nothing open but
 * the entry itself, if that is given, there is none. */
bool rs_is_anybody_around(const struct rs_thread *thread, const struct rs_entry *entry)
{
	const struct rs_entry *innermost = thread->top->below;
	return innermost != thread->ground &&
	       !(innermost == entry && entry->below == thread->ground);
}

void rs_take_clock(struct rs_thread *thread)
{
	thread->entered = rs_ticks_after(thread->clock);
	thread->now[0] = thread->entered + thread->adjust[0];
}

void rs_take_end(struct rs_thread *thread)
{
	for (bool may_resume = true;;) {
		rs_take_clock(thread);
		if (!rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
			rs_snapshot_renew(thread, RS_SLOW_RENEW_APART);
		else if (may_resume && rs_switches_any(thread))
			may_resume = rs_switches_resume(thread, RS_SLOW_RESUMED_APART);
		else
			break;
	}
	if (thread->n_reads)
		rs_correct_end(thread, thread->now);
}

regionstat_ticket_ rs_begin_admitted(struct regionstat_site_ *site, uintptr_t stack)
{
	bool goes_on = !rs_site_find_left_out(site) && rs_thread_admit(stack);
	return goes_on ? rs_self->runtime->again->begin(site, stack) : 0;
}

regionstat_ticket_ rs_begin_unready(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	bool is_charged = rs_is_anybody_around(thread, NULL);
	struct rs_thread_region *region = rs_site_region(thread, site);
	if (rs_region_is_ready(region)) {
		if (rs_control(thread) & RS_CONTROL_PAUSED)
			return rs_begin_nothing(thread, site, stack);
		if (rs_parents_has(thread, region) && !region->is_uncalled) {
			region->within = thread->top->below->region;
			rs_charge(thread, thread->cost->outside[RS_SLOW_WITHIN], 0);
			rs_leave(thread);
			return thread->runtime->again->begin(site, stack);
		}
	}
	if (is_charged)
		rs_slow_begin(thread);
	rs_slow_touch(thread);
	region = rs_ready_site(thread, site);
	if (region)
		rs_parents_note(thread, region);
	if (is_charged)
		rs_slow_end(thread, region ? region->cell : NULL, RS_SLOW_READY);
	rs_leave(thread);
	return region ? thread->runtime->again->begin(site, stack) : 0;
}

regionstat_ticket_ rs_begin_beyond(struct rs_thread *thread)
{
	thread->overflow++;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
	return rs_ticket_beyond(thread);
}

/* An entry that is no call: its END is ignored. False: no room. */
bool rs_begin_ignored(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	struct rs_entry *entry = thread->top;
	if (!entry->next && !rs_entry_make_room(thread, stack))
		return false;
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
	regionstat_ticket_ ticket;
	if (rs_control(thread) & RS_CONTROL_PAUSED) {
		ticket = rs_begin_ignored(thread, region, stack) ? thread->top->below->ticket
								 : rs_begin_beyond(thread);
	} else {
		rs_slow_begin(thread);
		bool has_room = rs_entry_make_room(thread, stack);
		rs_slow_end(thread, region->cell, RS_SLOW_READY);
		if (has_room) {
			rs_leave(thread);
			return thread->runtime->again->begin(site, stack);
		}
		ticket = rs_begin_beyond(thread);
	}
	rs_leave(thread);
	return ticket;
}

/* As if this BEGIN had not begun. */
regionstat_ticket_ rs_begin_renew(struct rs_thread *thread, struct regionstat_site_ *site)
{
	struct rs_entry *entry = thread->top->below;
	uintptr_t stack = entry->stack;
	rs_cell_add_open(entry->region->cell, UINT32_MAX);
	if (thread->runtime->samples)
		rs_sample_undo(entry->region);
	rs_entry_free(thread, entry);
	rs_snapshot_renew(thread, RS_SLOW_RENEW_BEGIN);
	rs_leave(thread);
	return thread->runtime->again->begin(site, stack);
}

regionstat_ticket_ rs_begin_resumed(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	if (rs_switches_resume(thread, RS_SLOW_RESUMED_BEGIN)) {
		rs_leave(thread);
		return thread->runtime->again->begin(site, stack);
	}
	volatile uint64_t *watched = rs_switches_pass(thread);
	rs_leave(thread);
	regionstat_ticket_ ticket = thread->runtime->again->begin(site, stack);
	thread->watched = watched;
	return ticket;
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
regionstat_ticket_ rs_begin_name_at(const char *name, uintptr_t stack)
{
	struct rs_thread *thread = rs_enter_slowly(stack);
	if (RS_UNLIKELY(!thread))
		return 0;
	bool is_charged = rs_is_anybody_around(thread, NULL);
	if (is_charged)
		rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_name(thread, name);
	if (is_charged)
		rs_slow_end(thread, region ? region->cell : NULL, RS_SLOW_NAME);
	rs_leave(thread);
	if (!region)
		return 0;
	struct regionstat_site_ site = {name, rs_region_mark(rs_region_of(thread, region))};
	return thread->runtime->again->begin(&site, stack);
}

regionstat_ticket_ rs_begin_name(const char *name)
{
	return rs_name_is_left_out(name) ? 0 : rs_begin_name_at(name, RS_STACK);
}
