/* SPDX-License-Identifier: MIT */
/*
 * This file divides the lifetimes of threads into the time of regions, overhead and unmarked time,
 * each on and off the CPU. It does so for all threads together, and for each thread or process that
 * has rows.
 */
#include "stats/builder.h"
#include "stats/wide.h"

static void add_off(uint64_t off[RS_OFF_N], const uint64_t *more_ns)
{
	for (int k = 0; k < RS_OFF_N; k++)
		rs_add_saturating(&off[k], more_ns[k]);
}

/* Reduce parts[n] until their sum does not exceed whole; reduce later parts first. Return whole
 * less the sum. */
static uint64_t limit(uint64_t *parts, size_t n, uint64_t whole)
{
	for (size_t i = 0; i < n; i++) {
		parts[i] = rs_min(parts[i], whole);
		whole -= parts[i];
	}
	return whole;
}

/* Divide unmarked time into on-CPU and off-CPU time. The runtime has measured off-CPU time at
 * context switches. If the rest of the unmarked time exceeds the rest of the program's CPU time,
 * the excess was also off the CPU. In that case a thread was blocked and never reached another
 * marker. */
static void split_unmarked(struct rs_summary *summary, uint64_t regions_cpu_ns)
{
	struct rs_summary_whole *whole = &summary->whole;
	uint64_t program_ns = summary->user_ns + summary->system_ns;
	uint64_t used[2] = {regions_cpu_ns, whole->overhead_ns};
	uint64_t on = limit(whole->unmarked_off_ns, RS_OFF_N, whole->unmarked_ns);
	uint64_t left = limit(used, 2, program_ns);
	if (program_ns > 0 && on > left) {
		whole->unmarked_off_ns[RS_OFF_BLOCKED] += on - left;
		on = left;
	}
	whole->cpu_ns = regions_cpu_ns + whole->overhead_ns + on;
}

void rs_builder_make_whole(struct rs_builder *builder)
{
	struct rs_summary *summary = builder->summary;
	struct rs_summary_whole *whole = &summary->whole;
	const struct rs_marker_overhead *cost = &summary->total.overhead;
	uint64_t selves = 0, cpu_ns = 0;
	for (size_t i = 0; i < summary->run->n_threads; i++) {
		const struct rs_run_thread *slot = &summary->run->threads[i];
		whole->n_threads += slot->n_threads;
		add_off(whole->unmarked_off_ns, slot->off_ns);
	}
	whole->has_cpu = summary->n_merged > 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		if (region->is_apart || region->calls == 0)
			continue;
		whole->has_cpu &= rs_value_has_total(&region->values[RS_EVENT_CPU_TIME]);
		rs_add_saturating(&selves, rs_value_self(&region->values[0]));
		rs_add_saturating(&cpu_ns, rs_value_self(&region->values[RS_EVENT_CPU_TIME]));
		for (int k = 0; k < RS_OFF_N; k++)
			rs_add_saturating(&whole->off_ns[k],
				rs_value_self(&region->values[RS_EVENT_BLOCKED + k]));
	}
	if (cost->known && cost->total_ns > (double)summary->overhead_setup_ns)
		whole->overhead_ns =
			(uint64_t)(cost->total_ns - (double)summary->overhead_setup_ns);
	if (whole->overhead_ns < whole->lifetimes_ns / 100)
		/* reports show no row for such a small overhead, so shares must add up without
		 * it */
		whole->overhead_ns = 0;
	limit(&selves, 1, whole->lifetimes_ns);
	limit(&whole->overhead_ns, 1, whole->lifetimes_ns - selves);
	whole->unmarked_ns = whole->lifetimes_ns - selves - whole->overhead_ns;
	for (int k = 0; k < RS_OFF_N; k++)
		rs_subtract(&whole->unmarked_off_ns[k], whole->off_ns[k]);
	split_unmarked(summary, cpu_ns);
	for (int k = 0; k < RS_OFF_N; k++)
		rs_add_saturating(&whole->off_ns[k], whole->unmarked_off_ns[k]);
}

/* Sums over the regions of one thread or process. The caller must zero them at first. */
struct marked {
	uint64_t most; /* largest self time of one region */
	uint64_t cpu_ns; /* on-CPU time of all regions */
};

static void add_region(struct rs_summary_place *place, struct marked *marked,
	const struct rs_summary_region *region)
{
	const struct rs_value *cpu = &region->values[RS_EVENT_CPU_TIME];
	rs_add_saturating(&place->calls, region->calls);
	if (region->is_apart || region->calls == 0)
		return;
	place->has_cpu &= rs_value_has_total(cpu);
	uint64_t self = rs_value_has_total(cpu) ? rs_value_self(cpu)
						: rs_value_self(&region->values[0]);
	if (self >= marked->most) {
		place->busiest = region->name;
		marked->most = self;
	}
	rs_add_saturating(&marked->cpu_ns, self);
}

/* Reduce the on-CPU time in no region until all places together have the on-CPU time of the run,
 * which split_unmarked() has limited. It is not known which threads were blocked, so each keeps the
 * same share. */
static void split_places(struct rs_summary *summary)
{
	uint64_t cpu_ns = 0, unmarked_ns = 0;
	for (size_t i = 0; i < summary->n_places; i++) {
		rs_add_saturating(&cpu_ns, summary->places[i].cpu_ns);
		rs_add_saturating(&unmarked_ns, summary->places[i].unmarked_cpu_ns);
	}
	uint64_t excess = summary->whole.has_cpu && cpu_ns > summary->whole.cpu_ns
				  ? cpu_ns - summary->whole.cpu_ns
				  : 0;
	for (size_t i = 0; excess > 0 && i < summary->n_places; i++) {
		struct rs_summary_place *place = &summary->places[i];
		uint64_t off = unmarked_ns > excess
				       ? rs_wide_scale(place->unmarked_cpu_ns, excess, unmarked_ns)
				       : place->unmarked_cpu_ns;
		place->cpu_ns -= off;
		place->unmarked_cpu_ns -= off;
		place->off_ns[RS_OFF_BLOCKED] += off;
	}
}

/* If per_thread is true, return the index of the thread's place, otherwise that of the process's
 * place. Return SIZE_MAX if this thread or process is NULL. */
static size_t index_of(const struct rs_summary *summary, bool per_thread,
	const struct rs_summary_process *process, const struct rs_summary_thread *thread)
{
	if (per_thread)
		return thread ? (size_t)(thread - summary->threads) : SIZE_MAX;
	return process ? (size_t)(process - summary->processes) : SIZE_MAX;
}

static void add_slots(struct rs_summary *summary, bool per_thread)
{
	const struct rs_run *run = summary->run;
	for (uint32_t s = 0; s < run->n_threads; s++) {
		const struct rs_run_thread *slot = &run->threads[s];
		size_t i = index_of(summary, per_thread, rs_builder_process(summary, slot->process),
			rs_builder_thread(summary, s));
		if (i == SIZE_MAX)
			continue;
		rs_add_saturating(&summary->places[i].lifetime_ns, slot->lifetime_ns);
		add_off(summary->places[i].off_ns, slot->off_ns);
	}
}

void rs_builder_make_places(struct rs_builder *builder, bool per_thread)
{
	struct rs_summary *summary = builder->summary;
	size_t n = per_thread ? summary->n_threads : summary->n_processes;
	struct marked *marked = rs_arena_array(builder->arena, n, sizeof(*marked));
	summary->places = rs_arena_array(builder->arena, n, sizeof(*summary->places));
	summary->n_places = n;
	for (size_t i = 0; i < n; i++) {
		struct rs_summary_place *place = &summary->places[i];
		place->thread = per_thread ? &summary->threads[i] : NULL;
		place->process = per_thread ? place->thread->process : &summary->processes[i];
		place->has_cpu = true;
	}
	add_slots(summary, per_thread);
	for (size_t r = 0; r < summary->n_regions; r++) {
		const struct rs_summary_region *region = &summary->regions[r];
		size_t i = index_of(summary, per_thread, region->process, region->thread);
		if (i != SIZE_MAX)
			add_region(&summary->places[i], &marked[i], region);
	}
	for (size_t i = 0; i < n; i++) {
		struct rs_summary_place *place = &summary->places[i];
		place->cpu_ns = limit(place->off_ns, RS_OFF_N, place->lifetime_ns);
		place->unmarked_cpu_ns = limit(&marked[i].cpu_ns, 1, place->cpu_ns);
	}
	split_places(summary);
}
