/* SPDX-License-Identifier: MIT */
/*
 * Advice on markers that take too much of a program. Comes in: what those of each region cost, and
 * what a call would that is left out. Goes out: the sampling that brings them all under the share
 * from which on advice is given; or, where none can, what else to do.
 */
#include "stats/own_cost.h"

#include <inttypes.h>
#include <math.h>

/* What --sample takes at most. */
#define MOST_CALLS 1000000000u

static size_t find_dearest(const struct rs_collection *collection, const struct rs_cost *costs)
{
	size_t dearest = 0;
	for (size_t i = 1; i < collection->n_regions; i++)
		if (rs_cost_ns(&costs[i]) > rs_cost_ns(&costs[dearest]))
			dearest = i;
	return dearest;
}

/*
 * About every how many-th call to measure so that markers take their share at most, of what they
 * then take and the rest of the program does. costs[n]: of the regions that would be sampled;
 * other_ns: of all other markers; rest_ns: what is left of the marked threads' time without
 * any. 0: however few are measured, markers take more.
 */
static uint32_t find_calls(
	const struct rs_cost *costs, size_t n, long double other_ns, long double rest_ns)
{
	static const uint32_t steps[] = {1, 2, 5}; /* times powers of ten: round numbers will do */
	const long double share = RS_OWN_COST_ADVISED_SHARE;
	long double most = share / (1 - share) * fmaxl(rest_ns, 0) - other_ns;
	for (uint64_t power = 1; power < MOST_CALLS; power *= 10) {
		for (size_t step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
			uint64_t calls = power * steps[step];
			long double ns = 0;
			for (size_t i = 0; i < n; i++)
				ns += rs_cost_ns_sampled(&costs[i], (long double)calls);
			if (calls > 1 && ns < most)
				return (uint32_t)calls;
		}
	}
	return 0;
}

const char *rs_own_cost_advise(struct rs_arena *arena, const struct rs_collection *collection,
	const struct rs_cost *costs, long double whole_ns, bool raw, const char **region)
{
	const bool *are_short = rs_own_cost_find_short(arena, collection, raw);
	size_t n = collection->n_regions, dearest = find_dearest(collection, costs);
	const char *name = collection->regions[dearest].name, *text = NULL;
	long double cost = 0, setup = 0;
	*region = name;
	for (size_t i = 0; i < n; i++)
		cost += rs_cost_ns(&costs[i]);
	for (size_t i = 0; i < collection->n_processes; i++)
		setup += (long double)collection->processes[i].setup_ns;
	if (setup > cost)
		return "most of it in the threads' first markers\n  try: mark in threads that live "
		       "longer";
	long double rest = whole_ns - cost - setup;
	long double others = cost - rs_cost_ns(&costs[dearest]) + setup;
	uint32_t calls = find_calls(&costs[dearest], 1, others, rest);
	if (calls > 0) {
		const char *value = rs_arena_format(arena, "%s:%" PRIu32, name, calls);
		text = rs_arena_format(arena,
			"most of it in %s\n  try: --sample %s, which brings markers under %.0Lf%%, "
			"or "
			"--budget %.0Lf%%",
			rs_message_quote(arena, name), rs_message_quote(arena, value ? value : "?"),
			RS_OWN_COST_ADVISED_SHARE * 100, RS_OWN_COST_ADVISED_SHARE * 100);
	} else if ((calls = find_calls(costs, n, setup, rest)) > 0) {
		text = rs_arena_format(arena,
			"most of it in %s, but not all\n  try: --sample %" PRIu32
			", which brings markers under %.0Lf%%, or --budget %.0Lf%%",
			rs_message_quote(arena, name), calls, RS_OWN_COST_ADVISED_SHARE * 100,
			RS_OWN_COST_ADVISED_SHARE * 100);
	} else {
		text = rs_arena_format(arena, "most of it in %s\n  %s: mark the enclosing loop",
			rs_message_quote(arena, name),
			are_short && are_short[dearest] ? "region too short to measure" : "try");
	}
	return text ? text : "try: mark larger regions";
}
