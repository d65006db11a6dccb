/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time of calls: see off_cpu.h. In comes what switches.c found between two markers; out go
 * the sums of struct rs_off_sums. All of it is exact: a skipped call has its off-CPU time as well.
 */
#include "runtime/calls/off_cpu.h"

#include <string.h>

#include "runtime/arch/compiler.h"

static RS_OWN_WORDS void add(uint64_t *sums, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		sums[k] += off[k];
}

static void subtract(uint64_t *sums, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		sums[k] -= off[k] < sums[k] ? off[k] : sums[k];
}

/* A call that a forked process or a pause has left is no call any more. */
static RS_OWN_WORDS void book(struct rs_thread *thread, struct rs_entry *entry, const uint64_t *off)
{
	if (entry->apart & RS_APART_IGNORED)
		return;
	rs_entry_set_apart(entry, RS_APART_SWITCHED);
	add(rs_entry_off(thread, entry)->total, off);
}

static void book_unmarked(struct rs_thread *thread, const uint64_t *off)
{
	for (int k = 0; k < RS_OFF_N; k++)
		atomic_fetch_add_explicit(
			&thread->part.slot->unmarked_off_ticks[k], off[k], memory_order_relaxed);
}

static void book_self(struct rs_thread *thread, struct rs_entry *entry, const uint64_t *off)
{
	if (entry == thread->ground)
		book_unmarked(thread, off);
	else if (!(entry->apart & RS_APART_IGNORED))
		add(rs_entry_off(thread, entry)->self, off);
}

RS_OWN_WORDS void rs_off_cpu_book(struct rs_thread *thread, const uint64_t *off)
{
	struct rs_entry *innermost = thread->innermost;
	uint32_t n = rs_most_steps(thread), n_async = n;
	for (struct rs_entry *entry = innermost; entry != thread->ground && n--;
		entry = entry->below)
		book(thread, entry, off);
	for (struct rs_entry *entry = thread->asyncs.ring->below;
		entry != thread->asyncs.ring && n_async--; entry = entry->below)
		book(thread, entry, off);
	book_self(thread, innermost, off);
}

/* A switch between the clock reading of an END and its look is not the call's own: then the call
 * has more off-CPU time than time. The off-CPU time that the latest look booked to it belongs to
 * the call around. */
static void give_back_latest(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_entry_off *off = rs_entry_off(thread, entry);
	const uint64_t *latest = thread->switches.booked;
	subtract(off->total, latest);
	subtract(off->self, latest);
	if (!(entry->apart & RS_APART_ASYNC) && thread->innermost == entry)
		book_self(thread, entry->below, latest);
}

/* Both clocks are exact to some ticks only. */
static void limit(uint64_t *off, uint64_t most)
{
	for (int k = 0; k < RS_OFF_N; k++) {
		off[k] = off[k] < most ? off[k] : most;
		most -= off[k];
	}
}

/* The least time of the region's calls that had no context switch; 0: not known. */
static uint64_t find_least(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_rare *rare = rs_cell_row_now(region->cell, thread->shape);
	uint64_t least = ~rs_rare_extremes(rare, thread->shape)->min_inverted;
	uint64_t inside = thread->cost->inside[0];
	return ~least && least > inside ? least - inside : 0;
}

/* The off-CPU time that a call of so many ticks can have at most. The kernel takes about 1 us of a
 * thread's CPU time to switch it out and in, so less on-CPU time is an error of the clocks. A
 * hypervisor's steal time between two looks is such an error, wherever it was. Then the call had as
 * much on-CPU time as the shortest call without a switch. */
static uint64_t most_off(const struct rs_thread *thread, const struct rs_entry *entry,
	const struct rs_entry_off *off, uint64_t ticks)
{
	uint64_t all = rs_off_sum(off->total), least = find_least(thread, entry->region);
	if (all + thread->switches.us_ticks <= ticks)
		return all;
	uint64_t most = ticks > least ? ticks - least : 0;
	return all < most ? all : most;
}

void rs_off_cpu_end(struct rs_thread *thread, struct rs_entry *entry, uint64_t ticks)
{
	struct rs_entry_off *off = rs_entry_off(thread, entry);
	/* Most of the latest off-CPU time lies behind the end of a call that took less than half of it. Of
	 * a call that was blocked nearly all its time the clocks may say a little more than that. */
	if (thread->switches.is_booked && ticks < rs_off_sum(thread->switches.booked) / 2)
		give_back_latest(thread, entry);
	uint64_t most = most_off(thread, entry, off, ticks);
	if (rs_off_sum(off->total) > most) {
		limit(off->total, most);
		limit(off->self, most);
	}
	/* set before the limit, where the calls of the region do not end in the order of a nest */
	for (int k = 0; k < RS_OFF_N; k++)
		off->told[k] = off->told[k] < off->total[k] ? off->told[k] : off->total[k];
}

static void tell_inner(struct rs_thread *thread, struct rs_entry *entry)
{
	if (entry->apart & RS_APART_ASYNC)
		return;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *inner = entry->region->innermost; inner && inner != entry && n--;
		inner = inner->outer) {
		struct rs_entry_off *off = rs_entry_off(thread, inner);
		memcpy(off->told, off->total, sizeof(off->told));
	}
}

void rs_off_cpu_add(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_off_sums *sums, uint64_t weight)
{
	struct rs_entry_off *off = rs_entry_off(thread, entry);
	bool is_async = entry->apart & RS_APART_ASYNC;
	bool is_outermost = is_async || !entry->outer;
	uint64_t own = weight * rs_off_sum(off->total);
	for (int k = 0; k < RS_OFF_N; k++) {
		sums->calls[k] += off->total[k] > 0;
		sums->self[k] += is_async ? off->total[k] : off->self[k];
		if (is_outermost)
			sums->total[k] += off->total[k] - off->told[k];
	}
	if (is_outermost)
		sums->weighted += own - weight * rs_off_sum(off->told);
	sums->weighted_self += own - off->children;
	tell_inner(thread, entry);
	if (!is_async && entry->below != thread->ground && entry->below->apart & RS_APART_SWITCHED)
		rs_entry_off(thread, entry->below)->children += own;
}

void rs_off_cpu_skip(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *region)
{
	struct rs_thread_region *twin = rs_cell_twin(thread, region);
	if (twin == region)
		return;
	struct rs_rare *rare = rs_cell_row_now(twin->cell, &thread->runtime->switched_shape);
	rs_off_cpu_add(thread, entry, &rare->off, 0);
}

void rs_off_cpu_clear(struct rs_thread *thread, struct rs_entry *entry)
{
	memset(rs_entry_off(thread, entry), 0, sizeof(struct rs_entry_off));
}
