/* SPDX-License-Identifier: MIT */
/*
 * Reading what a region has measured on the calling thread so far, for APIs whose programs ask for
 * it. The region has two accumulators: one for calls with a context switch, one for the others.
 * This file adds up both. It returns totals as the report computes them from the same sums
 * (lib/stats/value.c).
 */
#include "runtime/adapt/adapt.h"
#include "runtime/calls/frame.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"
#include "runtime/process/process.h"

/* The least time between two readings of both clocks that gives the length of a tick more exactly
 * than calibration did. */
#define CALIBRATION_NS UINT64_C(5000000)

/* Sums over a region's accumulators. The calling thread is inside a marker, so nothing changes them
 * meanwhile. */
struct sums {
	uint64_t calls; /* Measured calls. */
	uint64_t weights; /* The weights of measured calls. */
	uint64_t skipped;
	uint64_t totals[1 + RS_MAX_EVENTS];
	/* Time of measured calls by their weights, in ticks. The groups' tick counts are parts of
	 * this. */
	uint64_t time_sum;
	struct {
		uint64_t enabled_ns, running_ns, unstable_ticks, told_ticks, missed_ticks;
	} groups[RS_MAX_GROUPS];
};

static void add_cell(
	struct sums *sums, struct rs_thread *thread, const struct rs_thread_region *region)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint64_t *of_cell = thread->room.used;
	struct rs_accumulator *cell = region->cell;
	uint64_t word = atomic_load_explicit(&cell->calls_word, memory_order_relaxed);
	struct rs_rare *rare = rs_accumulator_rare(cell, shape, rs_accumulator_row(word));
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	const struct rs_rare_moments *extremes = rs_rare_extremes(rare, shape);
	uint64_t weights = rs_accumulator_sums(thread, region, of_cell);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t counted = weights;
		if (m)
			counted -= groups[shape->event_group[m - 1]].uncounted_weights;
		of_cell[m] -= counted * thread->cost->inside[m];
		sums->totals[m] += of_cell[m] + extremes[m].uncounted - extremes[m].inner;
	}
	sums->calls += rs_accumulator_calls(word);
	sums->weights += weights;
	sums->skipped += atomic_load_explicit(&cell->skipped, memory_order_relaxed);
	sums->time_sum += of_cell[0];
	for (uint32_t g = 0; g < shape->n_groups; g++) {
		sums->groups[g].enabled_ns += groups[g].enabled_ns;
		sums->groups[g].running_ns += groups[g].running_ns;
		sums->groups[g].unstable_ticks += groups[g].unstable_ticks;
		sums->groups[g].told_ticks += groups[g].told_ticks;
		sums->groups[g].missed_ticks += groups[g].missed_ticks;
	}
}

/* Return a sum as a number, and 0 if it is negative. Subtracted overhead can exceed a small sum,
 * which is modulo 2^64. */
static double positive(uint64_t total)
{
	return (int64_t)total > 0 ? (double)total : 0;
}

static double tick_ns(const struct rs_runtime *runtime)
{
	/* Acquire pairs with the release store in note.c: point_ns is valid if point_ticks is not
	 * 0. */
	uint64_t ticks = atomic_load_explicit(&runtime->point_ticks, memory_order_acquire);
	uint64_t ns = atomic_load_explicit(&runtime->point_ns, memory_order_relaxed);
	if (ticks != 0) {
		ticks = rs_ticks_after(runtime->clock) - ticks;
		ns = rs_clock_monotonic() - ns;
		if (ns >= CALIBRATION_NS && ticks > 0)
			return (double)ns / (double)ticks;
	}
	return (double)runtime->tick_ns_q32 / 4294967296.0;
}

/* Return the group's enabled time divided by its running time, computed as in lib/stats/value.c; 0
 * if the group never ran. */
static double scale_of(const struct sums *sums, uint32_t group, double ns)
{
	double stable = positive(sums->time_sum - sums->groups[group].unstable_ticks);
	double known = (double)sums->groups[group].enabled_ns + stable * ns;
	double running = (double)sums->groups[group].running_ns + stable * ns;
	double told = (double)sums->groups[group].told_ticks + stable;
	double missed = (double)sums->groups[group].missed_ticks * (told > 0 ? known / told : ns);
	return running > 0 ? (known + missed) / running : sums->weights > 0 && known == 0 ? 1 : 0;
}

static struct rs_thread_region *find_region(
	const struct rs_thread *thread, const struct regionstat_site_ *site)
{
	uint32_t index;
	struct rs_thread_region *region = NULL;
	if (rs_load_32(&site->region_))
		region = rs_site_region(thread, site);
	else if (rs_region_find(thread->runtime, site->name_, &index) && index < RS_MAX_REGIONS)
		region = &thread->regions[index];
	bool is_marked = region && region->turn != 0 && region->cell &&
			 region->cell != thread->runtime->no_cell;
	return is_marked ? region : NULL;
}

bool rs_adapter_read(struct regionstat_site_ *site, struct rs_adapter_values *values)
{
	struct rs_thread *thread = rs_state ? rs_enter_slowly(RS_STACK) : NULL;
	if (!thread)
		return false;
	struct rs_runtime *runtime = thread->runtime;
	struct rs_thread_region *region = find_region(thread, site);
	struct sums sums = {0};
	if (region) {
		uint32_t index = rs_region_of(thread, region);
		add_cell(&sums, thread, region);
		if (thread->twins.present && thread->twins.regions[index].cell)
			add_cell(&sums, thread, &thread->twins.regions[index]);
	}
	rs_leave(thread);
	uint64_t calls = sums.calls + sums.skipped;
	if (calls == 0)
		return false;
	double ns = tick_ns(runtime);
	double sampled = sums.weights > 0 ? (double)calls / (double)sums.weights : 0;
	values->calls = calls;
	values->time_ns = (uint64_t)(positive(sums.totals[0]) * sampled * ns + 0.5);
	values->n_events = runtime->shape.n_events;
	values->reserved = 0;
	for (uint32_t e = 0; e < runtime->shape.n_events; e++)
		values->events[e] = positive(sums.totals[1 + e]) * sampled *
				    scale_of(&sums, runtime->shape.event_group[e], ns);
	return true;
}
