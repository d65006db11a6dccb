/* SPDX-License-Identifier: MIT */
/*
 * This file computes the overhead of markers for the run and for each row. It adds up the overhead
 * of all results, and of the first marker and the end of each thread. From the sum it computes the
 * overhead of one call, and the share of overhead in CPU time. A NEXT marker ends one call and
 * begins another, so it counts as one pair of markers.
 *
 * The overhead is a lower bound. A marker also keeps the processor from executing the code before
 * it and the code after it at the same time. This effect cannot be measured.
 */
#include "stats/builder.h"

#include <math.h>

#include "stats/wide.h"

/* Set own from the overhead of a result's calls and from setup_ns, the time of threads in their
 * first markers and at their ends. own->share is relative to whole_ns, or NAN if whole_ns is
 * unknown. */
static void set_cost(struct rs_marker_overhead *own, const struct rs_result *of,
	long double setup_ns, long double whole_ns)
{
	const struct rs_overhead *cost = &of->overhead;
	long double ns = rs_overhead_ns(cost), calls = (long double)of->calls;
	long double measured = (long double)of->measured;
	*own = (struct rs_marker_overhead){.share = NAN};
	own->known = calls > 0 && ns > 0 && !cost->unknown;
	if (!own->known)
		return;
	own->call_ns = (double)(ns / calls);
	own->pair_ns = measured > 0 ? (double)((long double)cost->measured_ns / measured) : NAN;
	own->total_ns = (double)(ns + setup_ns);
	own->slow_ns = (double)cost->measured_ns - (double)cost->fast_ns;
	if (whole_ns > 0)
		own->share = (double)fminl((ns + setup_ns) / whole_ns, 1);
}

/* Return the program's CPU time in ns, or the sum of the lifetimes of the marked threads if the CPU
 * time is unknown. */
static long double whole_ns(const struct rs_summary *summary)
{
	long double cpu_ns = (long double)summary->user_ns + (long double)summary->system_ns;
	return cpu_ns > 0 ? cpu_ns : (long double)summary->whole.lifetimes_ns;
}

void rs_marker_overhead_of_run(struct rs_summary *summary)
{
	const struct rs_run *run = summary->run;
	struct rs_result all = {0};
	rs_u128 setup = 0;
	for (size_t i = 0; i < run->n_results; i++) {
		all.calls += run->results[i].calls;
		all.measured += run->results[i].measured;
		rs_overhead_add(&all.overhead, &run->results[i].overhead);
	}
	for (size_t i = 0; i < run->n_processes; i++)
		setup += run->processes[i].setup_ns;
	set_cost(&summary->total.overhead, &all, (long double)setup, whole_ns(summary));
	summary->overhead_setup_ns = rs_wide_to_u64(setup);
}

void rs_marker_overhead_of_row(struct rs_marker_overhead *cost, const struct rs_result *row)
{
	const struct rs_value *cpu = &row->values[RS_EVENT_CPU_TIME];
	const struct rs_value *of = cpu->status == RS_VALUE_OK ? cpu : &row->values[RS_EVENT_TIME];
	set_cost(cost, row, 0, (long double)of->total + rs_overhead_ns(&row->overhead));
}

const double *rs_marker_overhead_find_bounds(const struct rs_builder *builder)
{
	const struct rs_run *run = builder->run;
	struct rs_arena *arena = builder->arena;
	/* sums over all calls of a region */
	struct sums {
		long double time, weights, measured, fast_ns;
	} *sums = rs_arena_array(arena, run->n_regions, sizeof(*sums));
	double *bounds_ns = rs_arena_array(arena, run->n_regions, sizeof(*bounds_ns));
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		struct sums *sum = &sums[rs_run_owner(run, result->region)];
		long double weight = (long double)result->weight;
		sum->time += (long double)result->values[RS_EVENT_TIME].sum;
		/* with --raw, times include the overhead inside each call, so subtract it */
		sum->time -= run->how.raw ? weight * run->processes[result->process].inside_ns : 0;
		sum->weights += weight;
		sum->measured += (long double)result->measured;
		sum->fast_ns += (long double)result->overhead.fast_ns;
	}
	long double lifetimes = (long double)builder->summary->whole.lifetimes_ns;
	for (size_t i = 0; i < run->n_regions; i++) {
		long double each = sums[i].fast_ns / sums[i].measured;
		long double most = each * sums[i].weights;
		/* If calls were sampled and `most` exceeds the lifetimes of all threads, the calls
		 * cannot all be as long as a pair of markers. Then the measured times say more. */
		bool is_possible = most <= lifetimes || sums[i].weights <= sums[i].measured;
		if (sums[i].weights > 0 && sums[i].measured > 0 && sums[i].time < most &&
			is_possible)
			bounds_ns[i] = ceil((double)each);
	}
	return bounds_ns;
}
