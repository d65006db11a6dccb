/* SPDX-License-Identifier: MIT */
/*
 * This file computes the difference of two collections of one segment: see period.h. A thread slot
 * or a region has the same index in all collections.
 */
#include "stats/period.h"

#include <math.h>
#include <string.h>
#include <sys/time.h>

#include "launch/processes.h"
#include "stats/difference.h"
#include "stats/histogram.h"
#include "stats/merge.h"
#include "stats/wide.h"

/* Replace numbers by their increase since before, or by 0 if they have decreased. */
static void subtract_all(uint64_t *now, const uint64_t *before, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rs_subtract(&now[i], before[i]);
}

/* ---- results ---- */

static const struct rs_result no_result;

/* For each result of `now`, find the result of the same slot and region in `before`. Return an
 * array of these earlier results. If `before` has no such result, the element is &no_result. */
static const struct rs_result **find_earlier(
	const struct rs_run *now, const struct rs_run *before, struct rs_arena *arena)
{
	const struct rs_result **earlier = rs_arena_array(arena, now->n_results, sizeof(*earlier));
	const struct rs_result **known = rs_arena_array(arena, now->n_regions, sizeof(*known));
	size_t n_before = before ? before->n_results : 0, b = 0;
	for (size_t i = 0, end; i < now->n_results; i = end) {
		uint32_t thread = now->results[i].thread, slot = now->threads[thread].slot;
		while (b < n_before && before->threads[before->results[b].thread].slot < slot)
			b++;
		memset(known, 0, now->n_regions * sizeof(*known));
		for (; b < n_before && before->threads[before->results[b].thread].slot == slot; b++)
			if (before->results[b].region < now->n_regions)
				known[before->results[b].region] = &before->results[b];
		for (end = i; end < now->n_results && now->results[end].thread == thread; end++) {
			const struct rs_result *found = known[now->results[end].region];
			earlier[end] = found ? found : &no_result;
		}
	}
	return earlier;
}

/* Return true if two times can be the same time. Each collection converts ticks with its own
 * estimates of a tick's length and of the overhead. */
static bool is_close(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= a / 1000 + 1000;
}

static bool is_same_call(const struct rs_result *a, const struct rs_result *b)
{
	return is_close(a->slowest_start_ns, b->slowest_start_ns) &&
	       a->slowest_tid == b->slowest_tid && a->slowest_pid == b->slowest_pid &&
	       is_close(a->values[RS_EVENT_TIME].slowest, b->values[RS_EVENT_TIME].slowest);
}

/* Make the members of a value consistent. The differences of sum and weight can contradict the
 * difference of the histogram, for example because the later collection knows ticks and overhead
 * better. */
static void settle(struct rs_value *part, uint64_t weight)
{
	part->weight = weight;
	if (weight == 0) {
		part->sum = part->min = part->max = 0;
		part->square = 0;
		return;
	}
	if (part->histogram.n == 0) { /* the runtime could not get memory for the histogram */
		part->min = part->sum / weight;
		part->max = part->min + 1;
	}
	rs_u128 least = (rs_u128)part->min * weight, most = (rs_u128)part->max * weight;
	rs_u128 sum = part->sum < least ? least : part->sum > most ? most : part->sum;
	part->sum = sum < UINT64_MAX ? (uint64_t)sum : UINT64_MAX;
	/* the standard deviation is at most half of the range (T. Popoviciu, 1935); add 1, since
	 * values were rounded to whole ns */
	double range = (double)(part->max - part->min) + 1;
	part->square = fmin(part->square, (double)weight * range * range / 4);
}

static void subtract_values(struct rs_result *part, const struct rs_result *now,
	const struct rs_result *before, struct rs_arena *arena)
{
	bool lacks_slowest = before->n_values > 0 && is_same_call(now, before);
	part->values = rs_arena_array(arena, now->n_values, sizeof(*part->values));
	if (lacks_slowest)
		part->slowest_start_ns = part->slowest_pid = part->slowest_tid = 0;
	for (size_t v = 0; v < now->n_values; v++) {
		struct rs_value none = {0}, sum = v < before->n_values ? before->values[v] : none;
		int64_t self = sum.self;
		uint64_t weight = sum.weight;
		rs_value_subtract(&part->values[v], &sum, &now->values[v], false, arena);
		settle(&part->values[v], sum.weight - weight);
		part->values[v].self -= self;
		if (lacks_slowest)
			part->values[v].slowest = UINT64_MAX;
	}
}

/* Return the octave of an earlier result that begins at about low_ns, or NULL. The bounds differ a
 * little if the length of a tick is known better now. */
static const struct rs_octave *find_octave(const struct rs_result *result, uint64_t low_ns)
{
	for (size_t i = 0; i < result->n_octaves; i++) {
		uint64_t other = result->octaves[i].low_ns;
		if ((other > low_ns ? other - low_ns : low_ns - other) <= low_ns / 4)
			return &result->octaves[i];
	}
	return NULL;
}

/* Set the octaves of part to the differences. If the earlier result has an octave too, the octave
 * keeps the bound from there. */
static void subtract_octaves(struct rs_result *part, const struct rs_result *now,
	const struct rs_result *before, struct rs_arena *arena)
{
	part->octaves = rs_arena_array(arena, now->n_octaves, sizeof(*part->octaves));
	part->n_octaves = 0;
	for (size_t i = 0; i < now->n_octaves; i++) {
		struct rs_octave *octave = &part->octaves[part->n_octaves];
		const struct rs_octave *known = find_octave(before, now->octaves[i].low_ns);
		*octave = now->octaves[i];
		octave->sums = rs_arena_copy(
			arena, octave->sums, octave->n_sums, sizeof(*octave->sums));
		if (known) {
			octave->low_ns = known->low_ns;
			rs_subtract(&octave->weight, known->weight);
			subtract_all(octave->sums, known->sums, octave->n_sums);
		}
		part->n_octaves += octave->weight > 0;
	}
}

static void subtract_overhead(
	struct rs_result *part, const struct rs_result *now, const struct rs_result *before)
{
	struct rs_overhead *overhead = &part->overhead;
	rs_subtract(&overhead->measured_ns, before->overhead.measured_ns);
	rs_subtract(&overhead->fast_ns, before->overhead.fast_ns);
	rs_subtract(&overhead->skipped_ns, before->overhead.skipped_ns);
	/* The estimate of the overhead may be smaller now than before, so the difference may be 0.
	 * Calls of the period have overhead, so use the average since the run began. */
	if (overhead->measured_ns == 0 && part->measured > 0) {
		overhead->measured_ns = rs_wide_scale(
			now->overhead.measured_ns, part->measured, now->measured);
		overhead->fast_ns = rs_wide_scale(
			now->overhead.fast_ns, part->measured, now->measured);
	}
}

static void subtract_result(struct rs_result *part, const struct rs_result *now,
	const struct rs_result *before, bool is_last, struct rs_arena *arena)
{
	*part = *now;
	rs_subtract(&part->calls, before->calls);
	rs_subtract(&part->measured, before->measured);
	rs_subtract(&part->weight, before->weight);
	rs_subtract(&part->work_calls, before->work_calls);
	rs_subtract(&part->work_bytes, before->work_bytes);
	rs_subtract(&part->work_flops, before->work_flops);
	rs_subtract(&part->work_unmatched, before->work_unmatched);
	rs_subtract(&part->n_threads, before->n_threads);
	part->n_threads += part->n_threads == 0;
	uint64_t open = part->diag[RS_ACCUMULATOR_DIAG_OPEN];
	subtract_all(part->diag, before->diag, RS_ACCUMULATOR_DIAG_N);
	part->diag[RS_ACCUMULATOR_DIAG_OPEN] = is_last ? open : 0;
	if (!is_last)
		part->open = part->running = part->pending = 0;
	subtract_overhead(part, now, before);
	subtract_values(part, now, before, arena);
	subtract_octaves(part, now, before, arena);
}

/* ---- processes, threads and adapters ---- */

/* Subtract the off-CPU times of a thread as subtract_all() does, but so that the sum of both is the
 * increase of their sum. A time can become smaller, because all time since a thread's last look
 * counts as blocked after a voluntary switch (collector.h). It counted as preempted before, and a
 * part of it may do so again later. */
static void subtract_off(uint64_t *now, const uint64_t *before)
{
	uint64_t left = now[RS_OFF_BLOCKED] + now[RS_OFF_PREEMPTED];
	rs_subtract(&left, before[RS_OFF_BLOCKED] + before[RS_OFF_PREEMPTED]);
	for (size_t k = 0; k < RS_OFF_N; k++) {
		rs_subtract(&now[k], before[k]);
		now[k] = rs_min(now[k], left);
		left -= now[k];
	}
}

/* Subtract the threads of before from those of part. If sum is not NULL, set its threads to the sum
 * of before and part. */
static void subtract_threads(
	struct rs_run *part, const struct rs_run *before, struct rs_run_thread *sum)
{
	size_t b = 0;
	for (size_t i = 0; i < part->n_threads; i++) {
		struct rs_run_thread *thread = &part->threads[i];
		while (b < before->n_threads && before->threads[b].slot < thread->slot)
			b++;
		if (b == before->n_threads || before->threads[b].slot != thread->slot)
			continue;
		const struct rs_run_thread *known = &before->threads[b];
		uint32_t more = thread->n_threads - known->n_threads;
		thread->n_threads = thread->n_threads > known->n_threads ? more : 1;
		rs_subtract(&thread->lifetime_ns, known->lifetime_ns);
		subtract_off(thread->off_ns, known->off_ns);
		if (!sum)
			continue;
		sum[i].lifetime_ns = known->lifetime_ns + thread->lifetime_ns;
		for (size_t k = 0; k < RS_OFF_N; k++)
			sum[i].off_ns[k] = known->off_ns[k] + thread->off_ns[k];
	}
}

static void subtract_processes(struct rs_run *part, const struct rs_run *before)
{
	size_t b = 0;
	for (size_t i = 0; i < part->n_processes; i++) {
		struct rs_run_process *process = &part->processes[i];
		while (b < before->n_processes && before->processes[b].entry < process->entry)
			b++;
		if (b == before->n_processes || before->processes[b].entry != process->entry ||
			before->processes[b].pid != process->pid)
			continue;
		const struct rs_run_process *known = &before->processes[b];
		subtract_all(process->diag, known->diag, RS_PROCESS_DIAG_N);
		rs_subtract(&process->setup_ns, known->setup_ns);
	}
}

static void subtract_adapters(struct rs_run *part, const struct rs_run *before)
{
	for (size_t i = 0; i < part->n_adapters; i++) {
		struct rs_run_adapter *adapter = &part->adapters[i];
		for (size_t b = 0; b < before->n_adapters; b++) {
			const struct rs_run_adapter *known = &before->adapters[b];
			if (strcmp(known->word, adapter->word) == 0)
				subtract_all(adapter->counts, known->counts, RS_ADAPTER_COUNT_N);
		}
	}
}

/* ---- the whole run ---- */

static void subtract_outcome(
	struct rs_outcome *part, const struct rs_outcome *before, size_t n_events)
{
	part->begin = before->end;
	rs_usage_subtract(&part->usage, &before->usage);
	rs_subtract(&part->steal_ns, before->steal_ns);
	rs_subtract(&part->throttled_ns, before->throttled_ns);
	for (size_t i = 0; part->totals && before->totals && i < n_events; i++) {
		rs_subtract(&part->totals[i].value, before->totals[i].value);
		rs_subtract(&part->totals[i].enabled_ns, before->totals[i].enabled_ns);
		rs_subtract(&part->totals[i].running_ns, before->totals[i].running_ns);
	}
}

/* The state while one period is made. */
struct period {
	struct rs_run *part; /* zeroed at first */
	const struct rs_run *now, *before;
	/* if the run `now` is to be replaced by the sum of before and part: a pointer to `now`;
	 * otherwise NULL */
	struct rs_run *sum;
	bool keeps_self;
	bool is_last;
	/* for each result of `now`, the result of `before` with the same slot and region */
	const struct rs_result **earlier;
};

static void make(void *context)
{
	struct period *period = context;
	struct rs_run *part = period->part;
	const struct rs_run *now = period->now, *before = period->before;
	struct rs_arena *arena = &part->arena;
	bool is_last = period->is_last;
	size_t n_events = now->plan->n_events;
	*part = *now;
	part->arena = (struct rs_arena){0};
	part->earlier = NULL;
	struct rs_outcome *outcome = rs_arena_copy(arena, now->outcome, 1, sizeof(*outcome));
	part->outcome = outcome;
	part->threads = rs_arena_copy(arena, now->threads, now->n_threads, sizeof(*part->threads));
	part->processes = rs_arena_copy(
		arena, now->processes, now->n_processes, sizeof(*part->processes));
	part->adapters = rs_arena_copy(
		arena, now->adapters, now->n_adapters, sizeof(*part->adapters));
	part->results = rs_arena_array(arena, now->n_results, sizeof(*part->results));
	period->earlier = find_earlier(now, before, arena);
	for (size_t i = 0; i < now->n_results; i++)
		subtract_result(
			&part->results[i], &now->results[i], period->earlier[i], is_last, arena);
	if (outcome->totals)
		outcome->totals = rs_arena_copy(
			arena, outcome->totals, n_events, sizeof(*outcome->totals));
	if (!is_last) { /* a report about a period that has ended shows no running processes */
		outcome->goes_on = false;
		outcome->running = (struct rs_running){0};
		for (size_t i = 0; i < part->n_processes; i++)
			part->processes[i].is_running = false;
	}
	if (before) {
		subtract_threads(part, before, period->sum ? period->sum->threads : NULL);
		subtract_processes(part, before);
		subtract_adapters(part, before);
		subtract_all(part->diag, before->diag, RS_SEGMENT_DIAG_N);
		subtract_outcome(outcome, before->outcome, n_events);
	}
}

bool rs_period_make(
	struct rs_run *part, const struct rs_run *now, const struct rs_run *before, bool is_last)
{
	struct period period = {.part = part, .now = now, .before = before, .is_last = is_last};
	*part = (struct rs_run){0};
	bool done = rs_arena_guard(make, &period);
	if (!done)
		rs_run_finish(part);
	return done;
}

/* ---- the sum ---- */

static void own_buckets(struct rs_result *result, struct rs_arena *arena)
{
	for (size_t v = 0; v < result->n_values; v++)
		rs_histogram_own(&result->values[v].histogram, arena);
}

/* Insert results of before that are missing in now, because the program changed them while they
 * were read. Results of a slot that could not be read stay missing. */
static void keep_results(struct rs_run *now, const struct rs_run *before)
{
	size_t n = 0, i = 0, b = 0, most = now->n_results + before->n_results;
	struct rs_result *all = rs_arena_array(&now->arena, most, sizeof(*all));
	bool *known = rs_arena_array(&now->arena, now->n_regions, sizeof(*known));
	for (uint32_t t = 0; t < now->n_threads; t++) {
		memset(known, 0, now->n_regions);
		for (; i < now->n_results && now->results[i].thread == t;
			all[n++] = now->results[i++])
			known[now->results[i].region] = true;
		for (; b < before->n_results; b++) {
			const struct rs_result *old = &before->results[b];
			uint32_t slot = before->threads[old->thread].slot;
			if (slot > now->threads[t].slot)
				break;
			if (slot < now->threads[t].slot || old->region >= now->n_regions ||
				known[old->region])
				continue;
			struct rs_result *kept = &all[n++];
			*kept = *old;
			rs_result_merge(kept, &old, 1, old->n_values, &now->arena);
			own_buckets(kept, &now->arena);
			kept->thread = t;
			kept->process = now->threads[t].process;
			kept->n_threads = old->n_threads;
		}
	}
	now->results = all;
	now->n_results = n;
}

/* If the self time of a sum is smaller than before, keep it with its on-CPU and off-CPU parts. */
static void keep_self(struct rs_result *sum, const struct rs_result *before)
{
	if (sum->values[RS_EVENT_TIME].self >= before->values[RS_EVENT_TIME].self)
		return;
	for (size_t v = 0; v < RS_EVENT_FIRST; v++)
		sum->values[v].self = before->values[v].self;
}

/* Set a result of now to the sum of the earlier result and of the period's result. */
static void add_up(struct rs_result *now, const struct rs_result *before,
	const struct rs_result *part, bool keeps_self, struct rs_arena *arena)
{
	const struct rs_result *from[] = {before, part};
	struct rs_result sum = *now;
	if (before->n_values == 0)
		return;
	rs_result_merge(&sum, from, 2, now->n_values, arena);
	own_buckets(&sum, arena);
	if (keeps_self)
		keep_self(&sum, before);
	for (size_t v = 0; v < sum.n_values; v++) {
		sum.values[v].status = now->values[v].status;
		sum.values[v].lacks_self = now->values[v].lacks_self;
	}
	sum.n_threads = now->n_threads;
	/* a call that counted as lost or open at the end of a period can end later */
	memcpy(sum.diag, now->diag, sizeof(sum.diag));
	sum.open = now->open;
	sum.running = now->running;
	sum.pending = now->pending;
	*now = sum;
}

static void make_sum(void *context)
{
	struct period *period = context;
	struct rs_run *now = period->sum;
	const struct rs_run *part = period->part, *before = period->before;
	keep_results(now, before);
	make(period);
	for (size_t i = 0; i < now->n_results; i++)
		add_up(&now->results[i], period->earlier[i], &part->results[i], period->keeps_self,
			&now->arena);
	/* the kernel reports the CPU time of an ended program more exactly, so set it to the sum of
	 * before and part */
	struct rs_outcome *outcome = (struct rs_outcome *)now->outcome;
	timeradd(&before->outcome->usage.ru_utime, &part->outcome->usage.ru_utime,
		&outcome->usage.ru_utime);
	timeradd(&before->outcome->usage.ru_stime, &part->outcome->usage.ru_stime,
		&outcome->usage.ru_stime);
}

bool rs_period_add_up(struct rs_run *now, const struct rs_run *before, bool keeps_self)
{
	struct rs_run part = {0};
	struct period period = {.part = &part,
		.now = now,
		.before = before,
		.sum = now,
		.keeps_self = keeps_self,
		.is_last = true};
	bool done = rs_arena_guard(make_sum, &period);
	rs_run_finish(&part);
	return done;
}
