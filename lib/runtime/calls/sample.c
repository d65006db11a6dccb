/* SPDX-License-Identifier: MIT */
/*
 * Choosing the weight of measured calls: how many calls each of them represents. At first every
 * call is measured. Later the weight is the one that the user set for the region, or one that keeps
 * the budget. A weight for the budget is chosen after 32 measured calls, and again each time their
 * number has doubled.
 */
#include "runtime/calls/sample.h"

/* The largest weight. Skipped calls alone can exceed the budget, whatever the weight is. Then
 * measured calls may take 1 / PART_OF_SKIPPED of the time that skipped calls take. */
#define MOST_CALLS 1024u
#define PART_OF_SKIPPED 16u

/* Return the time of a region's call, in ticks, of which markers may use a share: the budget. The
 * result is the mean of two times: the call's self time, and its inclusive time divided by the
 * levels of nested regions. So all regions together stay within the budget. `children` is the time
 * in nested regions. */
static uint64_t time_for_markers(struct rs_thread *thread, uint64_t time, uint64_t children)
{
	uint64_t levels = 1;
	uint32_t n = rs_most_steps(thread);
	for (const struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below)
		levels++;
	if (levels > thread->frames.levels)
		thread->frames.levels = levels;
	return (time - children + time / thread->frames.levels) / 2;
}

/* Return the weight of calls whose markers may take `allowed` ticks on average, if they take `pair`
 * for a measured call and `skip` for a skipped one. */
static uint32_t find_weight(uint64_t pair, uint64_t skip, uint64_t allowed)
{
	uint64_t least = (skip + PART_OF_SKIPPED - 1) / PART_OF_SKIPPED;
	uint64_t rest = allowed > skip + least ? allowed - skip : least;
	if (pair <= allowed || pair <= skip)
		return 1;
	if (!rest || (pair - skip) / rest >= MOST_CALLS)
		return MOST_CALLS;
	return (uint32_t)((pair - skip + rest - 1) / rest);
}

/* Return the smallest weight for which the known overhead is at most half of the budget. While
 * other work keeps the processor busy, markers take up to twice as long. The time of a call is the
 * median, without context switches, because cold and preempted calls are not typical. */
static uint32_t choose_by_budget(struct rs_thread *thread, uint32_t index)
{
	const struct rs_runtime *runtime = thread->runtime;
	struct rs_thread_region *region = &thread->regions[index];
	uint64_t *sums = thread->scratch.used;
	uint64_t calls = rs_accumulator_sums(thread, region, sums);
	if (!calls) /* no call without a context switch, or calls with work are counted elsewhere */
		return 1;
	uint64_t inside = thread->cost->inside[0], time = rs_accumulator_median(thread, region);
	uint64_t mean = sums[0] / calls;
	time = time > inside ? time - inside : 0;
	mean = mean > inside ? mean - inside : 0;
	uint64_t children = rs_accumulator_children(region->accumulator, thread->n_events)[0].sum >>
			    1;
	children = mean && children / calls < mean
			   ? (uint64_t)((unsigned __int128)time * (children / calls) / mean)
			   : time;
	uint64_t pair = region->pair_ticks > 0 ? (uint64_t)region->pair_ticks : 0,
		 skip = thread->cost->skip[0];
	/* If there are groups with read(), add twice the usual time of a marker. */
	if (thread->counters.n_reads)
		pair += 2 * runtime->marker_ticks;
	/* The budget is a share of a time that includes markers. */
	uint64_t allowed = (uint64_t)((unsigned __int128)time_for_markers(thread, time, children) *
				      runtime->budget_ppm / (2000000 - runtime->budget_ppm));
	return find_weight(pair, skip, allowed);
}

/* Return how many measured calls to wait until the next choice: as many as there were so far. */
static uint32_t n_measured(const struct rs_thread_region *region)
{
	uint64_t word = rs_accumulator_word(region->accumulator);
	uint64_t calls = rs_accumulator_calls(word);
	return calls < RS_FIRST_CALLS ? RS_FIRST_CALLS
	       : calls < INT32_MAX    ? (uint32_t)calls
				      : INT32_MAX;
}

/* Before the region's first skipped call, set the overhead of such calls. It stays, because STOPs
 * add their difference to it. Calls that take longer than their markers are long: the processor
 * executes their markers during their work, as in the calibration. If no call has a known time, all
 * had a context switch or work, so they count as long. */
static void set_skip(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_accumulator *accumulator = region->accumulator;
	const struct rs_cost *cost = thread->cost;
	bool is_long = !rs_accumulator_count_of(thread, region, 0) ||
		       rs_accumulator_median(thread, region) > cost->inside[0] + cost->pair[0];
	uint32_t ticks = (uint32_t)(is_long ? cost->skip_long[0] : cost->skip[0]);
	if (!atomic_load_explicit(&accumulator->skipped, memory_order_relaxed))
		atomic_store_explicit(&accumulator->skip_ticks, ticks, memory_order_relaxed);
	if (atomic_load_explicit(&accumulator->skip_ticks, memory_order_relaxed) !=
		cost->skip_long[0])
		thread->frames.has_short = true;
}

/* Choose the weight of a region's calls from now on, and which of them is measured next. Call this
 * for a region that is new on its thread, or after n_until_choice measured calls. */
static void choose(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	struct rs_runtime *runtime = thread->runtime;
	uint32_t every = region->weight;
	region->n_until_choice = UINT32_MAX;
	/* Calls of "(other)" belong to several regions, so they are not sampled. */
	if (!every || !runtime->samples || !index) {
		region->weight = region->n_until_measured = 1;
		region->rest = 0;
		if (runtime->samples && index)
			region->n_until_choice = RS_FIRST_CALLS;
		return;
	}
	uint32_t given = rs_region_sample_calls(runtime, index);
	uint32_t most = given ? given : choose_by_budget(thread, index);
	/* An odd weight keeps the parity of the sums (segment/accumulator.h). */
	most = (most < INT32_MAX ? most : INT32_MAX - 1) | 1;
	/* At most double the weight. Then the calls of one step are few compared with all calls,
	 * even if none of them is measured. */
	uint32_t twice = 2 * every + 1;
	region->weight = twice < most ? twice : most;
	if (region->weight > 1)
		set_skip(thread, region);
	if (region->weight < most)
		region->n_until_choice = RS_FIRST_CALLS / 2;
	else if (!given)
		region->n_until_choice = n_measured(region);
	uint32_t turn = rs_sample_draw(thread, region->weight);
	/* The current group of calls is not over yet: skip its rest first. */
	region->n_until_measured = region->rest + turn;
	region->rest = region->weight - turn;
}

bool rs_leaf_open(struct rs_thread *thread, struct rs_thread_region *region)
{
	uintptr_t stack = thread->leaf_stack;
	if (!rs_frame_has_room(thread) && !rs_frame_make_room(thread, stack))
		return false;
	return rs_frame_open_slow(thread, region, RS_FRAME_SKIPPED, stack);
}

/* Open a frame for a skipped call that stays open. If no frame is free, only count the call, and
 * return false. */
static bool open_or_count(struct rs_thread *thread, struct rs_thread_region *region)
{
	if (rs_leaf_open(thread, region))
		return true;
	rs_frame_count_beyond(thread);
	return false;
}

regionstat_ticket_ rs_sample_skip_framed(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	region->n_until_measured--;
	thread->leaf_stack = stack;
	if (!open_or_count(thread, region))
		return rs_ticket_beyond(thread);
	return thread->innermost->ticket;
}

regionstat_ticket_ rs_sample_skip_recursive(
	struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread)
{
	regionstat_ticket_ ticket = rs_sample_skip_framed(thread, region, stack);
	rs_leave(thread);
	return ticket;
}

bool rs_leaf_make_frame(struct rs_thread *thread, uintptr_t stack)
{
	uintptr_t leaf = rs_busy(thread);
	if (rs_leaf_enter_frame(thread, stack)) {
		rs_leave(thread);
		return true;
	}
	if (!(leaf & RS_LEAF) || !rs_leaf_claim(thread, leaf, stack))
		return false;
	/* If is_here is 0, the accumulator belongs to the parent: see rs_leaf_inherit(). */
	if (!rs_load_64((const uint64_t *)(const void *)thread->is_here)) {
		rs_leaf_give_back(thread, leaf);
		return false;
	}
	open_or_count(thread, (void *)(leaf - RS_LEAF));
	rs_leave(thread);
	return true;
}

void rs_leaf_open_claimed(struct rs_thread *thread)
{
	uintptr_t leaf = thread->life.claimed_leaf;
	__atomic_store_n(&thread->life.claimed_leaf, 0, __ATOMIC_RELAXED);
	if (leaf & RS_LEAF)
		open_or_count(thread, (void *)(leaf - RS_LEAF));
}

void rs_leaf_mend(struct rs_thread *thread)
{
	struct rs_thread_region *region = thread->interrupted.framed;
	if (rs_busy(thread) & RS_FRAMING && !region->innermost)
		open_or_count(thread, region);
}

void rs_leaf_inherit(struct rs_thread *thread)
{
	struct rs_thread_region *region = (void *)(rs_busy(thread) - RS_LEAF);
	if (!(rs_busy(thread) & RS_LEAF))
		return;
	region->accumulator = thread->runtime->no_accumulator;
	region->work = 0;
	region->worked = NULL;
	open_or_count(thread, region);
	thread->busy = 0;
}

struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	if (index == RS_REGION_FILTERED)
		return NULL;
	if (rs_region_is_ready(region))
		return region;
	if (thread->runtime->is_attached && rs_region_is_filtered(thread->runtime, index))
		return NULL;
	if (index == RS_REGION_NONE || !rs_accumulator_bind(thread, index)) {
		thread->frames.lacks_regions = true;
		return NULL;
	}
	choose(thread, index);
	return region;
}
