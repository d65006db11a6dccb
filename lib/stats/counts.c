/* SPDX-License-Identifier: MIT */
/*
 * This file adds up the counts of calls and faults that each result has: see counts.h.
 */
#include "stats/counts.h"

#include <math.h>

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Add the calls of a result that have not ended. The count OPEN gets those whose thread has ended,
 * the count EXIT those whose process has ended. The other calls are still running. */
static void add_open(struct rs_region_counts *counts, const struct rs_result *result)
{
	uint64_t cut = result->diag[RS_ACCUMULATOR_DIAG_EXIT];
	rs_add_saturating(&cut, result->open);
	rs_add_saturating(&counts->diag[RS_ACCUMULATOR_DIAG_OPEN],
		difference(result->diag[RS_ACCUMULATOR_DIAG_OPEN], cut));
	rs_add_saturating(
		&counts->diag[RS_ACCUMULATOR_DIAG_EXIT], difference(cut, result->running));
}

/* For each group, add the number of calls in which it was counted, and note whether it was ever on
 * its PMU. These numbers are the same for all events of a group, so read only the first event. */
static void add_groups(
	struct rs_region_counts *counts, const struct rs_run *run, const struct rs_result *result)
{
	uint32_t first = 0; /* 1 + index of the group that was added last */
	for (uint32_t q = 1; q <= run->n_events; q++) {
		uint32_t group = run->counter_group[q];
		const struct rs_value *value = &result->values[rs_event_of_counter(q)];
		if (group + 1 == first)
			continue;
		first = group + 1;
		counts->counted[group] += value->counted;
		counts->running_ns[group] |= value->running_ns;
	}
}

static void add_result(
	struct rs_region_counts *counts, const struct rs_run *run, const struct rs_result *result)
{
	counts->is_called = true;
	counts->calls += result->measured;
	counts->skipped += rs_result_skipped(result);
	for (size_t d = 0; d < RS_ACCUMULATOR_DIAG_N; d++)
		if (d != RS_ACCUMULATOR_DIAG_OPEN && d != RS_ACCUMULATOR_DIAG_EXIT)
			rs_add_saturating(&counts->diag[d], result->diag[d]);
	add_open(counts, result);
	counts->pending += result->pending;
	rs_add_saturating(&counts->work_unmatched, result->work_unmatched);
	rs_add_saturating(&counts->running, result->running);
	for (uint32_t v = 0; v < rs_run_n_values(run); v++)
		counts->is_incomplete |= result->values[v].histogram.incomplete;
	for (uint32_t q = 0; q <= run->n_events; q++)
		if (result->values[rs_event_of_counter(q)].is_clamped)
			counts->clamped_counters |= UINT64_C(1) << q;
	add_groups(counts, run, result);
}

/* Subtract the moved calls from the open and lost ones. A moved call has ended on another thread
 * than the one where it began. The thread where it began still counts the call as open. If a call
 * that began earlier has ended on that thread, it counts the moved call as lost. */
static void finish_region(struct rs_region_counts *counts, uint64_t running_moved)
{
	uint64_t *diag = counts->diag, open = diag[RS_ACCUMULATOR_DIAG_EXIT] + counts->running;
	uint64_t moved = diag[RS_ACCUMULATOR_DIAG_MOVED];
	diag[RS_ACCUMULATOR_DIAG_LOST] = difference(
		diag[RS_ACCUMULATOR_DIAG_LOST], difference(moved, open));
	diag[RS_ACCUMULATOR_DIAG_EXIT] = difference(diag[RS_ACCUMULATOR_DIAG_EXIT], moved);
	counts->running = difference(counts->running, running_moved);
	if ((int64_t)counts->pending < 0)
		counts->pending = 0;
}

/* ---- balance of threads ---- */

/* The state while one balance is computed: sums of the current thread and sums of all threads. The
 * caller must zero it at first. */
struct share {
	double own, own_variance, sum, sum_variance, most_variance;
	const struct rs_run_thread *thread; /* the current thread, for a region */
	double blocked; /* blocked part of `own` */
	double cpu; /* on-CPU time of the current thread in this region */
	uint32_t process; /* 1 + index of the current thread's process */
	uint64_t longest_ns; /* the longest lifetime of a thread of that process */
	uint64_t lifetimes_ns; /* sum of the longest lifetimes of all processes */
	bool are_apart; /* the threads belong to several processes */
	bool is_unknown;
};

/* Add a thread to those that a balance compares. */
static void add_thread(
	struct rs_balance *balance, struct share *share, const struct rs_run_thread *thread)
{
	balance->n_threads++;
	if (share->process != thread->process + 1) {
		share->are_apart |= share->process != 0;
		share->process = thread->process + 1;
		share->longest_ns = 0;
	}
	uint64_t more_ns = difference(thread->lifetime_ns, share->longest_ns);
	share->longest_ns += more_ns;
	rs_add_saturating(&share->lifetimes_ns, more_ns);
}

/* Add the current thread to the balance of a region. Preempted time is no work, so `own` does not
 * contain it. A thread that was blocked for most of `own` waited for others, and has no part in
 * their work. */
static void finish_thread(struct rs_balance *balance, struct share *share)
{
	if (!share->thread || share->blocked > share->own / 2)
		return;
	add_thread(balance, share, share->thread);
	share->sum += share->own;
	share->sum_variance += share->own_variance;
	if (share->own <= balance->most)
		return;
	balance->most = share->own;
	balance->tid = share->thread->tid;
	share->most_variance = share->own_variance;
}

/* Add the self time of a result to the balance of its region. Results must be added in the order of
 * their threads. With --by-work, a thread can have several results of a region. variance: that of
 * the regions nested in this one, whose totals its self time does not contain. */
static void add_share(struct rs_balance *balance, struct share *share,
	const struct rs_result *result, const struct rs_run_thread *thread, double variance)
{
	const struct rs_value *value = &result->values[RS_EVENT_TIME];
	if (share->thread != thread) {
		finish_thread(balance, share);
		share->own = share->own_variance = share->blocked = share->cpu = 0;
	}
	share->thread = thread;
	share->own += fmax(
		(double)value->self - (double)result->values[RS_EVENT_PREEMPTED].self, 0);
	share->blocked += fmax((double)result->values[RS_EVENT_BLOCKED].self, 0);
	share->own_variance += value->variance + variance;
	share->is_unknown |= result->n_threads > 1 || value->status != RS_VALUE_OK;
}

/* A region on one thread. */
struct inner {
	double variance; /* sum of the variances of the regions nested in it */
	bool nests; /* its calls are not asynchronous: they have parents */
};

/* Set inner[n_regions] for each region of a thread. `first` is the index of the thread's first
 * result. With --by-work, only the result of the region itself has parents. */
static void set_inner(struct inner *inner, const struct rs_run *run, size_t first)
{
	size_t end = first;
	for (; end < run->n_results && run->results[end].thread == run->results[first].thread;
		end++)
		inner[rs_run_owner(run, run->results[end].region)] = (struct inner){0};
	for (size_t i = first; i < end; i++) {
		const struct rs_result *result = &run->results[i];
		inner[rs_run_owner(run, result->region)].nests |= result->n_parents > 0;
		for (uint32_t p = 0; p < result->n_parents; p++)
			if (result->parents[p] != RS_NO_REGION)
				inner[result->parents[p]].variance +=
					result->values[RS_EVENT_TIME].variance;
	}
}

/* Threads of several processes may have run one after another. Then no thread waited for another
 * one, and the balance is meaningless. The threads did not run one after another if their lifetimes
 * add up to more than the elapsed time. */
static void finish_balance(
	struct rs_balance *balance, const struct share *share, uint64_t elapsed_ns)
{
	double n = (double)balance->n_threads;
	bool is_serial = share->are_apart && share->lifetimes_ns <= elapsed_ns;
	balance->is_known = !share->is_unknown && !is_serial;
	balance->average = n > 0 ? share->sum / n : 0;
	balance->error = 2 * sqrt(share->most_variance + share->sum_variance / (n * n));
}

/* Time and on-CPU time of one thread in regions. The caller must zero it at first. */
struct thread_times {
	uint64_t time; /* self time of all regions */
	bool has_open; /* some calls have not ended */
	double self, variance; /* on-CPU time */
	double most; /* the largest time in one region, which is `region` */
	uint32_t region;
	bool is_unknown;
};

static void add_times(struct thread_times *times, struct share *share,
	const struct rs_result *result, uint32_t region)
{
	const struct rs_value *value = &result->values[RS_EVENT_CPU_TIME];
	double self = fmax((double)value->self, 0);
	rs_add_saturating(&times->time, rs_value_self(&result->values[RS_EVENT_TIME]));
	times->self += self;
	times->variance += value->variance;
	times->is_unknown |= result->n_threads > 1 || value->status != RS_VALUE_OK;
	share->cpu += self;
	if (share->cpu <= times->most)
		return;
	times->most = share->cpu;
	times->region = region;
}

/* Compute the balance of on-CPU time. Compare the thread that has the most on-CPU time only with
 * threads that have most of their on-CPU time in the same region. Other threads, such as one that
 * reads the input, may have less to do. */
static void balance_cpu(
	struct rs_counts *counts, const struct rs_run *run, const struct thread_times *times)
{
	const struct thread_times *most = NULL;
	struct rs_balance *balance = &counts->cpu;
	struct share share = {0};
	for (size_t t = 0; t < run->n_threads; t++)
		if (times[t].most > 0 && (!most || times[t].self > most->self))
			most = &times[t];
	if (!most)
		return;
	for (size_t t = 0; t < run->n_threads; t++) {
		if (times[t].most <= 0 || times[t].region != most->region)
			continue;
		add_thread(balance, &share, &run->threads[t]);
		share.sum += times[t].self;
		share.sum_variance += times[t].variance;
		share.is_unknown |= times[t].is_unknown;
	}
	share.most_variance = most->variance;
	balance->most = most->self;
	balance->tid = run->threads[most - times].tid;
	counts->cpu_region = most->region;
	finish_balance(balance, &share, rs_outcome_elapsed_ns(run->outcome));
}

/* Compute the balance of each region and that of on-CPU time. shares[n_regions], inner[n_regions]
 * and times[n_threads]: zeroed scratch memory. */
static void add_balances(struct rs_counts *counts, const struct rs_run *run, struct share *shares,
	struct inner *inner, struct thread_times *times)
{
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		uint32_t region = rs_run_owner(run, result->region);
		if (i == 0 || result->thread != run->results[i - 1].thread)
			set_inner(inner, run, i);
		double variance = inner[region].variance;
		inner[region].variance = 0;
		times[result->thread].has_open |= result->diag[RS_ACCUMULATOR_DIAG_OPEN] > 0;
		/* asynchronous calls can overlap, and belong to no thread */
		if (result->measured == 0 || !inner[region].nests)
			continue;
		add_share(&counts->regions[region].self, &shares[region], result,
			&run->threads[result->thread], variance);
		add_times(&times[result->thread], &shares[region], result, region);
	}
	for (size_t i = 0; i < counts->n_regions; i++) {
		struct rs_balance *balance = &counts->regions[i].self;
		finish_thread(balance, &shares[i]);
		finish_balance(balance, &shares[i], rs_outcome_elapsed_ns(run->outcome));
	}
	balance_cpu(counts, run, times);
	for (size_t t = 0; t < run->n_threads; t++)
		if (times[t].has_open)
			rs_add_saturating(&counts->unended_ns,
				difference(run->threads[t].lifetime_ns, times[t].time));
}

void rs_counts_make(struct rs_counts *counts, struct rs_arena *arena, const struct rs_run *run)
{
	size_t n = run->n_regions, n_groups = run->n_groups;
	*counts = (struct rs_counts){.n_regions = n};
	counts->regions = rs_arena_array(arena, n, sizeof(*counts->regions));
	uint64_t *groups = rs_arena_array(arena, 2 * n * n_groups, sizeof(*groups));
	uint64_t *moved = rs_arena_array(arena, n, sizeof(*moved));
	struct share *shares = rs_arena_array(arena, n, sizeof(*shares));
	struct inner *inner = rs_arena_array(arena, n, sizeof(*inner));
	struct thread_times *times = rs_arena_array(arena, run->n_threads, sizeof(*times));
	for (size_t i = 0; i < n; i++) {
		counts->regions[i].counted = groups + 2 * i * n_groups;
		counts->regions[i].running_ns = groups + (2 * i + 1) * n_groups;
	}
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		uint32_t region = rs_run_owner(run, result->region);
		add_result(&counts->regions[region], run, result);
		counts->measured += result->measured;
		counts->skipped += rs_result_skipped(result);
		if (rs_run_is_running(run, result->thread))
			rs_add_saturating(&moved[region], result->diag[RS_ACCUMULATOR_DIAG_MOVED]);
	}
	for (size_t i = 0; i < n; i++)
		finish_region(&counts->regions[i], moved[i]);
	for (size_t i = 0; i < run->n_processes; i++)
		for (size_t d = 0; d < RS_PROCESS_DIAG_N; d++)
			rs_add_saturating(&counts->process_diag[d], run->processes[i].diag[d]);
	add_balances(counts, run, shares, inner, times);
}
