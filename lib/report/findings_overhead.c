/* SPDX-License-Identifier: MIT */
/*
 * This file makes the findings about the overhead of markers: its share of the CPU time, and
 * regions whose calls take less time than their markers.
 */
#include <math.h>
#include <string.h>

#include "report/format.h"
#include "report/finder.h"
#include "segment/adapters.h"

#define LEAST_OVERHEAD 0.05 /* share of the CPU time */
#define LEAST_OVERHEAD_NS 1e6 /* a smaller overhead does not matter, whatever its share is */
/* In short programs, the first markers of each thread take a large share of the time. The user
 * cannot avoid this. Therefore a warning needs at least 10 ms of setup. */
#define LEAST_SETUP_NS 1e7
#define LEAST_SHORT 0.01
/* on each thread, this many first calls of a region are measured, even with --budget */
#define ALWAYS_MEASURED 32
/* a marker after a context switch takes at least as long as this many other calls */
#define CALLS_OF_SWITCH 32

/* A skipped call takes this share of the overhead of a measured call. Without events, that is at
 * most about MOST_PAIR_NS, and skipped calls read no events. The share is SKIPPED_LONG if calls
 * take LEAST_LONG times their overhead: then markers overlap with the work
 * (regionstat-overhead(7)). */
#define SKIPPED_SHORT (1.0 / 6)
#define SKIPPED_LONG (1.0 / 32)
#define LEAST_LONG 2
#define MOST_PAIR_NS 32

static const struct rs_summary_region *find_dearest(const struct rs_summary *summary)
{
	const struct rs_summary_region *dearest = NULL;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		if (region->overhead.known &&
			(!dearest || region->overhead.total_ns > dearest->overhead.total_ns))
			dearest = region;
	}
	return dearest;
}

/* Return true if the overhead of ns nanoseconds is enough for a finding, and the share of all
 * overhead in the CPU time is above `least`. */
static bool matters(const struct rs_summary *summary, double least, double ns)
{
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	return cost->known && isfinite(cost->share) && cost->share > least &&
	       ns >= LEAST_OVERHEAD_NS;
}

/* Return how much of a region's overhead would remain if nearly all its calls were skipped. */
static double find_unavoidable_ns(const struct rs_summary_region *region)
{
	double calls = (double)region->calls, slow_ns = fmax(region->overhead.slow_ns, 0);
	double pair_ns = region->overhead.pair_ns - slow_ns / calls; /* without slow paths */
	double measured = fmin(calls, ALWAYS_MEASURED * fmax((double)region->n_threads, 1));
	bool is_long = (double)region->values[RS_EVENT_TIME].total >= LEAST_LONG * pair_ns * calls;
	double skipped_ns = fmin(pair_ns, MOST_PAIR_NS) * (is_long ? SKIPPED_LONG : SKIPPED_SHORT);
	return region->overhead.known
		       ? slow_ns + measured * pair_ns + (calls - measured) * skipped_ns
		       : 0;
}

/* Return a remedy with the smallest usual budget that sampling can keep. It must be twice the
 * overhead that sampling cannot avoid, because measured calls take half of it (calls/sample.c). */
static const char *find_budget_remedy(const struct rs_finder *finder)
{
	static const char *const remedies[] = {"use --budget 1%, or mark larger parts",
		"use --budget 2%, or mark larger parts", "use --budget 5%, or mark larger parts"};
	static const double budgets[] = {0.01, 0.02, 0.05};
	const struct rs_summary *summary = finder->summary;
	const struct rs_marker_overhead *all = &summary->total.overhead;
	double program_ns = all->total_ns / all->share - all->total_ns;
	double unavoidable_ns = (double)summary->overhead_setup_ns;
	for (size_t i = 0; i < summary->n_merged; i++)
		unavoidable_ns += find_unavoidable_ns(&summary->merged[i]);
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++)
		if (2 * unavoidable_ns <= budgets[i] * program_ns)
			return remedies[i];
	return "mark larger parts; no --budget up to 5% can be kept";
}

enum overhead { OVERHEAD_LOW, OVERHEAD_OF_CALLS, OVERHEAD_OF_SETUP };

/* Return a remedy for a region that an adapter has marked, and that the user therefore cannot mark
 * in another way. Return NULL for other regions. */
static const char *find_adapter_remedy(
	const struct rs_finder *finder, const struct rs_summary_region *region)
{
	const struct rs_run *run = finder->run;
	bool is_address = region->index < run->n_regions &&
			  (run->regions[region->index].flags & RS_REGION_IS_ADDRESS);
	bool is_wait = strncmp(region->name, "OpenMP ", strlen("OpenMP ")) == 0;
	if (is_address && rs_finder_has_adapter(finder, rs_adapter_word(RS_ADAPTER_FUNCTIONS)))
		return "--functions GLOB measures only the functions whose names match";
	if ((is_address || is_wait) &&
		rs_finder_has_adapter(finder, rs_adapter_word(RS_ADAPTER_OMPT)))
		return "--markers none, or a list without openmp, measures no OpenMP constructs";
	return NULL;
}

/* Return a remedy for the overhead of a region's markers. Sampling does not reduce the work of a
 * marker after a context switch. */
static const char *find_overhead_remedy(
	const struct rs_finder *finder, const struct rs_summary_region *dearest)
{
	const char *adapter_remedy = find_adapter_remedy(finder, dearest);
	if (adapter_remedy)
		return adapter_remedy;
	/* the average thread has no calls that sampling could skip */
	if (dearest->calls <= ALWAYS_MEASURED * (dearest->n_threads ? dearest->n_threads : 1))
		return "mark larger parts, or fewer regions: the first calls of a region take "
		       "longest";
	uint64_t switched = dearest->values[RS_EVENT_BLOCKED].counted;
	if (switched < dearest->values[RS_EVENT_PREEMPTED].counted)
		switched = dearest->values[RS_EVENT_PREEMPTED].counted;
	if (dearest->overhead.slow_ns > dearest->overhead.total_ns / 2 &&
		switched > dearest->calls / CALLS_OF_SWITCH)
		return "mark larger parts; sampling does not help, since most is spent after "
		       "context switches";
	return rs_finder_has_skipped(finder) ? "mark larger parts" : find_budget_remedy(finder);
}

/* Return a remedy for the overhead of first markers. */
static const char *find_setup_remedy(const struct rs_finder *finder)
{
	const struct rs_run *run = finder->run;
	bool has_others = false; /* threads that are not the first ones of their processes */
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rs_run_process *process = &run->processes[run->threads[i].process];
		has_others |= process->n_merged > 0 || run->threads[i].tid != process->pid;
	}
	return finder->how->attached ? "measure for a longer time"
	       : has_others	     ? NULL
				     : "mark in processes that live longer";
}

/* Report the overhead. arg: enum overhead. */
static void find_overhead(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_marker_overhead *cost = &finder->summary->total.overhead;
	const struct rs_summary_region *dearest = find_dearest(finder->summary);
	bool is_setup = (double)finder->summary->overhead_setup_ns > cost->total_ns / 2;
	bool is_high = matters(finder->summary, LEAST_OVERHEAD, cost->total_ns) &&
		       (!is_setup || cost->total_ns >= LEAST_SETUP_NS);
	enum overhead overhead = !is_high   ? OVERHEAD_LOW
				 : is_setup ? OVERHEAD_OF_SETUP
					    : OVERHEAD_OF_CALLS;
	if (!cost->known || !dearest || overhead != kind->arg)
		return;
	const char *of = finder->summary->user_ns + finder->summary->system_ns > 0
				 ? "CPU time"
				 : "marked threads' time";
	rs_finder_add(finder, kind,
		RS_FOUND(.number = isfinite(cost->share) ? cost->share * 100 : 0,
			.share = cost->share, .region = dearest->name,
			.names = rs_text(finder, "%s (%s call%s)",
				rs_arena_name(finder->arena, dearest->name),
				rs_finder_count(finder, dearest->calls),
				dearest->calls == 1 ? "" : "s"),
			.event = of,
			.remedy = kind->arg == OVERHEAD_OF_CALLS
					  ? find_overhead_remedy(finder, dearest)
				  : kind->arg == OVERHEAD_OF_SETUP ? find_setup_remedy(finder)
								   : NULL,
			.text = rs_text(finder, "%s of the %s, %s a call",
				isfinite(cost->share) ? rs_text(finder, "%.3g%%", cost->share * 100)
						      : "an unknown share",
				of, rs_format_overhead(cost->pair_ns).text)));
}

static void find_setup(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	if (finder->summary->total.overhead.known && finder->summary->overhead_setup_ns > 0)
		rs_finder_add(finder, kind,
			RS_FOUND(.number = (double)finder->summary->overhead_setup_ns,
				.time_ns = (double)finder->summary->overhead_setup_ns));
}

/* Report regions whose calls take less time than their markers. arg: true if their overhead is
 * large enough for a note; false: a detail. */
static void find_short_calls(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	bool is_much = matters(finder->summary, LEAST_SHORT,
		finder->summary->total.overhead.total_ns -
			(double)finder->summary->overhead_setup_ns);
	const struct rs_summary_region *first = NULL;
	size_t n_short = 0;
	for (size_t i = 0; i < finder->summary->n_merged; i++) {
		const struct rs_summary_region *region = &finder->summary->merged[i];
		if (region->bound_ns <= 0)
			continue;
		n_short++;
		if (!first || rs_region_self(region, RS_EVENT_TIME) >
				      rs_region_self(first, RS_EVENT_TIME))
			first = region;
	}
	if (n_short == 0 || is_much != kind->arg)
		return;
	const char *name = rs_arena_name(finder->arena, first->name);
	rs_finder_add(finder, kind,
		RS_FOUND(.n = n_short, .region = first->name,
			.names = n_short > 1 ? rs_text(finder, "%s and %zu more", name, n_short - 1)
					     : name,
			.remedy = is_much ? find_adapter_remedy(finder, first) : NULL));
}

/* Report events whose times the kernel may split by its timer ticks. A tick may find the thread in
 * a marker. arg: true if the overhead of markers is high, false if it is low. */
static void find_coarse_times(struct rs_finder *finder, const struct rs_finding_kind *kind)
{
	const struct rs_marker_overhead *cost = &finder->summary->total.overhead;
	double calls_ns = cost->total_ns - (double)finder->summary->overhead_setup_ns;
	bool is_asked = false;
	for (size_t i = 0; i < finder->plan->n_events; i++)
		is_asked |= finder->plan->events[i].attr.type == RS_TYPE_RUSAGE;
	if (is_asked && matters(finder->summary, LEAST_OVERHEAD, calls_ns) == kind->arg)
		rs_finder_add(finder, kind, RS_FOUND(.share = cost->share));
}

const struct rs_finding_kind rs_findings_overhead[] = {
	{"overhead", RS_WARNING, find_overhead, OVERHEAD_OF_CALLS, 0,
		"markers take at least {share} of the {event}, most in {names}",
		"mark larger parts, or use --budget"},
	{"overhead", RS_WARNING, find_overhead, OVERHEAD_OF_SETUP, 0,
		"markers take at least {share} of the {event}, most in the threads' first markers",
		"mark in threads that live longer"},
	{"short-calls", RS_NOTE, find_short_calls, true, 0,
		"{names}: calls are shorter than their markers, values are upper bounds",
		"mark the enclosing loop"},
	{"coarse-times", RS_NOTE, find_coarse_times, true, 0,
		"user_time and system_time may contain time of the markers, which take at least "
		"{share} of the CPU time",
		"use cpu-time, or mark larger parts"},
	{"coarse-times", RS_DETAIL, find_coarse_times, false, 0,
		"user_time and system_time may be coarse: most kernels split CPU time by their "
		"timer ticks; the sum is more precise",
		NULL},
	{"overhead", RS_DETAIL, find_overhead, OVERHEAD_LOW, 0, "markers take at least {text}",
		NULL},
	{"setup", RS_DETAIL, find_setup, 0, 0,
		"the threads' first markers, which open the counters and are in no region, took "
		"{time}",
		NULL},
	{"short-calls", RS_DETAIL, find_short_calls, false, 0,
		"{names}: calls are shorter than their markers, values are upper bounds", NULL},
	{0},
};
