/* SPDX-License-Identifier: MIT */
/*
 * How many calls a measured one stands for: at first, each is measured; from then on, in steps, as
 * many as the user said for the region, or as keep markers within the share of time that they may
 * take.
 */
#include "runtime/mark/sample.h"

/* Where calls that are left out take more than their share already, no number is large enough. */
#define MOST_CALLS 1024u

/* The time of a region's calls that the budget is a share of, in ticks a call: half of what is their
 * own, and of all that is in them the same part for each level that regions nest to. So what all
 * regions may take together is no more than the share, however they nest. sum: of so many calls,
 * children: what regions within them had of it. */
static uint64_t time_for_markers(
	struct rs_thread *thread, uint64_t sum, uint64_t children, uint64_t calls)
{
	uint64_t levels = 1;
	for (const struct rs_entry *entry = thread->top->below; entry != thread->ground;
		entry = entry->below)
		levels++;
	if (levels > thread->levels)
		thread->levels = levels;
	uint64_t own = sum > children ? sum - children : 0;
	return (own + sum / thread->levels) / 2 / calls;
}

/* So many that markers take nine tenths of that; what a marker costs beyond what is known of it is in
 * the rest. */
static uint32_t choose_by_budget(struct rs_thread *thread, uint32_t index)
{
	const struct rs_runtime *runtime = thread->runtime;
	struct rs_thread_region *region = &thread->regions[index];
	uint64_t *sums = thread->room.used;
	uint64_t calls = rs_cell_sums(thread, region, sums);
	if (!calls) /* they are kept apart by their work */
		return 1;
	uint64_t inside = calls * thread->cost->inside[0];
	uint64_t sum = sums[0] > inside ? sums[0] - inside : 0;
	uint64_t children = rs_cell_children(region->cell, thread->n_events)[0].sum >> 1;
	uint64_t pair = thread->cost->pair[0], skip = thread->cost->skip[0];
	if (thread->n_reads) /* what a marker with read() commonly takes, twice */
		pair += 2 * runtime->marker_ticks;
	uint64_t allowed =
		(uint64_t)((unsigned __int128)(time_for_markers(thread, sum, children, calls) +
					       pair) *
			   9 * runtime->budget_ppm / 10000000);
	if (pair <= allowed)
		return 1;
	if (allowed <= skip || (pair - skip) / (allowed - skip) >= MOST_CALLS)
		return MOST_CALLS;
	return (uint32_t)((pair - skip + (allowed - skip) - 1) / (allowed - skip));
}

void rs_sample_choose(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *region = &thread->regions[index];
	struct rs_runtime *runtime = thread->runtime;
	uint64_t *most_calls = &thread->more[index].most;
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
	if (every == 1) {
		uint32_t told = rs_region_sample_calls(runtime, index);
		uint32_t most = told ? told : choose_by_budget(thread, index);
		most = (most < INT32_MAX ? most : INT32_MAX) | 1; /* odd: segment/cell.h */
		*most_calls = most & INT32_MAX;
	}
	/* by steps: so the latest so many calls, of which it may be that none is measured, are few
	 * beside all that there were */
	uint64_t twice = 2 * (uint64_t)every + 1;
	region->every = (uint32_t)(twice < *most_calls ? twice
						       : *most_calls); /* odd: segment/cell.h */
	if (region->every < *most_calls)
		region->n_until_choice = RS_FIRST_CALLS / 2;
	uint32_t turn = rs_sample_draw(thread, region->every);
	region->turn = region->rest + turn; /* the latest so many are not over yet */
	region->rest = (region->every - turn) & INT32_MAX;
}
