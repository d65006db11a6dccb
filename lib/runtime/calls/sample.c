/* SPDX-License-Identifier: MIT */
/*
 * How many calls a measured one represents. At first every call is measured. Then the weight is
 * what the user set for the region, or what keeps markers within their share of time. The latter
 * is chosen at 32 measured calls and again whenever there are twice as many.
 */
#include "runtime/calls/sample.h"

/* Where skipped calls already take more than their share, no number is large enough. */
#define MOST_CALLS 1024u

/* The time of a region's call that the budget is a share of, in ticks. It is half of the sum of
 * two times: its self time, and its inclusive time divided by the number of levels to which
 * regions nest. So all regions together take no more than the share, however they nest. time: of a
 * call, children: the part of it in regions within. */
static uint64_t time_for_markers(struct rs_thread *thread, uint64_t time, uint64_t children)
{
	uint64_t levels = 1;
	uint32_t n = rs_most_steps(thread);
	for (const struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below)
		levels++;
	if (levels > thread->depth.levels)
		thread->depth.levels = levels;
	return (time - children + time / thread->depth.levels) / 2;
}

/* So many that markers take nine tenths of that; what a marker costs beyond what is known of it is
 * in the rest. Time is the median of the calls that had no context switch, since a cold first call
 * or a preempted one says little. */
static uint32_t choose_by_budget(struct rs_thread *thread, uint32_t index)
{
	const struct rs_runtime *runtime = thread->runtime;
	struct rs_thread_region *region = &thread->regions[index];
	uint64_t *sums = thread->room.used;
	uint64_t calls = rs_cell_sums(thread, region, sums);
	if (!calls) /* they are kept apart by their work, or had a context switch each */
		return 1;
	uint64_t inside = thread->cost->inside[0], time = rs_cell_median(thread, region);
	uint64_t mean = sums[0] / calls;
	time = time > inside ? time - inside : 0;
	mean = mean > inside ? mean - inside : 0;
	uint64_t children = rs_cell_children(region->cell, thread->n_events)[0].sum >> 1;
	children = mean && children / calls < mean
			   ? (uint64_t)((unsigned __int128)time * (children / calls) / mean)
			   : time;
	uint64_t pair = region->pair_ticks > 0 ? (uint64_t)region->pair_ticks : 0,
		 skip = thread->cost->skip[0];
	if (thread->counters.n_reads) /* what a marker with read() commonly takes, twice */
		pair += 2 * runtime->marker_ticks;
	uint64_t allowed =
		(uint64_t)((unsigned __int128)(time_for_markers(thread, time, children) + pair) *
			   9 * runtime->budget_ppm / 10000000);
	if (pair <= allowed)
		return 1;
	if (allowed <= skip || (pair - skip) / (allowed - skip) >= MOST_CALLS)
		return MOST_CALLS;
	return (uint32_t)((pair - skip + (allowed - skip) - 1) / (allowed - skip));
}

/* Until there are twice as many. */
static uint32_t n_measured(const struct rs_thread_region *region)
{
	uint64_t word = rs_cell_word(region->cell);
	uint64_t calls = rs_cell_calls(word);
	return calls < RS_FIRST_CALLS ? RS_FIRST_CALLS
	       : calls < INT32_MAX    ? (uint32_t)calls
				      : INT32_MAX;
}

void rs_sample_choose(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	struct rs_runtime *runtime = thread->runtime;
	uint32_t every = region->every;
	region->n_until_choice = UINT32_MAX;
	/* "(other)": its calls are several regions' */
	if (!every || !runtime->samples || !index) {
		region->every = region->turn = 1;
		region->rest = 0;
		if (runtime->samples && index)
			region->n_until_choice = RS_FIRST_CALLS;
		return;
	}
	uint32_t told = rs_region_sample_calls(runtime, index);
	uint32_t most = told ? told : choose_by_budget(thread, index);
	most = (most < INT32_MAX ? most : INT32_MAX - 1) | 1; /* odd: segment/cell.h */
	/* by steps: so the latest so many calls, of which it may be that none is measured, are few
	 * beside all that there were */
	uint32_t twice = 2 * every + 1;
	region->every = twice < most ? twice : most;
	if (region->every < most)
		region->n_until_choice = RS_FIRST_CALLS / 2;
	else if (!told)
		region->n_until_choice = n_measured(region);
	uint32_t turn = rs_sample_draw(thread, region->every);
	region->turn = region->rest + turn; /* the latest so many are not over yet */
	region->rest = (region->every - turn) & INT32_MAX;
}

bool rs_leaf_open(struct rs_thread *thread, struct rs_thread_region *region)
{
	uintptr_t stack = thread->leaf_stack;
	if (!rs_entry_has_room(thread) && !rs_entry_make_room(thread, stack))
		return false;
	rs_entry_open_apart(thread, region, RS_APART_LEFT_OUT, stack);
	return true;
}

/* The same of one that stays open; without room it is one beyond those that are kept. */
static void open_or_count(struct rs_thread *thread, struct rs_thread_region *region)
{
	if (rs_leaf_open(thread, region))
		return;
	thread->depth.overflow++;
	rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
}

regionstat_ticket_ rs_sample_skip_framed(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	region->turn--;
	thread->leaf_stack = stack;
	open_or_count(thread, region);
	return rs_leaf_of(region);
}

regionstat_ticket_ rs_sample_skip_recursive(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	regionstat_ticket_ ticket = rs_sample_skip_framed(thread, region, stack);
	rs_leave(thread);
	return ticket;
}

bool rs_leaf_make_frame(struct rs_thread *thread, uintptr_t stack)
{
	uintptr_t leaf = thread->busy;
	if (rs_leaf_enter_frame(thread, stack)) {
		rs_leave(thread);
		return true;
	}
	if (!(leaf & RS_LEAF) || !rs_leaf_enter(thread, leaf, stack))
		return false;
	bool is_here = rs_load_64((const uint64_t *)(const void *)thread->is_here);
	if (is_here) /* else its cell is the parent's: see rs_leaf_inherit() */
		open_or_count(thread, (void *)(leaf - RS_LEAF));
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = is_here ? 0 : leaf;
	return is_here;
}

void rs_leaf_inherit(struct rs_thread *thread)
{
	struct rs_thread_region *region = (void *)(thread->busy - RS_LEAF);
	if (!(thread->busy & RS_LEAF))
		return;
	region->cell = thread->runtime->no_cell;
	open_or_count(thread, region);
	thread->busy = 0;
}

struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	if (index == RS_REGION_LEFT_OUT)
		return NULL;
	if (rs_region_is_ready(region))
		return region;
	if (!rs_cell_bind(thread, index))
		return NULL;
	rs_sample_choose(thread, index);
	return region;
}
