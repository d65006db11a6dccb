/* SPDX-License-Identifier: MIT */
/*
 * This file merges results into rows. It sorts results by region, process and thread, and adds up
 * those that belong to the same row.
 */
#include "stats/merge.h"

#include <stdlib.h>

/* A result, and the region, process and thread of the row that it belongs to. */
struct member {
	const struct rs_result *result;
	uint32_t region;
	uint32_t process; /* process and thread have the same meaning as in a row */
	uint32_t thread;
};

/* State while rows are made. */
struct merger {
	const struct rs_run *run;
	enum rs_merge_by by;
	struct rs_arena *arena, scratch;
	struct member *members; /* room for two members for each result */
	const struct rs_result **results; /* room for two pointers for each result */
	/* for each region: whether it has separate results for kinds of work (--by-work) */
	bool *has_works;
};

static void merger_init(struct merger *merger)
{
	const struct rs_run *run = merger->run;
	struct rs_arena *scratch = &merger->scratch;
	size_t n = 2 * run->n_results;
	merger->members = rs_arena_array(scratch, n, sizeof(*merger->members));
	merger->results = rs_arena_array(scratch, n, sizeof(*merger->results));
	merger->has_works = rs_arena_array(scratch, run->n_regions, sizeof(*merger->has_works));
	for (uint32_t i = 0; i < run->n_regions; i++) {
		uint32_t base = rs_run_work_of(run, i);
		if (base != RS_NO_REGION)
			merger->has_works[base] = true;
	}
}

/* Return true if a row has nothing to report. Its threads have only started asynchronous calls that
 * threads of other rows stopped, or only stopped calls that those threads started. */
static bool row_is_blank(const struct rs_result *row)
{
	uint64_t any = row->calls | row->running;
	for (size_t i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		any |= row->diag[i];
	return any == 0;
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = rs_compare_numbers(a->region, b->region);
	order = order ? order : rs_compare_numbers(a->process, b->process);
	order = order ? order : rs_compare_numbers(a->thread, b->thread);
	return order ? order : (a->result > b->result) - (a->result < b->result);
}

static bool same_row(const struct member *a, const struct member *b)
{
	return a->region == b->region && a->process == b->process && a->thread == b->thread;
}

/* Count the threads that called a row's region. In each slot, the region's own result says how many
 * threads used the slot. If any result of the region on the slot has calls, all of these threads
 * count. */
static uint64_t count_threads(const struct member *members, size_t n_members)
{
	uint64_t n_threads = 0;
	for (size_t first = 0, end; first < n_members; first = end) {
		uint32_t thread = members[first].result->thread;
		uint64_t n = 0;
		bool is_any = false;
		for (end = first; end < n_members && members[end].result->thread == thread; end++) {
			const struct rs_result *result = members[end].result;
			n += result->region == members->region ? result->n_threads : 0;
			is_any |= rs_result_is_called(result);
		}
		n_threads += is_any ? n : 0;
	}
	return n_threads;
}

static void make_row(struct merger *merger, struct rs_result *row, const struct member *members,
	size_t n_members)
{
	for (size_t i = 0; i < n_members; i++)
		merger->results[i] = members[i].result;
	row->region = members->region;
	row->process = members->process;
	row->thread = members->thread;
	rs_result_merge(
		row, merger->results, n_members, rs_run_n_values(merger->run), merger->arena);
	row->n_threads = count_threads(members, n_members);
	row->diag[RS_ACCUMULATOR_DIAG_OPEN] -= row->running;
}

/* Make a member for each result that has something to report, and sort the members by their rows.
 * Return the number of members. */
static size_t sort_members(const struct merger *merger)
{
	const struct rs_run *run = merger->run;
	struct member *members = merger->members;
	size_t n = 0;
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		if (row_is_blank(result) && result->pending == 0 &&
			!merger->has_works[result->region])
			continue;
		const struct member member = {.result = result,
			.region = result->region,
			.process = merger->by == RS_MERGE_REGION ? RS_ALL : result->process,
			.thread = merger->by == RS_MERGE_THREAD ? result->thread : RS_ALL};
		members[n++] = member;
		uint32_t base = rs_run_work_of(run, result->region);
		if (base == RS_NO_REGION)
			continue;
		/* calls with this kind of work are also calls of the region itself */
		members[n] = member;
		members[n++].region = base;
	}
	qsort(members, n, sizeof(*members), compare_members);
	return n;
}

/*
 * Find asynchronous calls that were started and never stopped. Only their count over all rows of a
 * region is known. Assign them to rows that have more starts than stops. rows[n]: all rows of one
 * region.
 */
static void assign_pending(struct rs_result *rows, size_t n)
{
	uint64_t pending = 0;
	for (size_t i = 0; i < n; i++)
		pending += rows[i].pending;
	for (size_t i = 0; i < n && (int64_t)pending > 0; i++) {
		uint64_t here = rs_min(rows[i].pending, pending);
		if ((int64_t)rows[i].pending <= 0)
			continue;
		rs_add_saturating(&rows[i].diag[RS_ACCUMULATOR_DIAG_OPEN], here);
		pending -= here;
	}
}

static void take_off(uint64_t *from, uint64_t *moved)
{
	uint64_t here = rs_min(*from, *moved);
	*from -= here;
	*moved -= here;
}

/* Subtract moved calls from open and running calls, and then from lost ones. A moved call has ended
 * on another thread than the one where it began. The thread where it began still counts the call as
 * open. If a call that began earlier has ended on that thread, it counts the moved call as lost. It
 * is unknown in which row a moved call began. rows[n]: all rows of one region. */
static void subtract_moved(struct rs_result *rows, size_t n)
{
	uint64_t moved = 0;
	for (size_t i = 0; i < n; i++)
		rs_add_saturating(&moved, rows[i].diag[RS_ACCUMULATOR_DIAG_MOVED]);
	for (size_t i = 0; i < n; i++) {
		take_off(&rows[i].diag[RS_ACCUMULATOR_DIAG_OPEN], &moved);
		take_off(&rows[i].running, &moved);
	}
	for (size_t i = 0; i < n; i++)
		take_off(&rows[i].diag[RS_ACCUMULATOR_DIAG_LOST], &moved);
}

/* Set the counts that are known only over all rows of a region. Then remove empty rows, and move
 * the rows of kinds of work to merge->works. */
static void finish_rows(struct rs_merge *merge, const struct merger *merger)
{
	struct rs_result *rows = merge->rows;
	size_t n = 0;
	merge->works = rs_arena_array(merger->arena, merge->n_rows, sizeof(*merge->works));
	for (size_t first = 0, end; first < merge->n_rows; first = end) {
		for (end = first + 1;
			end < merge->n_rows && rows[end].region == rows[first].region;)
			end++;
		subtract_moved(&rows[first], end - first);
		assign_pending(&rows[first], end - first);
	}
	for (size_t i = 0; i < merge->n_rows; i++) {
		if (row_is_blank(&rows[i]))
			continue;
		if (rs_run_work_of(merger->run, rows[i].region) == RS_NO_REGION)
			rows[n++] = rows[i];
		else
			merge->works[merge->n_works++] = rows[i];
	}
	merge->n_rows = n;
}

/* Set the parent of each row to the nearest enclosing region that has a row. */
static void find_parents(struct rs_merge *merge, struct merger *merger)
{
	const struct rs_run *run = merger->run;
	struct rs_arena *scratch = &merger->scratch;
	const struct rs_result **rows = rs_arena_array(scratch, run->n_regions, sizeof(*rows));
	uint16_t *parents = rs_arena_array(scratch, run->n_regions, sizeof(*parents));
	rs_parents_make(parents, run);
	for (size_t i = 0; i < merge->n_rows; i++)
		rows[merge->rows[i].region] = &merge->rows[i];
	for (size_t i = 0; i < merge->n_rows; i++) {
		uint16_t parent = parents[merge->rows[i].region];
		while (parent != RS_NO_REGION && !rows[parent])
			parent = parents[parent];
		merge->rows[i].parent = parent != RS_NO_REGION ? rows[parent] : NULL;
	}
}

void rs_merge_make(struct rs_merge *merge, struct rs_arena *arena, const struct rs_run *run,
	enum rs_merge_by by)
{
	struct merger merger = {.run = run, .by = by, .arena = arena};
	*merge = (struct rs_merge){0};
	merger_init(&merger);
	size_t n = sort_members(&merger), n_rows = 0;
	const struct member *members = merger.members;
	for (size_t i = 0; i < n; i++)
		n_rows += i == 0 || !same_row(&members[i], &members[i - 1]);
	merge->rows = rs_arena_array(arena, n_rows, sizeof(*merge->rows));
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && same_row(&members[first], &members[end]);)
			end++;
		make_row(&merger, &merge->rows[merge->n_rows++], members + first, end - first);
	}
	finish_rows(merge, &merger);
	find_parents(merge, &merger);
	rs_arena_finish(&merger.scratch);
}
