/* SPDX-License-Identifier: MIT */
/*
 * What a cell says that was read: its sums, its slowest call and its histograms, as far as they make
 * sense, into the collection. The markers' overhead inside its calls is subtracted here.
 */
#include "stats/collector.h"

#include <stdlib.h>
#include <string.h>

#include "stats/wide.h"

/* A value without overhead. */
static uint64_t without(uint64_t value, int64_t inside)
{
	int64_t rest = (int64_t)(value - (uint64_t)inside);
	return rest > 0 ? (uint64_t)rest : 0;
}

/* The sum of squares of values that are each so much less: sum over n of (v - inside)^2. */
static rs_u128 square_without(
	const struct rs_whole_quantity *quantity, const struct rs_cell_moments *moments)
{
	rs_u128 sum = moments->sum, n = quantity->weights, most = sum * moments->max;
	rs_u128 least = n > 0 ? sum * sum / n + (sum * sum % n > 0) : 0;
	rs_i128 inside = quantity->inside;
	rs_i128 square = (rs_i128)quantity->square - 2 * inside * (rs_i128)quantity->sum +
			 inside * inside * (rs_i128)quantity->weights;
	/* as far as values of 0 and more can have it */
	if (square < 0 || (rs_u128)square < least)
		return least;
	return (rs_u128)square < most ? (rs_u128)square : most;
}

/* One quantity with its histogram. False: no memory. */
static bool copy_moments(struct rs_collector *collector, struct rs_cell_copy *copy,
	uint32_t quantity, const struct rs_whole *whole)
{
	const struct rs_whole_quantity *from = &whole->quantities[quantity];
	const struct rs_rare_moments *extremes = &whole->extremes[quantity];
	struct rs_cell_moments *into = &copy->moments[quantity];
	uint64_t own = from->weights * (uint64_t)from->inside, clamped;
	if (from->exceeds)
		rs_collector_damage(collector, "a histogram of region '%s' makes no sense",
			rs_collector_region(collector, copy->region));
	into->histogram.incomplete = !from->has_all;
	into->max = without(extremes->max, from->inside);
	/* calls that took less than the overhead do not take from the others */
	into->sum = without(from->sum, (int64_t)own);
	into->sum = into->sum > into->max ? into->sum : into->max;
	into->total = into->sum + extremes->uncounted - extremes->inner;
	into->self = (int64_t)(into->sum + extremes->uncounted) - from->children;
	into->min = from->weights > 0 ? without(~extremes->min_inverted, from->inside) : 0;
	into->square = square_without(from, into);
	if (!rs_collector_copy_histogram(
		    collector, &into->histogram, quantity, from->inside, &clamped))
		return false;
	if (clamped > 0)
		copy->clamped_quantities |= UINT64_C(1) << quantity;
	if (clamped > copy->diag[RS_CELL_DIAG_CLAMPED])
		copy->diag[RS_CELL_DIAG_CLAMPED] = clamped;
	return true;
}

static void copy_slowest(const struct rs_collector *collector, struct rs_cell_copy *copy,
	const struct rs_whole *whole)
{
	copy->slowest_start_ticks = whole->rare->start_ticks;
	copy->slowest_tid = whole->rare->tid;
	copy->slowest_pid = whole->rare->pid;
	for (uint32_t i = 0; i < collector->n_quantities; i++) {
		uint64_t value = whole->extremes[i].slowest;
		copy->slowest[i] = value == UINT64_MAX
					   ? UINT64_MAX
					   : without(value, whole->quantities[i].inside);
	}
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

static void copy_groups(
	struct rs_collector *collector, struct rs_cell_copy *copy, const struct rs_whole *whole)
{
	uint64_t ticks = copy->moments[0].sum;
	for (uint32_t i = 0; i < collector->out->n_groups; i++) {
		const struct rs_rare_group *group = &whole->groups[i];
		uint64_t unstable = at_most(group->unstable_ticks, ticks);
		uint64_t told = at_most(group->told_ticks, unstable);
		copy->groups[i] = (struct rs_group_sums){.counted = whole->calls - group->uncounted,
			.weights = whole->weights - group->uncounted_weights,
			.enabled_ns = group->enabled_ns,
			.running_ns = at_most(group->running_ns, group->enabled_ns),
			.stable_ticks = ticks - unstable,
			.told_ticks = told,
			.missed_ticks = at_most(group->missed_ticks, unstable - told)};
	}
}

/* Off-CPU time, unless it is more than any thread has. */
static bool off_makes_sense(const struct rs_off_sums *off)
{
	const uint64_t most = UINT64_MAX / 8;
	for (int k = 0; k < RS_OFF_N; k++)
		if (off->total[k] > most || off->self[k] > most || off->calls[k] >= RS_MAX_CALLS)
			return false;
	return true;
}

/* The region's cell stands before that of its calls with a context switch, and says it of both. */
static void move_clamped(struct rs_cell_copy *main, struct rs_cell_copy *twin)
{
	main->clamped_quantities |= twin->clamped_quantities;
	main->diag[RS_CELL_DIAG_CLAMPED] += twin->diag[RS_CELL_DIAG_CLAMPED];
	twin->clamped_quantities = twin->diag[RS_CELL_DIAG_CLAMPED] = 0;
}

/* It leaves of the calls' time their on-CPU time. */
static void copy_off(const struct rs_collector *collector, struct rs_cell_copy *copy,
	const struct rs_off_sums *off)
{
	struct rs_cell_moments *time = &copy->moments[0];
	struct rs_cell_moments *cpu_time = &copy->moments[1 + collector->out->n_events];
	memcpy(copy->off_total, off->total, sizeof(copy->off_total));
	memcpy(copy->off_self, off->self, sizeof(copy->off_self));
	memcpy(copy->off_calls, off->calls, sizeof(copy->off_calls));
	cpu_time->total = time->total - off->weighted;
	cpu_time->self = time->self - (int64_t)off->weighted_self;
}

/* A new cell at the end of the collection, with its arrays. NULL: no memory. */
static struct rs_cell_copy *add_cell(struct rs_collector *collector)
{
	struct rs_collection *out = collector->out;
	if (out->n_cells == collector->capacity) {
		size_t capacity = collector->capacity > 0 ? collector->capacity * 2 : 64;
		struct rs_cell_copy *cells = reallocarray(
			out->cells, capacity, sizeof(*out->cells));
		if (!cells)
			return NULL;
		out->cells = cells;
		collector->capacity = capacity;
	}
	struct rs_cell_copy *copy = &out->cells[out->n_cells];
	*copy = (struct rs_cell_copy){0};
	copy->groups = rs_arena_array(collector->arena, out->n_groups, sizeof(*copy->groups));
	copy->moments = rs_arena_array(
		collector->arena, collector->n_quantities, sizeof(*copy->moments));
	copy->slowest = rs_arena_array(
		collector->arena, collector->n_quantities, sizeof(*copy->slowest));
	if (!copy->groups || !copy->moments || !copy->slowest)
		return NULL;
	out->n_cells++;
	return copy;
}

static uint64_t load_relaxed(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

/* What a cell counts beside its calls. */
static void copy_counts(struct rs_cell_copy *copy, const struct rs_cell *cell)
{
	copy->n_threads = atomic_load_explicit(&cell->n_threads, memory_order_relaxed);
	copy->skipped = at_most(load_relaxed(&cell->skipped), RS_MAX_CALLS - 1);
	for (size_t i = 0; i < RS_CELL_DIAG_N; i++)
		copy->diag[i] = load_relaxed(&cell->diag[i]);
	copy->open = atomic_load_explicit(&cell->open, memory_order_relaxed);
	uint64_t *never_ended = &copy->diag[RS_CELL_DIAG_OPEN];
	if (__builtin_add_overflow(*never_ended, copy->open, never_ended) ||
		__builtin_add_overflow(*never_ended, copy->diag[RS_CELL_DIAG_EXIT], never_ended))
		*never_ended = UINT64_MAX;
	copy->pending = load_relaxed(&cell->pending);
	copy->pair_ticks = load_relaxed(&cell->pair_ticks);
	copy->skip_ticks = load_relaxed(&cell->skip_ticks);
	copy->own_ticks = load_relaxed(&cell->own_ticks);
}

/* What is no region by now is none: what is around it is not known. */
static void copy_parents(
	const struct rs_collector *collector, struct rs_cell_copy *copy, const struct rs_cell *cell)
{
	const struct rs_collection *out = collector->out;
	for (uint32_t place = 0; place < RS_PARENTS; place++) {
		uint32_t parent = rs_parent_at(load_relaxed(&cell->parents[place / 4]), place);
		uint32_t region = parent - RS_PARENT_FIRST;
		if (parent == RS_PARENT_FREE)
			continue;
		bool is_region = region < out->n_regions && out->regions[region].ready;
		copy->parents[copy->n_parents++] = is_region ? (uint16_t)region : RS_NO_REGION;
	}
}

/* Of a cell that is in a slot's list: what it says beside its calls. */
static void copy_rest(struct rs_collector *collector, struct rs_cell_copy *copy)
{
	const struct rs_cell *cell = (const void *)collector->cell;
	uint32_t flags = atomic_load_explicit(&cell->flags, memory_order_relaxed);
	copy->is_watched = !(flags & RS_CELL_UNWATCHED);
	copy_counts(copy, cell);
	copy_parents(collector, copy, cell);
}

bool rs_collector_keep_cell(struct rs_collector *collector, const struct rs_slot_copy *slot,
	enum rs_load load, const struct rs_cell_copy *main)
{
	const struct rs_cell *cell = (const void *)collector->cell;
	struct rs_whole whole;
	if (!rs_accumulator_complete(collector, load, &whole) ||
		(main && !off_makes_sense(&whole.rare->off))) {
		rs_collector_damage(collector, "what thread slot %u measured of region '%s' %s",
			slot->index, rs_collector_region(collector, cell->region),
			load == RS_LOAD_TORN ? "changed while it was read" : "makes no sense");
		return true;
	}
	uint64_t pair_ticks = main ? main->pair_ticks : 0;
	bool is_watched = main && main->is_watched;
	struct rs_cell_copy *copy = add_cell(collector); /* where main was is another place now */
	if (!copy)
		return false;
	copy->region = cell->region;
	copy->slot = slot->index;
	copy->process = slot->process;
	copy->is_owned = slot->is_owned;
	copy->calls = whole.calls;
	copy->weights = whole.weights;
	copy->is_switched = main != NULL;
	copy->is_of_work = rs_collection_work_of(collector->out, copy->region) != RS_NO_REGION;
	copy->is_watched = is_watched;
	copy->pair_ticks = pair_ticks;
	if (!copy->is_switched)
		copy_rest(collector, copy);
	if (copy->calls > 0)
		copy_slowest(collector, copy, &whole);
	for (uint32_t i = 0; i < collector->n_quantities; i++)
		if (!copy_moments(collector, copy, i, &whole))
			return false;
	if (copy->is_switched) {
		move_clamped(copy - 1, copy);
		copy_off(collector, copy, &whole.rare->off);
	}
	copy_groups(collector, copy, &whole);
	return rs_collector_copy_work(collector, copy, load) &&
	       rs_collector_copy_octaves(collector, copy, &whole);
}
