/* SPDX-License-Identifier: MIT */
/*
 * Merging cells into rows: cells are sorted by the keys of rows, and each run of equal ones is
 * added up, value by value.
 */
#include "stats/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/parents.h"
#include "stats/running.h"

/* A cell and the keys of its row. */
struct member {
	const struct rs_cell_copy *cell;
	size_t order; /* in the collection */
	uint32_t region;
	uint32_t process; /* these two as of struct rs_merged_row */
	uint32_t slot;
};

/* The state while rows are made. */
struct merger {
	const struct rs_collection *collection;
	const struct rs_merge_options *options;
	struct rs_arena *arena;
	const struct rs_value **values; /* room for those of one event of all members */
	bool *has_works; /* one a region: calls of it are kept apart by their work */
	bool *is_parent; /* one a region, and one for none: of the current row */
};

static bool merger_init(struct merger *merger)
{
	const struct rs_collection *collection = merger->collection;
	merger->has_works = calloc(collection->n_regions + 1, sizeof(*merger->has_works));
	merger->values = calloc(2 * collection->n_cells + 1, sizeof(*merger->values));
	merger->is_parent = calloc(collection->n_regions + 1, sizeof(*merger->is_parent));
	if (!merger->values || !merger->has_works || !merger->is_parent)
		return false;
	for (uint32_t i = 0; i < collection->n_regions; i++) {
		uint32_t base = rs_collection_work_of(collection, i);
		if (base != RS_NO_REGION)
			merger->has_works[base] = true;
	}
	return true;
}

static void merger_finish(struct merger *merger)
{
	free(merger->values);
	free(merger->has_works);
	free(merger->is_parent);
}

static bool cell_is_blank(const struct rs_cell_copy *cell)
{
	uint64_t any = cell->calls | cell->skipped | cell->pending;
	for (size_t i = 0; i < RS_CELL_DIAG_N; i++)
		any |= cell->diag[i];
	return any == 0;
}

/* Nothing but asynchronous calls that were started or stopped elsewhere. */
static bool row_is_blank(const struct rs_merged_row *row)
{
	uint64_t any = row->calls | row->running;
	for (size_t i = 0; i < RS_CELL_DIAG_N; i++)
		any |= row->diag[i];
	return any == 0;
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left;
	const struct member *b = right;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool same_row(const struct member *a, const struct member *b)
{
	return a->region == b->region && a->process == b->process && a->slot == b->slot;
}

static void add_cell(
	struct rs_merged_row *row, const struct rs_cell_copy *cell, const struct merger *merger)
{
	row->calls += cell->calls + cell->skipped;
	row->measured += cell->calls;
	row->weights += cell->weights;
	rs_cost_add(&row->cost, cell);
	row->pending += cell->pending;
	row->work.calls += cell->work_calls;
	row->work.bytes = rs_work_add(row->work.bytes, cell->work_bytes);
	row->work.flops = rs_work_add(row->work.flops, cell->work_flops);
	row->nests |= cell->n_parents > 0;
	for (size_t i = 0; i < RS_CELL_DIAG_N; i++)
		rs_add_saturating(&row->diag[i], cell->diag[i]);
	uint64_t running = rs_running_calls(merger->options->outcome, cell);
	row->diag[RS_CELL_DIAG_OPEN] -= running;
	rs_add_saturating(&row->running, running);
	if (cell->calls > 0 && (!row->slowest || cell->slowest[0] > row->slowest->slowest[0]))
		row->slowest = cell;
}

/* Whether the threads of a cell's slot called its region. Threads did not that only ended calls of
 * others, or only started calls that others stopped. */
static bool was_called(const struct rs_cell_copy *cell)
{
	return cell->calls | cell->skipped | cell->diag[RS_CELL_DIAG_LOST] |
	       cell->diag[RS_CELL_DIAG_OPEN] | cell->diag[RS_CELL_DIAG_CUT];
}

/* The threads that called a row's region. In each slot, the region's own cell says how many
 * threads the slot had; any cell of the region's calls there shows that it was called. */
static void count_threads(struct rs_merged_row *row, const struct member *members, size_t n_members)
{
	for (size_t first = 0, end; first < n_members; first = end) {
		uint64_t n = 0;
		bool is_any = false;
		for (end = first;
			end < n_members && members[end].cell->slot == members[first].cell->slot;
			end++) {
			const struct rs_cell_copy *cell = members[end].cell;
			n += cell->region == row->region ? cell->n_threads : 0;
			is_any |= was_called(cell);
		}
		row->n_threads += is_any ? n : 0;
	}
}

/* False: no memory. */
static bool make_values(struct merger *merger, struct rs_merged_row *row,
	const struct member *members, size_t n_members)
{
	uint32_t n_values = rs_collection_n_values(merger->collection);
	row->values = rs_arena_array(merger->arena, n_values, sizeof(*row->values));
	for (uint32_t v = 0; row->values && v < n_values; v++) {
		for (size_t i = 0; i < n_members; i++)
			merger->values[i] = &members[i].cell->values[v];
		if (!rs_value_merge(&row->values[v], merger->values, n_members, merger->arena))
			return false;
	}
	return row->values;
}

static int compare_octaves(const void *left, const void *right)
{
	const struct rs_octave *a = left, *b = right;
	return a->low_ns > b->low_ns ? -1 : a->low_ns < b->low_ns;
}

/* The octaves of all members, equal ones together. False: no memory. */
static bool make_octaves(struct merger *merger, struct rs_merged_row *row,
	const struct member *members, size_t n_members)
{
	uint32_t n_events = merger->collection->n_events;
	size_t n = 0;
	for (size_t i = 0; i < n_members; i++)
		n += members[i].cell->n_octaves;
	struct rs_octave *all = rs_arena_array(merger->arena, n, sizeof(*all));
	if (!all)
		return false;
	n = 0;
	for (size_t i = 0; i < n_members; i++)
		for (uint32_t o = 0; o < members[i].cell->n_octaves; o++)
			all[n++] = members[i].cell->octaves[o];
	qsort(all, n, sizeof(*all), compare_octaves);
	row->octaves = all;
	for (size_t i = 0; i < n; i++) {
		struct rs_octave *into = &all[row->n_octaves];
		uint64_t *sums = all[i].sums;
		if (i == 0 || into[-1].low_ns != all[i].low_ns) {
			*into = all[i];
			row->n_octaves++;
			into->sums = rs_arena_array(merger->arena, n_events, sizeof(*sums));
			if (!into->sums)
				return false;
		} else {
			into--;
			rs_add_saturating(&into->weight, all[i].weight);
		}
		for (uint32_t e = 0; e < n_events; e++)
			rs_add_saturating(&into->sums[e], sums[e]);
	}
	return true;
}

/* The different regions in which calls of a row began, none being one as well. */
static void count_parents(struct merger *merger, struct rs_merged_row *row,
	const struct member *members, size_t n_members)
{
	size_t n_regions = merger->collection->n_regions;
	memset(merger->is_parent, 0, (n_regions + 1) * sizeof(*merger->is_parent));
	for (size_t i = 0; i < n_members; i++) {
		const struct rs_cell_copy *cell = members[i].cell;
		for (uint32_t p = 0; p < cell->n_parents; p++) {
			uint16_t parent = cell->parents[p];
			bool *is_known =
				&merger->is_parent[parent == RS_NO_REGION ? n_regions : parent];
			row->n_parents += parent != row->region && !*is_known;
			*is_known = true;
		}
	}
}

/* One row of n_members equal members. False: no memory. */
static bool make_row(struct merger *merger, struct rs_merged_row *row, const struct member *members,
	size_t n_members)
{
	row->region = members->region;
	row->process = members->process;
	row->slot = members->slot;
	count_threads(row, members, n_members);
	count_parents(merger, row, members, n_members);
	for (size_t i = 0; i < n_members; i++)
		add_cell(row, members[i].cell, merger);
	return make_values(merger, row, members, n_members) &&
	       make_octaves(merger, row, members, n_members);
}

/* The cells with anything to report, in the order of the rows. members[2 * n_cells]: filled. */
static size_t sort_members(struct member *members, const struct merger *merger)
{
	const struct rs_collection *collection = merger->collection;
	enum rs_merge_by by = merger->options->by;
	size_t n = 0;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		if (cell_is_blank(cell) && !merger->has_works[cell->region])
			continue;
		const struct member member = (struct member){.cell = cell,
			.order = i,
			.region = cell->region,
			.process = by == RS_MERGE_REGION ? RS_MERGE_ALL : cell->process,
			.slot = by == RS_MERGE_THREAD ? cell->slot : RS_MERGE_ALL};
		members[n++] = member;
		uint32_t base = rs_collection_work_of(collection, cell->region);
		if (base == RS_NO_REGION)
			continue;
		members[n] = member; /* its calls are that region's, too */
		members[n++].region = base;
	}
	qsort(members, n, sizeof(*members), compare_members);
	return n;
}

/*
 * Count asynchronous calls of a region that were started and never stopped. Only their number over
 * all rows is sure. They go to rows in which more calls started than stopped. rows[n]: those of
 * the region.
 */
static void tell_pending(struct rs_merged_row *rows, size_t n)
{
	uint64_t pending = 0;
	for (size_t i = 0; i < n; i++)
		pending += rows[i].pending;
	for (size_t i = 0; i < n && (int64_t)pending > 0; i++) {
		uint64_t here = rows[i].pending < pending ? rows[i].pending : pending;
		if ((int64_t)rows[i].pending <= 0)
			continue;
		rs_add_saturating(&rows[i].diag[RS_CELL_DIAG_OPEN], here);
		pending -= here;
	}
}

/* As many off both as there are of either. */
static void take_off(uint64_t *from, uint64_t *moved)
{
	uint64_t here = *from < *moved ? *from : *moved;
	*from -= here;
	*moved -= here;
}

/* Scopes that ended on another thread than they began on stay open where they began: they do not
 * count as open or running calls. Which row each began in is not sure. rows[n]: those of the
 * region. */
static void tell_moved(struct rs_merged_row *rows, size_t n)
{
	uint64_t moved = 0;
	for (size_t i = 0; i < n; i++)
		rs_add_saturating(&moved, rows[i].diag[RS_CELL_DIAG_MOVED]);
	for (size_t i = 0; i < n; i++) {
		take_off(&rows[i].diag[RS_CELL_DIAG_OPEN], &moved);
		take_off(&rows[i].running, &moved);
	}
}

/* Set the numbers that are known only over all rows of a region, and remove empty rows. */
static void finish_rows(struct rs_merge *merge)
{
	size_t n = 0;
	for (size_t first = 0, end; first < merge->n_rows; first = end) {
		for (end = first + 1; end < merge->n_rows &&
				      merge->rows[end].region == merge->rows[first].region;)
			end++;
		tell_moved(&merge->rows[first], end - first);
		tell_pending(&merge->rows[first], end - first);
	}
	for (size_t i = 0; i < merge->n_rows; i++)
		if (!row_is_blank(&merge->rows[i]))
			merge->rows[n++] = merge->rows[i];
	merge->n_rows = n;
}

/* Rows of calls that did the same work, apart from the others. False: no memory. */
static bool part_works(struct rs_merge *merge, const struct merger *merger)
{
	size_t n = 0;
	merge->works = rs_arena_array(merger->arena, merge->n_rows, sizeof(*merge->works));
	if (!merge->works)
		return false;
	for (size_t i = 0; i < merge->n_rows; i++) {
		const struct rs_merged_row *row = &merge->rows[i];
		if (rs_collection_work_of(merger->collection, row->region) == RS_NO_REGION) {
			merge->rows[n++] = *row;
			continue;
		}
		merge->works[merge->n_works] = *row;
		merge->works[merge->n_works++].parent = RS_NO_REGION;
	}
	merge->n_rows = n;
	return true;
}

/* Each row under the nearest region around it that has one. False: no memory. */
static bool find_parents(struct rs_merge *merge, const struct merger *merger)
{
	const struct rs_collection *collection = merger->collection;
	uint16_t *parents = rs_arena_array(merger->arena, collection->n_regions, sizeof(*parents));
	size_t *rows = rs_arena_array(merger->arena, collection->n_regions, sizeof(*rows));
	if (!parents || !rows || !rs_parents_make(parents, collection))
		return false;
	for (size_t i = 0; i < collection->n_regions; i++)
		rows[i] = RS_MERGE_NO_ROW;
	for (size_t i = 0; i < merge->n_rows; i++)
		rows[merge->rows[i].region] = i;
	for (size_t i = 0; i < merge->n_rows; i++) {
		struct rs_merged_row *row = &merge->rows[i];
		row->parent = parents[row->region];
		while (row->parent != RS_NO_REGION && rows[row->parent] == RS_MERGE_NO_ROW)
			row->parent = parents[row->parent];
		row->parent_row = row->parent != RS_NO_REGION ? rows[row->parent] : RS_MERGE_NO_ROW;
	}
	return true;
}

bool rs_merge_make(struct rs_merge *merge, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_merge_options *options,
	struct rs_err *err)
{
	bool done = false;
	struct merger merger = {.collection = collection, .options = options, .arena = arena};
	struct member *members = calloc(2 * collection->n_cells + 1, sizeof(*members));
	*merge = (struct rs_merge){0};
	if (!members || !merger_init(&merger))
		goto out;

	size_t n = sort_members(members, &merger);
	size_t n_rows = 0;
	for (size_t i = 0; i < n; i++)
		n_rows += i == 0 || !same_row(&members[i], &members[i - 1]);
	merge->rows = rs_arena_array(arena, n_rows, sizeof(*merge->rows));
	if (!merge->rows)
		goto out;
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && same_row(&members[first], &members[end]);)
			end++;
		if (!make_row(&merger, &merge->rows[merge->n_rows++], members + first, end - first))
			goto out;
	}
	finish_rows(merge);
	done = part_works(merge, &merger) && find_parents(merge, &merger);
out:
	merger_finish(&merger);
	free(members);
	return done || rs_err_set_errno(err, ENOMEM, "cannot add up the results");
}
