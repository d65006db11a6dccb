/* SPDX-License-Identifier: MIT */
/*
 * Cells and the memory behind them: made when a thread marks a region for the first time, kept in
 * its slot for later threads. A new cell is complete before the slot's list names it, so a reader
 * of the segment finds whole cells only.
 */
#include <string.h>

#include "runtime/calls/probe.h"
#include "runtime/calls/record.h"
#include "runtime/calls/work.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/calls.h"

/* The overhead that lies inside calls as this thread's markers take them. */
static void set_inside(
	const struct rs_thread *thread, struct rs_cell *cell, const struct rs_shape *shape)
{
	uint64_t *inside = rs_cell_inside(cell, shape->n_events);
	memcpy(inside, thread->cost->inside, (1 + thread->n_events) * sizeof(uint64_t));
	if (shape->n_events > thread->n_events) /* of on-CPU time as of time */
		inside[shape->n_events] = inside[0];
}

/* Use a cell that an earlier thread of the slot left. */
static struct rs_cell *bind(struct rs_thread *thread, uint32_t region, struct rs_cell *cell)
{
	thread->regions[region].is_uncalled = 1;
	set_inside(thread, cell, thread->shape);
	if (thread->twins.present && thread->twins.regions[region].cell)
		set_inside(thread, thread->twins.regions[region].cell,
			&thread->runtime->switched_shape);
	int32_t pair = rs_probe_first_ticks(thread);
	thread->regions[region].pair_ticks = pair;
	atomic_store_explicit(&cell->pair_ticks, thread->counters.n_reads ? 0 : (uint32_t)pair,
		memory_order_relaxed); /* else in own_ticks */
	atomic_store_explicit(&cell->skip_ticks, thread->cost->skip[0], memory_order_relaxed);
	if (!rs_switches_are_watched(thread))
		rs_cell_set_unwatched(cell);
	thread->regions[region].cell = cell;
	if (thread->runtime->slow_rules)
		rs_slow_calls_bind(thread->runtime, region);
	return cell;
}

void rs_cell_count_thread(struct rs_thread_region *region)
{
	if (!region->is_uncalled)
		return;
	region->is_uncalled = 0;
	atomic_store_explicit(&region->cell->n_threads,
		atomic_load_explicit(&region->cell->n_threads, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* Memory for tables is taken in so many bytes, or for one. */
#define TABLES_BYTES 16384u

uint64_t rs_tables_bytes(const struct rs_shape *shape)
{
	uint64_t bytes = rs_table_bytes(shape);
	return bytes < TABLES_BYTES ? TABLES_BYTES / bytes * bytes : bytes;
}

bool rs_cell_make_table(
	struct rs_thread *thread, struct rs_thread_region *region, const struct rs_shape *shape)
{
	uint64_t bytes = rs_table_bytes(shape);
	if (!region->table) {
		if ((uint64_t)(thread->part.tables_end - thread->part.tables_next) < bytes) {
			uint64_t all = rs_tables_bytes(shape);
			char *tables = rs_sys_allocate_present(all);
			if (!tables)
				return false;
			thread->part.tables_next = tables;
			thread->part.tables_end = tables + all;
		}
		region->table = (void *)thread->part.tables_next;
		thread->part.tables_next += bytes;
	}
	memset(region->table, 0, bytes);
	return true;
}

/* ---- counts ---- */

/* Octaves that counts have at first, and to which they grow. A run does not use again what it grew
 * from. It grows by a half, so that all of them together take no more than three times the last. */
static const uint32_t run_sizes[] = {4, 6, 9, 14, 21, 32, 48, RS_RUN_OCTAVES};

static uint32_t sums_of(const struct rs_shape *shape, uint32_t quantity)
{
	return quantity ? 0 : shape->n_events;
}

/* The private word first: from it all else follows, if a handler jumps out of here. */
void rs_cell_set_counts(const struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity, uint64_t word)
{
	struct rs_counts *counts = &region->table[quantity];
	char *first = thread->base + rs_run_offset(word);
	uint64_t octaves = rs_run_n(word), exponent = rs_run_first(word) + 1023;
	counts->run = word;
	atomic_signal_fence(memory_order_seq_cst);
	/* modulo 2^64: these are no places, until an index is added */
	uintptr_t base = (uintptr_t)first - exponent * RS_RUN_OCTAVE * sizeof(uint64_t);
	uintptr_t sums = (uintptr_t)first + octaves * RS_RUN_OCTAVE * sizeof(uint64_t) -
			 exponent * shape->n_events * sizeof(uint64_t);
	if (quantity)
		counts->base = (uint64_t *)base;
	else
		counts->base = (uint64_t *)sums;
	if (!quantity)
		region->counts = (uint64_t *)base;
	/* pairs with the acquire load of the cell's readers: counts go there from here on */
	__atomic_store_n(
		&rs_cell_runs(region->cell, shape->n_events)[quantity], word, __ATOMIC_RELEASE);
}

bool rs_cell_take_counts(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity)
{
	uint64_t offset = rs_memory_take(
		thread, rs_run_bytes(run_sizes[0], sums_of(shape, quantity)));
	if (offset)
		rs_cell_set_counts(
			thread, region, shape, quantity, rs_run_word(offset, 0, run_sizes[0]));
	return offset;
}

static bool is_first_value(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	struct rs_rare *rare = rs_cell_row_now(region->cell, shape);
	const struct rs_rare_moments *extremes = &rs_rare_extremes(rare, shape)[quantity];
	return !(extremes->min_inverted | extremes->max);
}

/* From octave first, n of them, with what the run has; 0 without memory. */
static uint64_t copy_run(
	struct rs_thread *thread, uint64_t run, uint32_t n_sums, uint32_t first, uint32_t n)
{
	uint64_t offset = rs_memory_take(thread, rs_run_bytes(n, n_sums));
	if (!offset)
		return 0;
	const uint64_t *from = (const void *)(thread->base + rs_run_offset(run));
	uint64_t *to = (void *)(thread->base + offset);
	uint32_t skip = rs_run_first(run) - first, octaves = rs_run_n(run);
	memcpy(to + skip * RS_RUN_OCTAVE, from, octaves * RS_RUN_OCTAVE * sizeof(*to));
	memcpy(to + n * RS_RUN_OCTAVE + skip * n_sums, from + octaves * RS_RUN_OCTAVE,
		octaves * n_sums * sizeof(*to));
	return rs_run_word(offset, first, n);
}

bool rs_cell_make_room(struct rs_thread *thread, struct rs_thread_region *region, uint32_t quantity,
	uint64_t value)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint64_t run = region->table[quantity].run;
	uint32_t octave = rs_bucket_of_w(rs_w_of(value)) / RS_RUN_OCTAVE;
	uint32_t first = rs_run_first(run), n = rs_run_n(run), end = first + n, size = 0;
	bool goes_up = octave >= end;
	if (is_first_value(thread, region, quantity)) { /* all counts are 0: anywhere will do */
		/* most often the first call takes longer than those after it */
		first = octave > 2 ? octave - 2 : 0;
		first = first + n > RS_RUN_OCTAVES ? RS_RUN_OCTAVES - n : first;
		rs_cell_set_counts(
			thread, region, shape, quantity, rs_run_word(rs_run_offset(run), first, n));
		return true;
	}
	if (octave >= first && !goes_up)
		return true;
	uint32_t least = octave < first ? octave : first;
	uint32_t needed = (goes_up ? octave + 1 : end) - least;
	for (uint32_t i = 0; size < needed; i++)
		size = run_sizes[i];
	/* room for more where it grows */
	if (goes_up)
		least = least + size > RS_RUN_OCTAVES ? RS_RUN_OCTAVES - size : least;
	else
		least = end > size ? end - size : 0;
	uint64_t word = copy_run(thread, run, sums_of(shape, quantity), least, size);
	if (word) {
		rs_cell_set_counts(thread, region, shape, quantity, word);
		return true;
	}
	rs_cell_set_flag(region->cell, RS_CELL_HISTOGRAM_INCOMPLETE);
	return false;
}

/* ---- cells ---- */

/* Make a region's cell that the slot does not have, or the one for its calls with a context
 * switch. into: the region as the thread sees it, or its copy for such calls. NULL without
 * memory. */
static struct rs_cell *make(struct rs_thread *thread, struct rs_thread_region *into,
	uint32_t region, const struct rs_shape *shape)
{
	uint32_t bytes = shape->cell_bytes;
	uint64_t offset = rs_cell_make_table(thread, into, shape) ? rs_memory_take(thread, bytes)
								  : 0;
	if (!offset)
		return NULL;
	struct rs_cell *cell = rs_at(thread->runtime, offset);
	struct rs_thread_region made = {.cell = cell, .table = into->table};
	for (uint32_t m = 0; m <= shape->n_events; m++)
		if (!rs_cell_take_counts(thread, &made, shape, m))
			return NULL;
	into->counts = made.counts;
	cell->region = (uint16_t)region;
	cell->cell_units = rs_cell_units(bytes);
	return cell;
}

/* Put a cell at the end of the slot's list, so that the order of cells is first-seen order; unless
 * it is in the list already. A handler may jump out of here anywhere: then this is done again. */
static void append(struct rs_thread *thread, struct rs_cell *cell)
{
	struct rs_cell *last = thread->part.last_cell;
	if (cell == last || atomic_load_explicit(&cell->next, memory_order_relaxed))
		return;
	_Atomic uint64_t *link = last ? &last->next : &thread->part.slot->first_cell;
	/* pairs with the acquire load of a reader that walks the list */
	atomic_store_explicit(link, (uint64_t)((char *)cell - thread->base), memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* no further than the list itself */
	thread->part.last_cell = cell;
}

struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region)
{
	struct rs_thread_region *state = &thread->regions[region];
	if (!*thread->is_here) /* a fork() in a handler: the slot is the parent's */
		return NULL;
	if (state->every) /* it is known already on this thread */
		return state->cell;
	if (!state->cell || state->cell == thread->runtime->no_cell) {
		struct rs_cell *made = make(thread, state, region, thread->shape);
		if (!made)
			return NULL;
		state->cell = made;
		atomic_signal_fence(memory_order_seq_cst); /* known first: one cell of a region */
	}
	append(thread, state->cell);
	return bind(thread, region, state->cell);
}

/* Its page is made without a fault that is the program's. */
struct rs_thread_region *rs_cell_twin_at(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *twin = &thread->twins.regions[index];
	uintptr_t number = index * sizeof(*twin) / RS_PAGE_BYTES;
	static_assert(RS_PAGE_BYTES % sizeof(*twin) == 0 &&
			      RS_MAX_REGIONS * sizeof(*twin) / RS_PAGE_BYTES <= 64,
		"a bit for each page");
	if (!(thread->twins.present >> number & 1))
		RS_SYS(madvise, (char *)thread->twins.regions + number * RS_PAGE_BYTES,
			RS_PAGE_BYTES, MADV_POPULATE_WRITE);
	thread->twins.present |= UINT64_C(1) << number;
	return twin;
}

struct rs_thread_region *rs_cell_twin(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t index = rs_region_of(thread, region);
	struct rs_thread_region *twin = rs_cell_twin_at(thread, index);
	const struct rs_shape *shape = &thread->runtime->switched_shape;
	if (twin->cell)
		return twin;
	struct rs_cell *made = make(thread, twin, index, shape);
	if (!made) {
		rs_cell_set_unwatched(region->cell);
		return region;
	}
	set_inside(thread, made, shape);
	/* pairs with the acquire load of the cell's readers */
	atomic_store_explicit(&region->cell->twin,
		(uint32_t)((uint64_t)((char *)made - thread->base) / RS_OFFSET_UNIT),
		memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* in the segment first: calls follow */
	twin->cell = made;
	return twin;
}

/* ---- ranges ---- */

/* Whether the fast path may fold the latest call: it is not folded, and counts of time and of
 * every event have room for its values. */
static bool is_plain(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	if (rs_cell_is_folded(cell, rs_cell_word(cell)) ||
		rs_cell_row_now(cell, thread->shape)->latest_uncounted)
		return false;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t run = region->table[m].run;
		uint32_t octave = rs_bucket_of_w(*rs_cell_latest(cell, m)) / RS_RUN_OCTAVE;
		if (octave - rs_run_first(run) >= rs_run_n(run))
			return false;
	}
	return true;
}

/* The values from low to high of which there are counts. */
static struct rs_range range_of(uint64_t run, uint64_t low, uint64_t high)
{
	uint32_t first = rs_run_first(run), last = first + rs_run_n(run) - 1;
	uint64_t least = rs_run_low(first, 0), most = rs_run_low(last + 1, 0) - 1;
	most -= most >> 52; /* as a double, the w of a larger one is the next octave's */
	low = low < least ? least : low;
	high = high > most ? most : high;
	return (struct rs_range){low, high >= low ? high - low + 1 : 0};
}

void rs_cell_set_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	struct rs_rare *rare = rs_cell_row_now(cell, thread->shape);
	const struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	region->table[0].range.width = 0;
	if (!is_plain(thread, region))
		return;
	region->latest = (uint32_t)rs_record_index(region->table[0].run, cell->latest_time);
	for (uint32_t m = 1; m <= thread->n_events; m++)
		region->table[m].latest = (uint32_t)rs_record_index(
			region->table[m].run, *rs_cell_latest(cell, m));
	for (uint32_t m = thread->n_events + 1; m-- > 0;) {
		struct rs_counts *counts = &region->table[m];
		counts->range = range_of(counts->run, ~extremes[m].min_inverted, extremes[m].max);
	}
	if (thread->runtime->slow_rules)
		rs_slow_calls_limit(thread->runtime, region);
}

void rs_cell_open_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	for (uint32_t m = 0; is_plain(thread, region) && m <= thread->n_events; m++)
		region->table[m].range = range_of(region->table[m].run, 0, RS_VALUE_MAX);
}

/* ---- sums, and what another left ---- */

uint64_t rs_cell_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums)
{
	const struct rs_cell *cell = region->cell;
	uint64_t word = rs_cell_word(cell);
	uint64_t weight = 0, run = region->table[0].run, weights = rs_cell_calls(word);
	bool samples = thread->runtime->samples;
	uint32_t stride = rs_shape_of(thread, region)->n_events;
	if (!rs_cell_is_folded(cell, word))
		weight = samples ? cell->latest_weight : 1;
	if (samples)
		weights = cell->weights + weight;
	sums[0] = cell->time_sum + weight * cell->latest_time;
	const uint64_t *of_octave = (const uint64_t *)(void *)(thread->base + rs_run_offset(run)) +
				    rs_run_n(run) * RS_RUN_OCTAVE;
	for (uint32_t e = 0; e < thread->n_events; e++) {
		sums[1 + e] = weight * *rs_cell_latest(region->cell, 1 + e);
		for (uint32_t octave = 0; octave < rs_run_n(run); octave++)
			sums[1 + e] += of_octave[octave * stride + e];
	}
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sums[m] = (sums[m] - weights) / 2;
	return weights;
}

uint64_t rs_cell_median(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t run = region->table[0].run, total = 0, so_far = 0;
	uint32_t n = rs_run_n(run) * RS_RUN_OCTAVE, i = 0;
	const uint64_t *counts = (const void *)(thread->base + rs_run_offset(run));
	for (uint32_t bucket = 0; bucket < n; bucket++)
		total += counts[bucket];
	while (i + 1 < n && (so_far += counts[i]) * 2 < total)
		i++;
	return rs_run_low(rs_run_first(run) + i / RS_RUN_OCTAVE, i % RS_RUN_OCTAVE);
}

void rs_cell_repair(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint32_t n_events = shape->n_events;
	if (!cell || cell == thread->runtime->no_cell)
		return;
	for (uint32_t m = 0; m <= n_events; m++)
		rs_cell_set_counts(thread, region, shape, m, region->table[m].run);
	uint64_t word = rs_cell_word(cell);
	struct rs_cell_children *children = rs_cell_children(cell, n_events);
	for (uint32_t m = 0; m <= n_events; m++)
		if ((children[m].sum & 1) != rs_cell_children_parity(word))
			children[m].sum = (children[m].sum ^ 1) - children[m].latest;
	rs_record_fold_any(thread, region, true);
	region->table[0].range.width = 0;
	rs_work_repair(thread, region);
}
