/* SPDX-License-Identifier: MIT */
/*
 * This file adds up results, member by member: see merge.h.
 */
#include "stats/merge.h"

#include <stdlib.h>

void rs_overhead_add(struct rs_overhead *overhead, const struct rs_overhead *more)
{
	rs_add_saturating(&overhead->measured_ns, more->measured_ns);
	rs_add_saturating(&overhead->fast_ns, more->fast_ns);
	rs_add_saturating(&overhead->skipped_ns, more->skipped_ns);
	overhead->unknown |= more->unknown;
}

static void add(struct rs_result *into, const struct rs_result *result)
{
	rs_add_saturating(&into->n_threads, result->n_threads);
	rs_add_saturating(&into->calls, result->calls);
	rs_add_saturating(&into->measured, result->measured);
	rs_add_saturating(&into->weight, result->weight);
	for (size_t i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		rs_add_saturating(&into->diag[i], result->diag[i]);
	rs_add_saturating(&into->open, result->open);
	rs_add_saturating(&into->running, result->running);
	into->pending += result->pending;
	rs_overhead_add(&into->overhead, &result->overhead);
	rs_add_saturating(&into->work_calls, result->work_calls);
	rs_add_saturating(&into->work_bytes, result->work_bytes);
	rs_add_saturating(&into->work_flops, result->work_flops);
	rs_add_saturating(&into->work_unmatched, result->work_unmatched);
}

/* Compare the slowest calls of two results. Return a number above 0 if the call of a is slower, or
 * if both took the same time and the call of a began earlier. */
static int compare_slowest(const struct rs_result *a, const struct rs_result *b)
{
	int order = rs_compare_numbers(
		a->values[RS_EVENT_TIME].slowest, b->values[RS_EVENT_TIME].slowest);
	order = order ? order : rs_compare_numbers(b->slowest_start_ns, a->slowest_start_ns);
	order = order ? order : rs_compare_numbers(b->slowest_pid, a->slowest_pid);
	order = order ? order : rs_compare_numbers(b->slowest_tid, a->slowest_tid);
	for (size_t v = RS_EVENT_FIRST; v < a->n_values && order == 0; v++)
		order = rs_compare_numbers(a->values[v].slowest, b->values[v].slowest);
	return order;
}

/* Set the slowest call of into to the slowest one of all results. Do nothing if no call was
 * measured. */
static void take_slowest(struct rs_result *into, const struct rs_result *const *from, size_t n)
{
	const struct rs_result *slowest = NULL;
	for (size_t i = 0; i < n; i++)
		if (from[i]->measured > 0 && from[i]->values[RS_EVENT_TIME].slowest != UINT64_MAX &&
			(!slowest || compare_slowest(from[i], slowest) > 0))
			slowest = from[i];
	if (!slowest)
		return;
	into->slowest_start_ns = slowest->slowest_start_ns;
	into->slowest_pid = slowest->slowest_pid;
	into->slowest_tid = slowest->slowest_tid;
	for (size_t v = 0; v < into->n_values; v++)
		into->values[v].slowest = slowest->values[v].slowest;
}

static void merge_values(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena)
{
	struct rs_arena scratch = {0};
	const struct rs_value **values = rs_arena_array(&scratch, n, sizeof(*values));
	into->n_values = n_values;
	into->values = rs_arena_array(arena, n_values, sizeof(*into->values));
	for (size_t v = 0; v < n_values; v++) {
		for (size_t i = 0; i < n; i++)
			values[i] = &from[i]->values[v];
		rs_value_merge(&into->values[v], values, n, arena);
	}
	rs_arena_finish(&scratch);
}

static int compare_octaves(const void *left, const void *right)
{
	const struct rs_octave *a = left, *b = right;
	return rs_compare_numbers(b->low_ns, a->low_ns);
}

static void merge_octaves(struct rs_result *into, const struct rs_result *const *from, size_t n,
	struct rs_arena *arena)
{
	size_t n_all = 0;
	for (size_t i = 0; i < n; i++)
		n_all += from[i]->n_octaves;
	struct rs_octave *all = rs_arena_array(arena, n_all, sizeof(*all));
	n_all = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t o = 0; o < from[i]->n_octaves; o++)
			all[n_all++] = from[i]->octaves[o];
	qsort(all, n_all, sizeof(*all), compare_octaves);
	into->octaves = all;
	for (size_t i = 0; i < n_all; i++) {
		struct rs_octave *octave = &all[into->n_octaves], more = all[i];
		if (i == 0 || octave[-1].low_ns != more.low_ns) {
			into->n_octaves++;
			*octave = more;
			octave->weight = 0;
			octave->sums = rs_arena_array(arena, more.n_sums, sizeof(*more.sums));
		} else {
			octave--;
		}
		rs_add_saturating(&octave->weight, more.weight);
		for (size_t e = 0; e < octave->n_sums; e++)
			rs_add_saturating(&octave->sums[e], more.sums[e]);
	}
}

static int compare_parents(const void *left, const void *right)
{
	return rs_compare_numbers(*(const uint16_t *)left, *(const uint16_t *)right);
}

static void merge_parents(struct rs_result *into, const struct rs_result *const *from, size_t n,
	struct rs_arena *arena)
{
	size_t n_all = 0;
	for (size_t i = 0; i < n; i++)
		n_all += from[i]->n_parents;
	uint16_t *all = rs_arena_array(arena, n_all, sizeof(*all));
	n_all = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < from[i]->n_parents; p++)
			all[n_all++] = from[i]->parents[p];
	qsort(all, n_all, sizeof(*all), compare_parents);
	into->parents = all;
	for (size_t i = 0; i < n_all; i++)
		if (i == 0 || all[i] != all[into->n_parents - 1])
			all[into->n_parents++] = all[i];
}

void rs_result_merge(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena)
{
	struct rs_result sum = {
		.region = into->region, .process = into->process, .thread = into->thread};
	for (size_t i = 0; i < n; i++)
		add(&sum, from[i]);
	merge_values(&sum, from, n, n_values, arena);
	merge_octaves(&sum, from, n, arena);
	merge_parents(&sum, from, n, arena);
	take_slowest(&sum, from, n);
	if (n == 1) {
		sum.ranks = from[0]->ranks;
		sum.n_ranks = from[0]->n_ranks;
	}
	*into = sum;
}
