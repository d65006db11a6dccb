/* SPDX-License-Identifier: MIT */
/*
 * Sums over accumulators beside their values: see counts.h.
 */
#include "stats/counts.h"

#include <math.h>

#include "stats/running.h"

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Calls that never ended, by what became of their thread. */
static void add_open(struct rs_region_counts *counts, const struct rs_cell_copy *cell,
	const struct rs_outcome *outcome)
{
	uint64_t cut = cell->diag[RS_CELL_DIAG_EXIT];
	rs_add_saturating(&cut, cell->open);
	rs_add_saturating(
		&counts->diag[RS_CELL_DIAG_OPEN], difference(cell->diag[RS_CELL_DIAG_OPEN], cut));
	rs_add_saturating(
		&counts->diag[RS_CELL_DIAG_EXIT], difference(cut, rs_running_calls(outcome, cell)));
}

/* Events of one group agree: the first of each is added. */
static void add_groups(struct rs_region_counts *counts, const struct rs_collection *collection,
	const struct rs_cell_copy *cell)
{
	uint32_t first = 0; /* 1 + the last group that was added */
	for (uint32_t q = 1; q <= collection->n_events; q++) {
		uint32_t group = collection->quantity_group[q];
		const struct rs_value *value = &cell->values[rs_event_of_quantity(q)];
		if (group + 1 == first)
			continue;
		first = group + 1;
		counts->counted[group] += value->counted;
		counts->running_ns[group] |= value->running_ns;
	}
}

static void add_cell(struct rs_region_counts *counts, const struct rs_collection *collection,
	const struct rs_cell_copy *cell, const struct rs_outcome *outcome)
{
	counts->is_called = true;
	counts->calls += cell->calls;
	counts->skipped += cell->skipped;
	for (size_t d = 0; d < RS_CELL_DIAG_N; d++)
		if (d != RS_CELL_DIAG_OPEN && d != RS_CELL_DIAG_EXIT)
			rs_add_saturating(&counts->diag[d], cell->diag[d]);
	add_open(counts, cell, outcome);
	counts->pending += cell->pending;
	counts->clamped_quantities |= cell->clamped_quantities;
	rs_add_saturating(&counts->work_unmatched, cell->work_unmatched);
	rs_add_saturating(&counts->running, rs_running_calls(outcome, cell));
	for (uint32_t v = 0; v < rs_collection_n_values(collection); v++)
		counts->is_incomplete |= cell->values[v].histogram.incomplete;
	add_groups(counts, collection, cell);
}

/* Calls that ended on another thread are open for good where they began: they are no others. */
static void finish_region(struct rs_region_counts *counts, uint64_t running_moved)
{
	counts->diag[RS_CELL_DIAG_EXIT] = difference(
		counts->diag[RS_CELL_DIAG_EXIT], counts->diag[RS_CELL_DIAG_MOVED]);
	counts->running = difference(counts->running, running_moved);
	if ((int64_t)counts->pending < 0)
		counts->pending = 0;
}

/* ---- balance of threads ---- */

/* The share of one thread, and of all. Zeroed: nothing yet. */
struct share {
	double own, own_variance, sum, sum_variance, most_variance;
	uint32_t slot; /* 1 + that of own */
	bool is_unknown;
};

/* Cells come by their slots; calls of other work have cells of their own. */
static void add_share(struct rs_balance *balance, struct share *share,
	const struct rs_cell_copy *cell, enum rs_event_index event, uint32_t tid)
{
	const struct rs_value *value = &cell->values[event];
	if (cell->calls == 0)
		return;
	if (share->slot != cell->slot + 1) {
		balance->n_threads++;
		share->own = share->own_variance = 0;
	}
	double self = fmax((double)value->self, 0);
	share->slot = cell->slot + 1;
	share->own += self;
	share->own_variance += value->variance;
	share->sum += self;
	share->sum_variance += value->variance;
	share->is_unknown |= cell->n_threads > 1 || value->status != RS_VALUE_OK;
	if (share->own <= balance->most)
		return;
	balance->most = share->own;
	balance->tid = tid;
	share->most_variance = share->own_variance;
}

static void finish_balance(struct rs_balance *balance, const struct share *share)
{
	double n = (double)balance->n_threads;
	balance->is_known = n > 0 && !share->is_unknown;
	balance->average = n > 0 ? share->sum / n : 0;
	balance->error = 2 * sqrt(share->most_variance + share->sum_variance / (n * n));
}

/* The thread that has a slot; slots are ascending. */
static uint32_t tid_of(const struct rs_collection *collection, size_t *place, uint32_t slot)
{
	while (*place < collection->n_slots && collection->slots[*place].index < slot)
		++*place;
	bool is_there = *place < collection->n_slots && collection->slots[*place].index == slot;
	return is_there ? collection->slots[*place].tid : 0;
}

/* shares[n_regions + 1]: zeroed; the last one is of all regions. */
static void add_balances(
	struct rs_counts *counts, const struct rs_collection *collection, struct share *shares)
{
	size_t place = 0;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		uint32_t tid = tid_of(collection, &place, cell->slot);
		uint32_t region = rs_collection_owner(collection, cell->region);
		add_share(&counts->regions[region].self, &shares[region], cell, RS_EVENT_TIME, tid);
		add_share(&counts->cpu, &shares[counts->n_regions], cell, RS_EVENT_CPU_TIME, tid);
	}
	for (size_t i = 0; i < counts->n_regions; i++)
		finish_balance(&counts->regions[i].self, &shares[i]);
	finish_balance(&counts->cpu, &shares[counts->n_regions]);
}

bool rs_counts_make(struct rs_counts *counts, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_outcome *outcome)
{
	size_t n = collection->n_regions, n_groups = collection->n_groups;
	*counts = (struct rs_counts){.n_regions = n};
	counts->regions = rs_arena_array(arena, n, sizeof(*counts->regions));
	uint64_t *groups = rs_arena_array(arena, 2 * n * n_groups, sizeof(*groups));
	uint64_t *moved = rs_arena_array(arena, n, sizeof(*moved));
	struct share *shares = rs_arena_array(arena, n + 1, sizeof(*shares));
	if (!counts->regions || !groups || !moved || !shares)
		return false;
	for (size_t i = 0; i < n; i++) {
		counts->regions[i].counted = groups + 2 * i * n_groups;
		counts->regions[i].running_ns = groups + (2 * i + 1) * n_groups;
	}
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		uint32_t region = rs_collection_owner(collection, cell->region);
		add_cell(&counts->regions[region], collection, cell, outcome);
		counts->measured += cell->calls;
		counts->skipped += cell->skipped;
		if (rs_running_is_cell(outcome, cell))
			rs_add_saturating(&moved[region], cell->diag[RS_CELL_DIAG_MOVED]);
	}
	for (size_t i = 0; i < n; i++)
		finish_region(&counts->regions[i], moved[i]);
	for (size_t i = 0; i < collection->n_processes; i++)
		for (size_t d = 0; d < RS_PROCESS_DIAG_N; d++)
			rs_add_saturating(
				&counts->process_diag[d], collection->processes[i].diag[d]);
	add_balances(counts, collection, shares);
	return true;
}
