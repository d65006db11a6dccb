/* SPDX-License-Identifier: MIT */
/*
 * This file converts a valid accumulator into a result of the run, with values, slowest call and
 * counts. It converts ticks to ns and subtracts the overhead inside calls. A region's calls that
 * had a context switch are in a second accumulator. This file adds them to the result of the
 * region.
 */
#include "stats/collector.h"

#include <math.h>

#include "stats/merge.h"

/* Return the index of on-CPU time in the loaded accumulator. Only an accumulator of calls with a
 * context switch has this value, after the last event. */
static uint32_t cpu_time_counter(const struct rs_collector *collector)
{
	return 1 + collector->out->n_events;
}

static uint64_t to_ns(const struct rs_collector *collector, uint64_t ticks)
{
	return rs_ticks_to_ns(&collector->rate, ticks);
}

static uint64_t in_unit(const struct rs_collector *collector, uint32_t counter, uint64_t value)
{
	return rs_collector_is_time(collector, counter) ? to_ns(collector, value) : value;
}

static int64_t signed_in_unit(const struct rs_collector *collector, uint32_t counter, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	int64_t shown = (int64_t)rs_min(in_unit(collector, counter, size), INT64_MAX);
	return value < 0 ? -shown : shown;
}

/* Sums of one value over all calls: in ticks for a time, in counts for an event. They include calls
 * in which the event was counted only during a part of the time. */
struct sums {
	uint64_t all;
	int64_t total; /* sum without the calls that are nested in a call of the same region */
	int64_t children;
};

static void set_total(const struct rs_collector *collector, struct rs_value *value,
	struct rs_raw *raw, uint32_t counter, const struct sums *sums)
{
	double unit = rs_collector_is_time(collector, counter) ? collector->tick_ns : 1;
	int64_t total = signed_in_unit(collector, counter, sums->total);
	value->total = total > 0 ? (uint64_t)total : 0;
	value->self = signed_in_unit(
		collector, counter, (int64_t)(sums->all - (uint64_t)sums->children));
	*raw = (struct rs_raw){.all = (double)sums->all * unit,
		.total = (double)sums->total * unit,
		.children = (double)sums->children * unit};
}

/* Return the largest sum of squared deviations that values with this min, max and sum can have (R.
 * Bhatia, C. Davis, "A Better Bound on the Variance", 2000). The recorded sum can be larger, since
 * values were clamped at 0 or rounded after it was computed. */
static double most_square(const struct rs_value *value)
{
	rs_i128 weight = value->weight, sum = value->sum;
	if (weight == 0)
		return 0;
	/* compute the distances of min and max from the average; subtract integers, since a double
	 * has only 53 bits */
	double low = fmax((double)(sum - weight * value->min) / (double)weight + 0.5, 0);
	double high = fmax((double)(weight * value->max - sum) / (double)weight + 0.5, 0);
	return low * high * (double)weight;
}

/* Fill value with the distribution of time or of an event, and *sums with the sums of this time or
 * event over all calls. */
static void make_value(struct rs_collector *collector, struct rs_value *value, struct sums *sums,
	struct rs_result *copy, uint32_t counter, const struct rs_whole *whole, uint64_t *clamped)
{
	const struct rs_whole_counter *from = &whole->counters[counter];
	const struct rs_rare_moments *extremes = &whole->extremes[counter];
	double unit = rs_collector_is_time(collector, counter) ? collector->tick_ns : 1;
	uint64_t max = rs_without_inside(extremes->max, from->inside);
	if (from->exceeds)
		rs_run_damage(collector->out, "a histogram of region '%s' makes no sense",
			rs_collector_region(collector, copy->region));
	*value = (struct rs_value){.counted = whole->calls, .weight = from->weights};
	/* a call that is shorter than the overhead has the value 0, so such calls must not make the
	 * sum smaller than max */
	rs_i128 rest = from->sum - (rs_i128)from->weights * from->inside;
	uint64_t sum = rest > max ? rs_wide_to_u64((rs_u128)rest) : max;
	value->sum = in_unit(collector, counter, sum);
	value->max = in_unit(collector, counter, max);
	if (from->weights > 0)
		value->min = in_unit(collector, counter,
			rs_without_inside(~extremes->min_inverted, from->inside));
	value->square = fmin(from->square * unit * unit, most_square(value));
	value->histogram.incomplete = from->is_incomplete;
	*sums = (struct sums){.all = sum + extremes->uncounted,
		.total = (int64_t)(sum + extremes->uncounted - extremes->inner),
		.children = from->children};
	uint64_t n_clamped = rs_collector_copy_histogram(
		collector, &value->histogram, counter, from->inside);
	value->is_clamped = n_clamped > 0 && counter <= collector->out->n_events;
	if (n_clamped > *clamped)
		*clamped = n_clamped;
}

/* Set how long the group of an event was enabled and running. ticks: the total time of the calls.
 * on_cpu: the share of this time that was on a CPU, 0 to 1. */
static void set_group(const struct rs_collector *collector, struct rs_value *value,
	uint32_t counter, const struct rs_whole *whole, uint64_t ticks, double on_cpu)
{
	const struct rs_rare_group *group = &whole->groups[collector->out->counter_group[counter]];
	uint64_t unstable = rs_min(group->unstable_ticks, ticks);
	uint64_t answered = rs_min(group->answered_ticks, unstable);
	uint64_t missed = rs_min(group->missed_ticks, unstable - answered);
	uint64_t missed_ns = to_ns(collector, missed);
	/* during the other calls the group was enabled and running all the time */
	uint64_t stable_ns = to_ns(collector, ticks - unstable);
	uint64_t known_ns = group->enabled_ns, known_ticks = answered + (ticks - unstable);
	rs_add_saturating(&known_ns, stable_ns);
	value->counted = whole->calls - group->uncounted;
	value->running_ns = rs_min(group->running_ns, group->enabled_ns);
	rs_add_saturating(&value->running_ns, stable_ns);
	/* A thread that did not open the group recorded no enabled time for its calls. Estimate
	 * this time. A group is enabled only while its thread is on a CPU. */
	if (known_ticks > 0)
		missed_ns = rs_wide_scale(missed, known_ns, known_ticks);
	double rest_ns = on_cpu * (double)to_ns(collector, ticks) - (double)known_ns;
	if (rest_ns < (double)missed_ns) /* otherwise it may be 2^64 */
		missed_ns = rest_ns > 0 ? (uint64_t)rest_ns : 0;
	value->enabled_ns = known_ns;
	rs_add_saturating(&value->enabled_ns, missed_ns);
}

/* Fill on-CPU time and off-CPU time of calls that had a context switch. */
static void make_off(struct rs_collector *collector, struct rs_value *values, struct rs_raw *raw,
	struct rs_result *copy, const struct rs_whole *whole, const struct sums *time,
	uint64_t *clamped)
{
	const struct rs_off_sums *off = &whole->rare->off;
	struct sums sums;
	make_value(collector, &values[RS_EVENT_CPU_TIME], &sums, copy, cpu_time_counter(collector),
		whole, clamped);
	sums.total = (int64_t)((uint64_t)time->total - off->weighted);
	uint64_t self = time->all - (uint64_t)time->children - off->weighted_self;
	sums.children = (int64_t)(sums.all - self);
	set_total(collector, &values[RS_EVENT_CPU_TIME], &raw[RS_EVENT_CPU_TIME], 0, &sums);
	for (int k = 0; k < RS_OFF_N; k++)
		values[RS_EVENT_BLOCKED + k] = (struct rs_value){.counted = off->calls[k],
			.total = to_ns(collector, off->total[k]),
			.self = (int64_t)rs_min(to_ns(collector, off->self[k]), INT64_MAX)};
}

/* Compute all values of the loaded accumulator. values and raw have rs_run_n_values() elements,
 * which must be zeroed. */
static void make_values(struct rs_collector *collector, struct rs_value *values, struct rs_raw *raw,
	struct rs_result *copy, const struct rs_whole *whole, bool is_switched)
{
	struct sums time, sums;
	uint64_t clamped = 0, ticks;
	make_value(collector, &values[RS_EVENT_TIME], &time, copy, 0, whole, &clamped);
	set_total(collector, &values[RS_EVENT_TIME], &raw[RS_EVENT_TIME], 0, &time);
	values[RS_EVENT_CPU_TIME] = values[RS_EVENT_TIME];
	raw[RS_EVENT_CPU_TIME] = raw[RS_EVENT_TIME];
	if (is_switched)
		make_off(collector, values, raw, copy, whole, &time, &clamped);
	ticks = time.all - whole->extremes[0].uncounted;
	double on_cpu = time.all > 0 ? raw[RS_EVENT_CPU_TIME].all / raw[RS_EVENT_TIME].all : 1;
	for (uint32_t q = 1; q <= collector->out->n_events; q++) {
		uint32_t event = rs_event_of_counter(q);
		make_value(collector, &values[event], &sums, copy, q, whole, &clamped);
		set_total(collector, &values[event], &raw[event], q, &sums);
		set_group(collector, &values[event], q, whole, ticks, fmin(on_cpu, 1));
	}
	for (int v = RS_EVENT_CPU_TIME; v < RS_EVENT_FIRST; v++) {
		values[v].is_clamped = false;
		values[v].slowest = UINT64_MAX;
	}
	rs_add_saturating(&copy->diag[RS_ACCUMULATOR_DIAG_CLAMPED], clamped);
}

static void set_slowest(
	const struct rs_collector *collector, struct rs_result *copy, const struct rs_whole *whole)
{
	uint64_t start = whole->rare->start_ticks, begin = collector->rate.begin;
	copy->slowest_start_ns = start > begin ? to_ns(collector, start - begin) : 0;
	copy->slowest_tid = whole->rare->tid;
	copy->slowest_pid = whole->rare->pid;
	for (uint32_t q = 0; q <= collector->out->n_events; q++) {
		uint64_t value = whole->extremes[q].slowest;
		if (value != UINT64_MAX)
			value = in_unit(
				collector, q, rs_without_inside(value, whole->counters[q].inside));
		copy->values[rs_event_of_counter(q)].slowest = value;
	}
}

/* Return false if off-CPU time is longer than any thread can live. */
static bool off_makes_sense(const struct rs_off_sums *off)
{
	const uint64_t most = UINT64_MAX / 8;
	for (int k = 0; k < RS_OFF_N; k++)
		if (off->total[k] > most || off->self[k] > most || off->calls[k] >= RS_MAX_CALLS)
			return false;
	return true;
}

/* Copy all counts of an accumulator except the count of calls. */
static void copy_counts(struct rs_result *copy, const struct rs_accumulator *accumulator)
{
	copy->n_threads = accumulator->n_threads;
	for (size_t i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		copy->diag[i] = accumulator->diag[i];
	copy->open = accumulator->open;
	uint64_t *never_ended = &copy->diag[RS_ACCUMULATOR_DIAG_OPEN];
	if (__builtin_add_overflow(*never_ended, copy->open, never_ended) ||
		__builtin_add_overflow(
			*never_ended, copy->diag[RS_ACCUMULATOR_DIAG_EXIT], never_ended))
		*never_ended = UINT64_MAX;
	copy->pending = accumulator->pending;
}

/* Copy the regions in which calls began. An index that is not a region becomes RS_NO_REGION. */
static void copy_parents(const struct rs_collector *collector, struct rs_result *copy,
	const struct rs_accumulator *accumulator)
{
	const struct rs_run *out = collector->out;
	for (uint32_t i = 0; i < RS_PARENTS; i++) {
		uint32_t parent = accumulator->parents[i];
		uint32_t region = parent - RS_PARENT_FIRST;
		if (parent == RS_PARENT_FREE)
			continue;
		bool is_region = region < out->n_regions && out->regions[region].ready;
		copy->parents[copy->n_parents++] = is_region ? (uint16_t)region : RS_NO_REGION;
	}
}

/* Return the result of the loaded accumulator, and set *raw to its raw sums. */
static struct rs_result make_result(struct rs_collector *collector, const struct rs_whole *whole,
	enum rs_load load, bool is_switched, struct rs_raw **raw)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	struct rs_result copy = {.region = accumulator->region,
		.thread = collector->thread,
		.process = collector->out->threads[collector->thread].process,
		.measured = whole->calls,
		.calls = whole->calls,
		.weight = whole->weights,
		.n_values = rs_run_n_values(collector->out)};
	copy.values = rs_arena_array(collector->arena, copy.n_values, sizeof(*copy.values));
	*raw = rs_arena_array(&collector->scratch, copy.n_values, sizeof(**raw));
	if (!is_switched) {
		copy.calls += rs_min(accumulator->skipped, RS_MAX_CALLS - 1);
		copy_counts(&copy, accumulator);
		copy.parents = rs_arena_array(collector->arena, RS_PARENTS, sizeof(*copy.parents));
		copy_parents(collector, &copy, accumulator);
	}
	make_values(collector, copy.values, *raw, &copy, whole, is_switched);
	if (whole->calls > 0)
		set_slowest(collector, &copy, whole);
	rs_collector_copy_work(collector, &copy, whole->calls, load);
	rs_collector_copy_octaves(collector, &copy, whole);
	return copy;
}

static void add_main(struct rs_collector *collector, const struct rs_whole *whole,
	struct rs_result *copy, struct rs_raw *raw)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	struct rs_run *out = collector->out;
	size_t n = out->n_results;
	collector->pair_ticks = accumulator->pair_ticks;
	/* if the counters are read with read(), pair_ticks is 0; half of a pair's overhead is then
	 * inside the call */
	collector->fast_ticks = collector->pair_ticks ? collector->pair_ticks
						      : 2 * (uint64_t)whole->counters[0].inside;
	collector->skip_ticks = accumulator->skip_ticks;
	collector->own_ticks = accumulator->own_ticks;
	collector->skip_own_ticks = accumulator->skip_own_ticks;
	if (accumulator->flags & RS_ACCUMULATOR_UNWATCHED && copy->calls > 0)
		for (int v = RS_EVENT_CPU_TIME; v < RS_EVENT_FIRST; v++)
			copy->values[v].status = RS_VALUE_NOT_SUPPORTED;
	out->results = rs_arena_room(collector->arena, out->results, n, sizeof(*out->results));
	collector->raw = rs_arena_room(
		&collector->scratch, collector->raw, n, sizeof(*collector->raw));
	out->results[n] = *copy;
	collector->raw[n] = raw;
	out->n_results++;
}

/* Set on-CPU time so that the sum of on-CPU, blocked and preempted time equals the region's time
 * exactly. */
static void set_cpu_time(const struct rs_collector *collector, struct rs_value *values)
{
	const struct rs_value *time = &values[RS_EVENT_TIME];
	struct rs_value *cpu_time = &values[RS_EVENT_CPU_TIME];
	uint64_t off = values[RS_EVENT_BLOCKED].total;
	rs_add_saturating(&off, values[RS_EVENT_PREEMPTED].total);
	uint64_t excess_ns = off > time->total ? off - time->total : 0;
	cpu_time->total = time->total + excess_ns - off;
	cpu_time->self = (int64_t)((uint64_t)time->self - (uint64_t)values[RS_EVENT_BLOCKED].self -
				   (uint64_t)values[RS_EVENT_PREEMPTED].self);
	/* If a thread loses its CPU inside a marker, that time is overhead and not time of the
	 * region. The time of sampled calls is estimated later, from on-CPU time. */
	if (collector->samples)
		return;
	for (int v = RS_EVENT_PREEMPTED; v >= RS_EVENT_BLOCKED; v--) {
		uint64_t taken_ns = rs_min(excess_ns, values[v].total);
		values[v].total -= taken_ns;
		excess_ns -= taken_ns;
		int64_t excess = -cpu_time->self < values[v].self ? -cpu_time->self
								  : values[v].self;
		if (excess <= 0)
			continue;
		values[v].self -= excess;
		cpu_time->self += excess;
	}
}

/* Add the calls that had a context switch to main, which is the result of the region's other
 * calls. */
static void add_switched(struct rs_collector *collector, struct rs_result *main,
	const struct rs_result *switched, const struct rs_raw *raw)
{
	const struct rs_result *both[] = {main, switched};
	struct rs_raw *into = collector->raw[main - collector->out->results];
	struct rs_result sum = *main;
	rs_result_merge(&sum, both, 2, main->n_values, collector->arena);
	sum.parents = main->parents;
	sum.n_parents = main->n_parents;
	*main = sum;
	for (size_t v = 0; v < main->n_values; v++) {
		into[v].all += raw[v].all;
		into[v].total += raw[v].total;
		into[v].children += raw[v].children;
	}
	set_cpu_time(collector, main->values);
}

/* Return true if the sums stay valid when these calls with a context switch are added to the
 * region's other calls. */
static bool fits(const struct rs_result *main, const struct rs_whole *whole)
{
	return off_makes_sense(&whole->rare->off) && main->calls + whole->calls < RS_MAX_CALLS &&
	       main->weight + whole->weights < RS_MAX_CALLS;
}

void rs_collector_keep_accumulator(
	struct rs_collector *collector, enum rs_load load, struct rs_result *main)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	struct rs_whole whole;
	if (!rs_accumulator_complete(collector, load, &whole) || (main && !fits(main, &whole))) {
		rs_run_damage(collector->out, "what thread slot %u measured of region '%s' %s",
			collector->slot, rs_collector_region(collector, accumulator->region),
			load == RS_LOAD_TORN ? "changed while it was read" : "makes no sense");
		return;
	}
	struct rs_raw *raw;
	struct rs_result copy = make_result(collector, &whole, load, main != NULL, &raw);
	if (main)
		add_switched(collector, main, &copy, raw);
	else
		add_main(collector, &whole, &copy, raw);
}
