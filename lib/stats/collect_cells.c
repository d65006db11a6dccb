/* SPDX-License-Identifier: MIT */
/*
 * What a cell says that was read: its moments, its slowest call and its histograms, as far as they make
 * sense, into the collection. The call at whose recording the program died is taken out of the
 * histograms again.
 */
#include "stats/collector.h"

#include <stdlib.h>
#include <string.h>

#include "stats/wide.h"

/* One copy of the moments with the current row, found in a cell's bytes. */
struct scalars {
	uint64_t calls;
	uint64_t weights;
	const struct rs_moments *moments;
	const struct rs_rare *rare;
	const struct rs_rare_group *groups;
	const struct rs_rare_moments *extremes;
};

/* word: of the cell. current: the copy that it names, else the one before, or that of a call at whose
 * recording the program died; of that only its sums are of use. */
static struct scalars find_scalars(
	const struct rs_collector *collector, uint64_t word, bool current)
{
	const struct rs_collection *out = collector->out;
	uint32_t copy = current ? rs_cell_copy(word) : !rs_cell_copy(word);
	uint32_t n_events = collector->n_events;
	uint32_t rare_offset = rs_cell_rare_offset(n_events, out->n_groups, rs_cell_row(word));
	const struct rs_cell *cell = (const void *)collector->cell;
	struct scalars scalars = {.calls = rs_cell_calls(word)};
	scalars.weights = collector->samples ? cell->weights[copy] : scalars.calls;
	scalars.moments = (const void *)(collector->cell + rs_cell_moments_offset(n_events, copy));
	scalars.rare = (const void *)(collector->cell + rare_offset);
	scalars.groups = (const void *)(scalars.rare + 1);
	scalars.extremes = (const void *)(scalars.groups + out->n_groups);
	return scalars;
}

/* Can such moments come from values with that sum of weights at all? */
static bool moments_make_sense(
	const struct rs_moments *moments, const struct rs_rare_moments *extremes, uint64_t weights)
{
	uint64_t min = ~extremes->min_inverted, max = extremes->max;
	rs_u128 square = (rs_u128)moments->square_high << 64 | moments->square_low;
	rs_u128 sum = moments->sum;
	if (weights == 0)
		return moments->sum == 0 && max == 0 && extremes->min_inverted == 0 && square == 0;
	if (min > max || sum < (rs_u128)weights * min || sum > (rs_u128)weights * max ||
		square > sum * max)
		return false;
	/* Cauchy and Schwarz: sum^2 <= weights * square */
	struct rs_wide most = rs_wide_multiply(square, weights);
	return most.high > 0 || most.low >= sum * sum;
}

/* The sum of weights of the calls that a quantity counted. */
static uint64_t weights_of(
	const struct rs_collector *collector, const struct scalars *scalars, uint32_t quantity)
{
	uint64_t uncounted = 0;
	if (quantity > 0 && quantity <= collector->out->n_events)
		uncounted =
			scalars->groups[collector->out->quantity_group[quantity]].uncounted_weights;
	return scalars->weights - uncounted;
}

/* Can so many calls have that sum of weights, each at least 1? */
static bool weights_make_sense(uint64_t weights, uint64_t calls)
{
	return calls > 0 ? weights >= calls : weights == 0;
}

static bool group_makes_sense(const struct rs_rare_group *group, const struct scalars *scalars)
{
	return group->uncounted <= scalars->calls && group->uncounted_weights <= scalars->weights &&
	       weights_make_sense(group->uncounted_weights, group->uncounted) &&
	       weights_make_sense(scalars->weights - group->uncounted_weights,
		       scalars->calls - group->uncounted) &&
	       group->unstable_ticks <= scalars->moments[0].sum &&
	       group->told_ticks <= group->unstable_ticks &&
	       group->missed_ticks <= group->unstable_ticks - group->told_ticks;
}

static bool scalars_make_sense(const struct rs_collector *collector, const struct scalars *scalars)
{
	if (scalars->calls >= RS_MAX_CALLS || scalars->weights >= RS_MAX_CALLS ||
		!weights_make_sense(scalars->weights, scalars->calls))
		return false;
	for (uint32_t group = 0; group < collector->out->n_groups; group++)
		if (!group_makes_sense(&scalars->groups[group], scalars))
			return false;
	for (uint32_t quantity = 0; quantity < collector->n_quantities; quantity++)
		if (!moments_make_sense(&scalars->moments[quantity], &scalars->extremes[quantity],
			    weights_of(collector, scalars, quantity)))
			return false;
	return true;
}

/* One quantity with its histogram. False: no memory. */
static bool copy_moments(struct rs_collector *collector, struct rs_cell_copy *copy,
	uint32_t quantity, const struct scalars *scalars, const struct scalars *other,
	bool changing)
{
	const struct rs_cell *cell = (const void *)collector->cell;
	const struct rs_moments *moments = &scalars->moments[quantity];
	const struct rs_rare_moments *extremes = &scalars->extremes[quantity];
	uint64_t weights = weights_of(collector, scalars, quantity);
	struct rs_cell_moments *into = &copy->moments[quantity];
	struct rs_histogram_sum *histogram = &collector->histograms[quantity];
	bool refused = atomic_load_explicit(&cell->flags, memory_order_relaxed) &
		       RS_CELL_HISTOGRAM_INCOMPLETE;
	bool spoiled = collector->spoiled[quantity];

	if (!refused && !spoiled)
		rs_collector_repair_histogram(histogram, weights,
			other->moments[quantity].sum - moments->sum, collector->samples);
	bool exceeds = histogram->n > weights && !changing;
	into->histogram.incomplete = histogram->n < weights || exceeds;
	if (spoiled || exceeds) {
		rs_collector_damage(collector, "a histogram of region '%s' makes no sense",
			rs_collector_region(collector, copy->region));
		into->histogram.incomplete = true;
	}
	into->total = moments->sum + extremes->uncounted - extremes->inner;
	into->self = (int64_t)(moments->sum + extremes->uncounted - moments->children);
	into->sum = moments->sum;
	into->min = weights > 0 ? ~extremes->min_inverted : 0;
	into->max = extremes->max;
	into->square = (rs_u128)moments->square_high << 64 | moments->square_low;
	return rs_collector_copy_histogram(collector, &into->histogram, histogram);
}

static void copy_slowest(const struct rs_collector *collector, struct rs_cell_copy *copy,
	const struct scalars *scalars)
{
	copy->slowest_start_ticks = scalars->rare->start_ticks;
	copy->slowest_tid = scalars->rare->tid;
	copy->slowest_pid = scalars->rare->pid;
	for (uint32_t i = 0; i < collector->n_quantities; i++)
		copy->slowest[i] = scalars->extremes[i].slowest;
}

static void copy_groups(
	struct rs_collector *collector, struct rs_cell_copy *copy, const struct scalars *scalars)
{
	for (uint32_t i = 0; i < collector->out->n_groups; i++) {
		const struct rs_rare_group *group = &scalars->groups[i];
		uint64_t running_ns = group->running_ns;
		copy->groups[i] = (struct rs_group_sums){
			.counted = scalars->calls - group->uncounted,
			.weights = scalars->weights - group->uncounted_weights,
			.enabled_ns = group->enabled_ns,
			.running_ns = running_ns < group->enabled_ns ? running_ns
								     : group->enabled_ns,
			.stable_ticks = scalars->moments[0].sum - group->unstable_ticks,
			.told_ticks = group->told_ticks,
			.missed_ticks = group->missed_ticks};
	}
}

/* Off-CPU time, which leaves of the calls' time their on-CPU time; unless it is more than any thread
 * has. */
static bool off_makes_sense(const struct rs_off_sums *off)
{
	const uint64_t most = UINT64_MAX / 8;
	for (int k = 0; k < RS_OFF_N; k++)
		if (off->total[k] > most || off->self[k] > most || off->calls[k] >= RS_MAX_CALLS)
			return false;
	return true;
}

static void copy_off(const struct rs_collector *collector, struct rs_cell_copy *copy,
	const struct scalars *scalars)
{
	const struct rs_off_sums *off = &scalars->rare->off;
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

static uint64_t at_most_calls(uint64_t value)
{
	return value < RS_MAX_CALLS ? value : RS_MAX_CALLS - 1;
}

static uint64_t load_relaxed(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

/* What a cell counts beside its calls. */
static void copy_counts(struct rs_cell_copy *copy, const struct rs_cell *cell)
{
	copy->n_threads = atomic_load_explicit(&cell->n_threads, memory_order_relaxed);
	copy->skipped = at_most_calls(load_relaxed(&cell->skipped));
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
	copy->clamped_quantities = load_relaxed(&cell->clamped_quantities);
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

/* What the sums behind the blocks of time say, if it is the same as the moments. */
static void check_sums(struct rs_collector *collector, struct rs_cell_copy *copy,
	const struct scalars *scalars, const struct scalars *other)
{
	uint64_t weight = other->weights - scalars->weights;
	uint64_t time = other->moments[0].sum - scalars->moments[0].sum;
	if (!collector->samples || weight == 0)
		weight = 1;
	for (uint32_t e = 0; e < collector->n_events; e++) {
		uint64_t counted = scalars->moments[1 + e].sum;
		uint64_t unfinished = other->moments[1 + e].sum - counted;
		if (!rs_collector_repair_sums(collector, e, counted, unfinished, time / weight))
			copy->unknown_sums |= e < RS_MAX_EVENTS ? 1u << e : 0;
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
	uint64_t word = atomic_load_explicit(&cell->calls_and_row, memory_order_relaxed);
	struct scalars scalars = find_scalars(collector, word, true);
	struct scalars other = find_scalars(collector, word, false);
	if (!scalars_make_sense(collector, &scalars) ||
		(main && !off_makes_sense(&scalars.rare->off))) {
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
	copy->calls = scalars.calls;
	copy->weights = scalars.weights;
	copy->is_switched = main != NULL;
	copy->is_of_work = rs_collection_work_of(collector->out, copy->region) != RS_NO_REGION;
	copy->is_watched = is_watched;
	copy->pair_ticks = pair_ticks;
	if (!copy->is_switched)
		copy_rest(collector, copy);
	copy_groups(collector, copy, &scalars);
	if (copy->calls > 0)
		copy_slowest(collector, copy, &scalars);
	for (uint32_t i = 0; i < collector->n_quantities; i++)
		if (!copy_moments(collector, copy, i, &scalars, &other, load != RS_LOAD_DONE))
			return false;
	if (copy->is_switched)
		copy_off(collector, copy, &scalars);
	check_sums(collector, copy, &scalars, &other);
	return rs_collector_copy_work(collector, copy, load) &&
	       rs_collector_copy_octaves(collector, copy);
}
