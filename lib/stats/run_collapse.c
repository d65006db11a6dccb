/* SPDX-License-Identifier: MIT */
/*
 * This file collapses a run. It merges the results of all threads into one result for each region,
 * and keeps the distribution of the total times over processes: see run_merge.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stats/histogram.h"
#include "stats/merge.h"
#include "stats/run_merge.h"

struct member {
	const struct rs_result *result;
	uint64_t n_threads; /* number of threads that called the region */
};

struct collapser {
	bool done; /* false: err contains the reason, unless memory ran out */
	struct rs_err *err;
	const struct rs_run *run;
	struct rs_run *one; /* the collapsed run; its arrays are in arena */
	struct rs_arena *arena;
	struct member *members;
	const struct rs_result **results; /* scratch array with an element for each result */
	const struct rs_value **values; /* scratch array with an element for each result */
};

/* ---- processes and threads ---- */

/* Keep the name in into if all names are equal; otherwise make it empty. */
static void join_name(char *into, const char *name, bool is_first)
{
	if (is_first)
		strcpy(into, name);
	else if (strcmp(into, name) != 0)
		into[0] = '\0';
}

static void add_process(struct rs_run_process *into, const struct rs_run_process *process)
{
	bool is_first = into->n_merged == 0;
	into->n_merged += process->n_merged > 0 ? process->n_merged : 1;
	if (is_first || process->pid < into->pid)
		into->pid = process->pid;
	if (process->open_errno > into->open_errno) {
		into->open_errno = process->open_errno;
		into->open_event = process->open_event;
	}
	if (process->inactive_event < into->inactive_event)
		into->inactive_event = process->inactive_event;
	for (size_t i = 0; i < RS_PROCESS_DIAG_N; i++)
		rs_add_saturating(&into->diag[i], process->diag[i]);
	rs_add_saturating(&into->setup_ns, process->setup_ns);
	join_name(into->name, process->name, is_first);
}

/* Return the average overhead that the time of a call contains, over the calls of all processes. */
static double mean_inside_ns(const struct rs_run *run)
{
	long double sum = 0, weights = 0;
	for (size_t i = 0; i < run->n_results; i++) {
		long double weight = (long double)run->results[i].weight;
		sum += weight * run->processes[run->results[i].process].inside_ns;
		weights += weight;
	}
	return weights > 0 ? (double)(sum / weights) : 0;
}

static void add_thread(
	struct rs_run_thread *into, const struct rs_run_thread *thread, bool is_first)
{
	if (is_first || thread->tid < into->tid)
		into->tid = thread->tid;
	into->n_threads += thread->n_threads;
	rs_add_saturating(&into->lifetime_ns, thread->lifetime_ns);
	for (size_t i = 0; i < RS_OFF_N; i++)
		rs_add_saturating(&into->off_ns[i], thread->off_ns[i]);
	join_name(into->name, thread->name, is_first);
}

static void collapse_threads(struct collapser *collapser)
{
	const struct rs_run *run = collapser->run;
	struct rs_run *one = collapser->one;
	one->n_processes = run->n_processes > 0;
	one->n_threads = run->n_threads > 0;
	one->processes = rs_arena_array(collapser->arena, 1, sizeof(*one->processes));
	one->threads = rs_arena_array(collapser->arena, 1, sizeof(*one->threads));
	one->processes->rank = RS_NO_RANK;
	one->processes->open_event = RS_NO_EVENT;
	one->processes->inactive_event = RS_NO_EVENT;
	for (size_t i = 0; i < run->n_processes; i++)
		add_process(one->processes, &run->processes[i]);
	one->processes->inside_ns = mean_inside_ns(run);
	for (size_t i = 0; i < run->n_threads; i++)
		add_thread(one->threads, &run->threads[i], i == 0);
}

/* ---- which results belong together ---- */

static int compare_regions(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = rs_compare_numbers(a->result->region, b->result->region);
	order = order ? order : rs_compare_numbers(a->result->process, b->result->process);
	return order ? order : (a->result > b->result) - (a->result < b->result);
}

/* Make the members: count the threads that called each region and, with --by-work, each kind of its
 * work. A call with one kind of work is also a call of its region. Results are in the order of
 * their threads. Then sort the members by their regions. */
static void make_members(struct collapser *collapser)
{
	const struct rs_run *run = collapser->run;
	struct member *members = collapser->members;
	size_t n = run->n_results;
	/* for each region: 1 + the last thread slot on which it was called */
	uint32_t *called = rs_arena_array(collapser->arena, run->n_regions, sizeof(*called));
	for (size_t first = 0, end; first < n; first = end) {
		uint32_t slot = 1 + run->results[first].thread;
		for (end = first; end < n && 1 + run->results[end].thread == slot; end++)
			if (rs_result_is_called(&run->results[end]))
				called[rs_run_owner(run, run->results[end].region)] = slot;
		for (size_t i = first; i < end; i++) {
			const struct rs_result *result = &run->results[i];
			bool is_called = rs_run_owner(run, result->region) == result->region
						 ? called[result->region] == slot
						 : rs_result_is_called(result);
			members[i] = (struct member){result, is_called ? result->n_threads : 0};
		}
	}
	qsort(members, n, sizeof(*members), compare_regions);
}

/* ---- processes of a region ---- */

static int compare_ranks(const struct rs_rank *a, const struct rs_rank *b)
{
	int order = rs_compare_numbers(a->rank, b->rank);
	order = order ? order : strcmp(a->host, b->host);
	return order ? order : rs_compare_numbers(a->pid, b->pid);
}

/* Fill ranks with the total time of one process in one region. members[n]: the results of this
 * process and region. */
static void make_rank(const struct collapser *collapser, struct rs_ranks *ranks,
	const struct member *members, size_t n)
{
	const struct rs_run *run = collapser->run;
	const struct rs_run_process *process = &run->processes[members->result->process];
	struct rs_value *times = &ranks->times;
	*times = (struct rs_value){.counted = 1, .weight = 1, .slowest = UINT64_MAX};
	for (size_t i = 0; i < n; i++)
		rs_add_saturating(&times->sum, members[i].result->values[RS_EVENT_TIME].total);
	times->min = times->max = times->sum;
	times->histogram.n = 1;
	times->histogram.buckets = rs_arena_array(collapser->arena, 1, sizeof(struct rs_bucket));
	*times->histogram.buckets = rs_histogram_bucket(times->sum, 1);
	ranks->lowest.rank = process->rank;
	ranks->lowest.pid = process->pid;
	memcpy(ranks->lowest.host, run->machine.host, sizeof(ranks->lowest.host));
	ranks->highest = ranks->lowest;
}

/* Update the processes with the lowest and the highest time in into. If processes have equal times,
 * their ranks decide, so that the order of files does not matter. */
static void take_extremes(struct rs_ranks *into, const struct rs_ranks *ranks, bool is_first)
{
	int low = rs_compare_numbers(ranks->times.min, into->times.min);
	int high = rs_compare_numbers(into->times.max, ranks->times.max);
	low = low ? low : compare_ranks(&ranks->lowest, &into->lowest);
	high = high ? high : compare_ranks(&ranks->highest, &into->highest);
	if (is_first || low < 0) {
		into->lowest = ranks->lowest;
		into->times.min = ranks->times.min;
	}
	if (is_first || high < 0) {
		into->highest = ranks->highest;
		into->times.max = ranks->times.max;
	}
}

/* Make the distribution of a region's time over processes. members[n]: all results of the region,
 * sorted by process. */
static void make_ranks(
	struct collapser *collapser, struct rs_result *into, const struct member *members, size_t n)
{
	struct rs_arena *arena = collapser->arena;
	size_t n_processes = 0;
	struct rs_ranks *all = rs_arena_array(arena, 1, sizeof(*all));
	struct rs_ranks *made = rs_arena_array(arena, n, sizeof(*made));
	for (size_t first = 0, end; first < n; first = end) {
		const struct rs_ranks *ranks = members[first].result->ranks;
		uint64_t calls = 0;
		for (end = first;
			end < n && members[end].result->process == members[first].result->process;)
			calls |= members[end++].result->calls;
		if (calls == 0)
			continue;
		if (members[first].result->n_ranks == 0) {
			make_rank(collapser, &made[first], &members[first], end - first);
			ranks = &made[first];
		}
		take_extremes(all, ranks, n_processes == 0);
		collapser->values[n_processes++] = &ranks->times;
	}
	into->n_ranks = n_processes > 0;
	into->ranks = into->n_ranks ? all : NULL;
	rs_value_merge(&all->times, collapser->values, n_processes, arena);
}

/* ---- results ---- */

static bool refuse_calls(const struct rs_run_region *region, struct rs_err *err)
{
	rs_err_set(err, "cannot merge more than 2^47 calls of a region, as of '%s'",
		rs_text_shown(region->name).text);
	return rs_err_add_line(err, "try: fewer files, or --per-process");
}

/* Merge all results of one region, members[n]. Return false if it has too many calls. */
static bool collapse_region(struct collapser *collapser, const struct member *members, size_t n)
{
	const struct rs_run *run = collapser->run;
	struct rs_result *into = &collapser->one->results[collapser->one->n_results++];
	uint64_t n_threads = 0;
	for (size_t i = 0; i < n; i++) {
		collapser->results[i] = members[i].result;
		rs_add_saturating(&n_threads, members[i].n_threads);
	}
	*into = *members->result; /* rs_run_merge() copies it */
	into->process = into->thread = 0;
	if (n > 1)
		rs_result_merge(
			into, collapser->results, n, rs_run_n_values(run), collapser->arena);
	make_ranks(collapser, into, members, n);
	if (into->measured >= RS_MAX_CALLS || into->weight >= RS_MAX_CALLS ||
		rs_result_skipped(into) >= RS_MAX_CALLS)
		return refuse_calls(&run->regions[into->region], collapser->err);
	into->n_threads = n_threads < UINT32_MAX ? n_threads : UINT32_MAX;
	if (into->overhead.unknown)
		into->overhead.measured_ns = into->overhead.fast_ns = 0;
	/* machines with different clocks have different octaves; if there are too many, drop all,
	 * because tails cannot be found in a part of them */
	if (into->n_octaves > RS_MOST_OCTAVES)
		into->n_octaves = 0;
	return true;
}

static void collapse(void *context)
{
	struct collapser *collapser = context;
	const struct rs_run *run = collapser->run;
	struct rs_run *one = collapser->one;
	struct rs_arena *arena = collapser->arena;
	size_t n = run->n_results;
	one->n_results = 0;
	one->results = rs_arena_array(arena, n, sizeof(*one->results));
	collapser->members = rs_arena_array(arena, n, sizeof(*collapser->members));
	collapser->results = rs_arena_array(arena, n, sizeof(*collapser->results));
	collapser->values = rs_arena_array(arena, n, sizeof(*collapser->values));
	collapse_threads(collapser);
	make_members(collapser);
	const struct member *members = collapser->members;
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1;
			end < n && members[end].result->region == members[first].result->region;)
			end++;
		if (!collapse_region(collapser, &members[first], end - first))
			return;
	}
	collapser->done = true;
}

bool rs_run_collapse(struct rs_run *into, const struct rs_run *run, struct rs_err *err)
{
	struct rs_run one = *run;
	struct rs_arena arena = {0};
	struct collapser collapser = {.run = run, .one = &one, .arena = &arena, .err = err};
	bool done = (rs_arena_guard(collapse, &collapser) ||
			    rs_err_set_errno(err, ENOMEM, "cannot merge runs")) &&
		    collapser.done && rs_run_merge(into, &one, err);
	rs_arena_finish(&arena);
	return done;
}
