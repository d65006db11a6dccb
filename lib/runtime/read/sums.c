/* SPDX-License-Identifier: MIT */
/*
 * This file adds up the values that a region has so far, on one thread slot or on all slots of the
 * process. The results equal those of a report (lib/stats): overhead is subtracted, and values are
 * estimated if calls are sampled or events are multiplexed.
 *
 * An accumulator can be read at any time, even in a signal handler that interrupts a marker of the
 * same thread (segment/accumulator.h). If a call ends during the read, the read is repeated.
 * Offsets in the segment are checked before use.
 */
#include "runtime/read/read.h"

#include "runtime/calls/calls.h"
#include "runtime/process/process.h"

/* How many times an accumulator is read again if its thread ends calls meanwhile. After that, the
 * latest calls are possibly missing in the result. */
#define MOST_TRIES 64

/* ---- the walk ---- */

const struct rs_block *rs_read_block(
	const struct rs_runtime *runtime, uint64_t offset, uint32_t n_sums)
{
	return offset && rs_memory_is_present(runtime, offset, rs_block_bytes(n_sums))
		       ? rs_at(runtime, offset)
		       : NULL;
}

static struct rs_read_accumulator accumulator_at(
	struct rs_runtime *runtime, uint64_t offset, const struct rs_shape *shape)
{
	bool is_sound = offset && offset % RS_OFFSET_UNIT == 0 &&
			rs_memory_is_present(runtime, offset, shape->accumulator_bytes);
	return (struct rs_read_accumulator){is_sound ? rs_at(runtime, offset) : NULL, shape};
}

/* Return the next slot to read, or NULL if there are no more. */
static const struct rs_slot *next_slot(struct rs_read_walk *walk)
{
	struct rs_runtime *runtime = walk->runtime;
	uint32_t n = atomic_load_explicit(&runtime->header->n_slots, memory_order_relaxed);
	if (walk->only && !walk->next_slot++)
		return walk->only;
	while (!walk->only && walk->next_slot < n && walk->next_slot < RS_MAX_SLOTS) {
		uint64_t offset = RS_SLOTS_OFFSET +
				  (uint64_t)walk->next_slot++ * sizeof(struct rs_slot);
		const struct rs_slot *slot = rs_at(runtime, offset);
		/* Slots of this process are mapped. Acquire pairs with the release store in
		 * rs_slot_take(). */
		if (rs_memory_is_mapped(runtime, offset) &&
			atomic_load_explicit(&slot->state, memory_order_acquire) == RS_SLOT_OWNED &&
			atomic_load_explicit(&slot->process, memory_order_relaxed) ==
				runtime->process_index)
			return slot;
	}
	return NULL;
}

bool rs_read_next(struct rs_read_walk *walk, struct rs_read_accumulators *accumulators)
{
	struct rs_runtime *runtime = walk->runtime;
	while (true) {
		accumulators->main = accumulator_at(
			runtime, walk->next_accumulator, &runtime->shape);
		if (accumulators->main.accumulator && walk->n_left--)
			break;
		if (!(walk->slot = next_slot(walk)))
			return false;
		walk->n_left = RS_MAX_REGIONS;
		/* Acquire, here and below, pairs with the release store of the link. */
		walk->next_accumulator = atomic_load_explicit(
			&walk->slot->first_accumulator, memory_order_acquire);
	}
	const struct rs_accumulator *accumulator = accumulators->main.accumulator;
	uint64_t switched = atomic_load_explicit(&accumulator->switched, memory_order_acquire);
	walk->next_accumulator = atomic_load_explicit(&accumulator->next, memory_order_acquire);
	accumulators->switched = accumulator_at(
		runtime, switched * RS_OFFSET_UNIT, &runtime->switched_shape);
	return true;
}

/* ---- one accumulator ---- */

/* Values of one or two accumulators, in ticks or counts, without the overhead inside calls. */
struct part {
	uint64_t weights; /* sum of the weights of calls for which the value was counted */
	uint64_t all;
	int64_t total; /* without calls that are nested in calls of the same region */
	int64_t children;
};

RS_INLINE uint64_t load(const uint64_t *word)
{
	return *(const volatile uint64_t *)word;
}

static const struct rs_rare *rare_of(const struct rs_read_accumulator *from, uint64_t word)
{
	return rs_accumulator_rare(from->accumulator, from->shape, rs_accumulator_row(word));
}

RS_OWN_WORDS uint64_t rs_read_sum_of(
	const struct rs_runtime *runtime, const struct rs_read_accumulator *from, uint32_t counter)
{
	uint32_t n_events = from->shape->n_events;
	uint64_t offset = load(&rs_accumulator_blocks(from->accumulator, n_events)[0]), sum = 0;
	const struct rs_block *block;
	if (!counter)
		return load(&from->accumulator->time_sum);
	for (uint32_t n = 0; n < RS_BLOCK_OCTAVES; n++) {
		if (!(block = rs_read_block(runtime, offset, n_events)))
			break;
		sum += load(&block->sums[counter - 1]);
		offset = rs_block_next(load(&block->link));
	}
	return sum;
}

RS_OWN_WORDS uint64_t rs_read_weights_of(
	const struct rs_runtime *runtime, const struct rs_accumulator *accumulator, uint64_t word)
{
	uint64_t calls = rs_accumulator_calls(word), weights = load(&accumulator->weights);
	if (!runtime->samples)
		return calls;
	return weights + ((weights ^ calls) & 1 ? load(&accumulator->latest_weight) : 0);
}

RS_OWN_WORDS static struct part part_of(struct rs_runtime *runtime,
	const struct rs_read_accumulator *from, uint32_t counter, uint64_t word)
{
	struct rs_accumulator *accumulator = from->accumulator;
	const struct rs_shape *shape = from->shape;
	const struct rs_rare *rare = rare_of(from, word);
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	const struct rs_rare_moments *extremes = &rs_rare_extremes(
		(struct rs_rare *)(uintptr_t)rare, shape)[counter];
	const struct rs_accumulator_children *children = &rs_accumulator_children(
		accumulator, shape->n_events)[counter];
	int64_t inside = (int64_t)load(
		&rs_accumulator_inside(accumulator, shape->n_events)[counter]);
	/* Read the latest call before the sums: a thread adds it to the sums before it overwrites
	 * the `latest` words. */
	uint64_t latest = load(rs_accumulator_latest(accumulator, counter));
	uint64_t weight = runtime->samples ? load(&accumulator->latest_weight) : 1;
	atomic_thread_fence(memory_order_acquire);
	uint64_t sum = rs_read_sum_of(runtime, from, counter),
		 weights = rs_read_weights_of(runtime, accumulator, word);
	struct part part = {.weights = weights};
	if (counter && counter <= runtime->shape.n_events)
		part.weights -= load(&groups[shape->event_group[counter - 1]].uncounted_weights);
	sum = (rs_accumulator_with_latest(sum, word, latest * weight) - weights) / 2;
	sum = rs_without_inside(sum, (int64_t)(part.weights * (uint64_t)inside));
	uint64_t max = rs_without_inside(load(&extremes->max), inside);
	part.all = (sum > max ? sum : max) + load(&extremes->uncounted);
	part.total = (int64_t)(part.all - load(&extremes->inner));
	uint64_t latest_children = load(&children->latest);
	part.children = rs_accumulator_children_sum(load(&children->sum), latest_children, word);
	return part;
}

/* ---- the accumulators of a region on a slot ---- */

/* The sums of one value of a region on a slot. */
struct sums {
	uint64_t calls, measured, weights;
	struct part part;
	uint64_t off_total, off_self; /* off-CPU time, in ticks */
	double enabled_ns, running_ns; /* how long the event's group was enabled and running */
	bool is_unwatched;
};

/* Add how long the event's group was enabled and running, as set_group() in lib/stats does. ticks
 * is the time of the accumulator's calls, and on_cpu the share of it on a CPU, 0 to 1. */
RS_OWN_WORDS static void add_group(struct sums *sums, struct rs_runtime *runtime,
	const struct rs_rare_group *group, uint64_t ticks, double on_cpu)
{
	uint64_t unstable = load(&group->unstable_ticks), answered = load(&group->answered_ticks);
	uint64_t missed = load(&group->missed_ticks), stable;
	uint64_t enabled = load(&group->enabled_ns), running = load(&group->running_ns);
	unstable = unstable < ticks ? unstable : ticks;
	answered = answered < unstable ? answered : unstable;
	missed = missed < unstable - answered ? missed : unstable - answered;
	stable = ticks - unstable;
	double stable_ns = rs_read_ns(runtime, (double)stable);
	double missed_ns = rs_read_ns(runtime, (double)missed);
	double known_ns = (double)enabled + stable_ns;
	double rest_ns = rs_read_ns(runtime, (double)ticks) * on_cpu - known_ns;
	if (missed && answered + stable)
		missed_ns = (double)missed * known_ns / (double)(answered + stable);
	missed_ns = missed_ns < rest_ns ? missed_ns : rest_ns;
	sums->enabled_ns += known_ns + (missed_ns > 0 ? missed_ns : 0);
	sums->running_ns += (double)(running < enabled ? running : enabled) + stable_ns;
}

static void add_part(struct part *into, const struct part *part)
{
	into->weights += part->weights;
	into->all += part->all;
	into->total += part->total;
	into->children += part->children;
}

/* Add one accumulator. is_switched is true for the accumulator of calls with a context switch. */
RS_OWN_WORDS static void add_accumulator(struct sums *sums, struct rs_runtime *runtime,
	const struct rs_read_accumulator *from, uint32_t value, bool is_switched, uint64_t word)
{
	const struct rs_rare *rare = rare_of(from, word);
	const struct rs_off_sums *off = &rare->off;
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	struct part time = part_of(runtime, from, 0, word), part = time;
	sums->measured += rs_accumulator_calls(word);
	sums->calls += rs_accumulator_calls(word);
	sums->weights += rs_read_weights_of(runtime, from->accumulator, word);
	for (int k = 0; is_switched && k < RS_OFF_N; k++) {
		if (value >= REGIONSTAT_BLOCKED && value != REGIONSTAT_BLOCKED + (uint32_t)k)
			continue;
		sums->off_total += load(&off->total[k]);
		sums->off_self += load(&off->self[k]);
	}
	if (value >= REGIONSTAT_EVENTS) {
		uint32_t counter = 1 + value - REGIONSTAT_EVENTS;
		const struct rs_rare_moments *of_time = rs_rare_extremes(
			(struct rs_rare *)(uintptr_t)rare, from->shape);
		double on_cpu = 1;
		if (is_switched && time.all)
			on_cpu = (double)part_of(runtime, from, from->shape->n_events, word).all /
				 (double)time.all;
		part = part_of(runtime, from, counter, word);
		add_group(sums, runtime, &groups[from->shape->event_group[counter - 1]],
			time.all - load(&of_time->uncounted), on_cpu < 1 ? on_cpu : 1);
	} else if (is_switched && runtime->samples) {
		/* Add the estimated on-CPU time; the exact off-CPU time follows later. */
		part = part_of(runtime, from, from->shape->n_events, word);
		part.total = time.total - (int64_t)load(&off->weighted);
		part.children = (int64_t)(part.all - (time.all - (uint64_t)time.children -
							     load(&off->weighted_self)));
	}
	part.total = part.total > 0 || runtime->samples ? part.total : 0;
	add_part(&sums->part, &part);
}

/* Read both accumulators of a region on a slot. */
static struct sums read_accumulators(
	struct rs_runtime *runtime, const struct rs_read_accumulators *accumulators, uint32_t value)
{
	const struct rs_read_accumulator *main = &accumulators->main,
					 *switched = &accumulators->switched;
	struct sums sums;
	for (int tries = MOST_TRIES; tries--;) {
		uint64_t word = rs_accumulator_word(main->accumulator);
		uint64_t other = switched->accumulator ? rs_accumulator_word(switched->accumulator)
						       : 0;
		atomic_thread_fence(memory_order_acquire);
		sums = (struct sums){.calls = atomic_load_explicit(
					     &main->accumulator->skipped, memory_order_relaxed)};
		add_accumulator(&sums, runtime, main, value, false, word);
		if (switched->accumulator)
			add_accumulator(&sums, runtime, switched, value, true, other);
		atomic_thread_fence(memory_order_acquire);
		if (word == rs_accumulator_word(main->accumulator) &&
			(!switched->accumulator ||
				other == rs_accumulator_word(switched->accumulator)))
			break;
	}
	sums.is_unwatched = atomic_load_explicit(&main->accumulator->flags, memory_order_relaxed) &
			    RS_ACCUMULATOR_UNWATCHED;
	return sums;
}

/* ---- all slots ---- */

static bool has_parent(const struct rs_accumulator *accumulator, uint32_t region)
{
	for (uint32_t i = 0; i < RS_PARENTS; i++)
		if (atomic_load_explicit(&accumulator->parents[i], memory_order_relaxed) ==
			RS_PARENT_FIRST + region)
			return true;
	return false;
}

static double factor_of(const struct sums *sums)
{
	return sums->weights ? (double)sums->calls / (double)sums->weights : 1;
}

/* Return the factor for `children` if calls are sampled, as find_nested() in lib/stats does. */
static double nested_factor(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, double own_factor)
{
	struct rs_read_walk walk = {.runtime = runtime, .only = slot};
	struct rs_read_accumulators accumulators;
	double raw = 0, estimated = 0;
	while (rs_read_next(&walk, &accumulators)) {
		bool is_own = accumulators.main.accumulator->region == region;
		if (!is_own && !has_parent(accumulators.main.accumulator, region))
			continue;
		struct sums sums = read_accumulators(runtime, &accumulators, value);
		double more = is_own ? (double)sums.part.all - (double)sums.part.total
				     : (double)sums.part.total;
		raw += more;
		estimated += more * factor_of(&sums);
	}
	return raw > 0 ? estimated / raw : own_factor;
}

static double rounded(double number)
{
	return (double)(int64_t)(number + 0.5);
}

/* Totals over all slots that are read. */
struct totals {
	uint64_t calls, measured, weights;
	double total, self;
	double enabled_ns, running_ns;
	bool is_unwatched;
};

static void add_slot(struct totals *totals, struct rs_runtime *runtime, const struct rs_slot *slot,
	uint32_t region, uint32_t value, const struct sums *sums)
{
	const struct part *part = &sums->part;
	bool is_off = value == REGIONSTAT_BLOCKED || value == REGIONSTAT_PREEMPTED;
	double total = (double)part->total, off = (double)sums->off_total;
	double self = (double)(int64_t)(part->all - (uint64_t)part->children);
	double off_self = (double)sums->off_self;
	if (runtime->samples && !is_off) {
		double factor = factor_of(sums), children = (double)part->children;
		children *= nested_factor(runtime, slot, region, value, factor);
		total = total > 0 ? rounded(total * factor) : 0;
		self = rounded((double)part->all * factor - children);
		if (value == REGIONSTAT_TIME) {
			total += off;
			self += off_self;
		}
	} else if (is_off) {
		total = off;
		self = off_self;
	} else if (value == REGIONSTAT_CPU_TIME) {
		total = total > off ? total - off : 0;
		self -= off_self;
	}
	totals->calls += sums->calls;
	totals->measured += sums->measured;
	totals->weights += part->weights;
	totals->total += total;
	totals->self += self;
	totals->enabled_ns += sums->enabled_ns;
	totals->running_ns += sums->running_ns;
	totals->is_unwatched |= sums->is_unwatched && sums->calls;
}

/* Scale the totals of a multiplexed event. Return REGIONSTAT_VALID, _SCALED or _ABSENT. */
static int finish(struct totals *totals, const struct rs_runtime *runtime, uint32_t value)
{
	bool is_estimate = totals->calls != totals->measured;
	if (!totals->calls)
		return REGIONSTAT_VALID;
	if (value > REGIONSTAT_TIME && value < REGIONSTAT_EVENTS)
		if (totals->is_unwatched || !runtime->watches)
			return REGIONSTAT_ABSENT;
	if (value >= REGIONSTAT_EVENTS && totals->enabled_ns > totals->running_ns) {
		if (totals->running_ns <= 0)
			return REGIONSTAT_ABSENT;
		totals->total = rounded(totals->total * totals->enabled_ns / totals->running_ns);
		totals->self = rounded(totals->self * totals->enabled_ns / totals->running_ns);
		is_estimate = true;
	} else if (value >= REGIONSTAT_EVENTS && !totals->weights) {
		return REGIONSTAT_ABSENT;
	}
	return is_estimate && value != REGIONSTAT_BLOCKED && value != REGIONSTAT_PREEMPTED
		       ? REGIONSTAT_SCALED
		       : REGIONSTAT_VALID;
}

void rs_read_sums(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values)
{
	struct rs_read_walk walk = {.runtime = runtime, .only = slot};
	struct rs_read_accumulators accumulators;
	struct totals totals = {0};
	while (rs_read_next(&walk, &accumulators)) {
		if (accumulators.main.accumulator->region != region)
			continue;
		struct sums sums = read_accumulators(runtime, &accumulators, value);
		add_slot(&totals, runtime, walk.slot, region, value, &sums);
	}
	values->calls_ = totals.calls;
	values->validity_ = finish(&totals, runtime, value);
	if (values->validity_ == REGIONSTAT_ABSENT)
		return;
	bool is_time = value < REGIONSTAT_EVENTS;
	double total = is_time ? rs_read_ns(runtime, totals.total) : totals.total;
	double self = is_time ? rs_read_ns(runtime, totals.self) : totals.self;
	values->total_ = total;
	values->self_ = self < 0 ? 0 : self < total ? self : total;
}
