/* SPDX-License-Identifier: MIT */
/*
 * This file adds one run to others: see run_merge.h. It finds the index that each region and event
 * of the run has in the sum `into`. Then it appends the results of the run, with these indexes.
 */
#include "stats/run_merge.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/text.h"
#include "stats/histogram.h"

/* The state while a run is added to `into`. */
struct merger {
	struct rs_run *into;
	const struct rs_run *run;
	struct rs_err *err;
	bool done; /* false: err contains the reason, unless memory ran out */
	struct rs_arena scratch;
	struct rs_outcome *outcome; /* outcome of into */
	uint32_t *regions; /* for each region of the run: its index in into */
	size_t *events; /* for each event of the plan: its index in the plan of into */
	uint32_t counters[1 + RS_MAX_EVENTS];
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- events ---- */

static bool refuse_event(const char *name, struct rs_err *err)
{
	rs_err_set(err, "cannot merge runs that count different events: '%s' is not in both",
		rs_text_shown(name).text);
	return rs_err_add_line(err, "try: runs with the same -e and -M on equal machines");
}

static bool match_events(struct merger *merger)
{
	const struct rs_plan *into = merger->into->plan, *plan = merger->run->plan;
	struct rs_err *err = merger->err;
	merger->events = rs_arena_array(&merger->scratch, plan->n_events, sizeof(*merger->events));
	if (plan->n_events < into->n_events)
		return refuse_event(into->events[plan->n_events].name, err);
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i], *found = NULL;
		for (size_t e = 0; e < into->n_events && !found; e++)
			if (same_text(event->name, into->events[e].name) &&
				same_text(event->part_name, into->events[e].part_name))
				found = &into->events[e];
		if (!found || (event->counter > 0) != (found->counter > 0))
			return refuse_event(event->name, err);
		merger->events[i] = (size_t)(found - into->events);
		merger->counters[event->counter] = found->counter;
	}
	return true;
}

/* ---- regions ---- */

/* Return true if region `known` of into is the same as region. base: if region is a kind of work,
 * the index in into of the region that was called; else RS_NO_REGION. */
static bool is_same_region(const struct merger *merger, uint32_t known,
	const struct rs_run_region *region, uint32_t base)
{
	const struct rs_run_region *other = &merger->into->regions[known];
	return other->ready && strcmp(other->name, region->name) == 0 &&
	       same_text(other->object, region->object) &&
	       rs_run_work_of(merger->into, known) == base &&
	       other->work_bytes == region->work_bytes && other->work_flops == region->work_flops &&
	       !((other->flags ^ region->flags) & RS_REGION_OTHER_WORK);
}

/* Find a region of the run in into; append it if it is missing. Return false if into would have too
 * many regions. */
static bool match_region(struct merger *merger, uint32_t index)
{
	struct rs_run *into = merger->into;
	const struct rs_run_region *region = &merger->run->regions[index];
	uint32_t base = rs_run_work_of(merger->run, index), n = (uint32_t)into->n_regions;
	base = base != RS_NO_REGION ? merger->regions[base] : RS_NO_REGION;
	/* start at the same index, since runs of one program have their regions in the same
	 * order */
	for (uint32_t i = 0, known = index; i < n; i++, known++) {
		if (!is_same_region(merger, known % n, region, base))
			continue;
		merger->regions[index] = known % n;
		into->regions[known % n].flags |= region->flags;
		return true;
	}
	merger->regions[index] = n;
	if (n == RS_MAX_REGIONS)
		return false;
	into->regions = rs_arena_room(
		&into->arena, into->regions, into->n_regions, sizeof(*into->regions));
	struct rs_run_region *added = &into->regions[into->n_regions++];
	*added = *region;
	added->work_of = base != RS_NO_REGION ? base + 1 : 0;
	if (region->object)
		added->object = rs_arena_format(&into->arena, "%s", region->object);
	if (region->source)
		added->source = rs_arena_format(&into->arena, "%s", region->source);
	return true;
}

static bool match_regions(struct merger *merger)
{
	const struct rs_run *run = merger->run;
	merger->regions = rs_arena_array(
		&merger->scratch, run->n_regions, sizeof(*merger->regions));
	for (int works = 0; works < 2; works++)
		for (uint32_t i = 0; i < run->n_regions; i++)
			if (run->regions[i].ready &&
				(rs_run_work_of(run, i) != RS_NO_REGION) == works &&
				!match_region(merger, i))
				return false;
	return true;
}

/* ---- results ---- */

static void add_values(const struct merger *merger, struct rs_result *result)
{
	struct rs_arena *arena = &merger->into->arena;
	const struct rs_value *values = result->values;
	result->values = rs_arena_copy(arena, values, result->n_values, sizeof(*values));
	for (size_t v = 0; v < result->n_values; v++) {
		uint32_t counter = v < RS_EVENT_FIRST ? 0 : (uint32_t)(v - RS_EVENT_FIRST + 1);
		struct rs_value *value =
			&result->values[counter > 0 ? rs_event_of_counter(merger->counters[counter])
						    : v];
		*value = values[v];
		rs_histogram_own(&value->histogram, arena);
	}
}

static void add_octaves(const struct merger *merger, struct rs_result *result)
{
	struct rs_arena *arena = &merger->into->arena;
	result->octaves = rs_arena_copy(
		arena, result->octaves, result->n_octaves, sizeof(*result->octaves));
	for (size_t i = 0; i < result->n_octaves; i++) {
		struct rs_octave *octave = &result->octaves[i];
		const uint64_t *sums = octave->sums;
		octave->sums = rs_arena_array(arena, octave->n_sums, sizeof(*sums));
		for (uint32_t e = 0; e < octave->n_sums; e++)
			octave->sums[merger->counters[1 + e] - 1] = sums[e];
	}
}

static void add_ranks(const struct merger *merger, struct rs_result *result)
{
	struct rs_arena *arena = &merger->into->arena;
	if (result->n_ranks == 0)
		return;
	result->ranks = rs_arena_copy(arena, result->ranks, 1, sizeof(*result->ranks));
	rs_histogram_own(&result->ranks->times.histogram, arena);
}

static void add_results(struct merger *merger, size_t first_process, size_t first_thread)
{
	struct rs_run *into = merger->into;
	const struct rs_run *run = merger->run;
	for (size_t i = 0; i < run->n_results; i++) {
		into->results = rs_arena_room(
			&into->arena, into->results, into->n_results, sizeof(*into->results));
		struct rs_result *result = &into->results[into->n_results++];
		*result = run->results[i];
		result->region = merger->regions[result->region];
		result->process += (uint32_t)first_process;
		result->thread += (uint32_t)first_thread;
		result->parents = rs_arena_copy(
			&into->arena, result->parents, result->n_parents, sizeof(*result->parents));
		add_values(merger, result);
		add_octaves(merger, result);
		add_ranks(merger, result);
		for (size_t p = 0; p < result->n_parents; p++)
			if (result->parents[p] != RS_NO_REGION)
				result->parents[p] = (uint16_t)merger->regions[result->parents[p]];
	}
}

static void move_event(const struct merger *merger, uint32_t *event)
{
	if (*event != RS_NO_EVENT)
		*event = (uint32_t)(RS_EVENT_FIRST + merger->events[*event - RS_EVENT_FIRST]);
}

static void append(struct merger *merger)
{
	struct rs_run *into = merger->into;
	const struct rs_run *run = merger->run;
	struct rs_arena *arena = &into->arena;
	size_t first_process = into->n_processes, first_thread = into->n_threads;
	for (size_t i = 0; i < run->n_processes; i++) {
		into->processes = rs_arena_room(
			arena, into->processes, into->n_processes, sizeof(*into->processes));
		struct rs_run_process *process = &into->processes[into->n_processes];
		*process = run->processes[i];
		process->entry = (uint32_t)into->n_processes++;
		move_event(merger, &process->open_event);
		move_event(merger, &process->inactive_event);
	}
	for (size_t i = 0; i < run->n_threads; i++) {
		into->threads = rs_arena_room(
			arena, into->threads, into->n_threads, sizeof(*into->threads));
		struct rs_run_thread *thread = &into->threads[into->n_threads++];
		*thread = run->threads[i];
		thread->process += (uint32_t)first_process;
	}
	add_results(merger, first_process, first_thread);
}

/* ---- the whole run ---- */

int rs_outcome_blame(const struct rs_outcome *outcome)
{
	int status = outcome->wait_status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	int level = number == SIGTERM ? 1 : number == SIGKILL ? 2 : number > 0 ? 4 : 3;
	return status == 0 ? 0 : level << 16 | status;
}

/* Add a time of the machine or cgroup. If runs shared the machine or cgroup at the same time, each
 * run contains the whole time, so take the largest value. */
static void add_of_machine(uint64_t *sum, uint64_t more, bool is_shared)
{
	if (!is_shared)
		rs_add_saturating(sum, more);
	else if (more > *sum)
		*sum = more;
}

static void add_outcome(struct merger *merger)
{
	const struct rs_outcome *more = merger->run->outcome;
	struct rs_outcome *sum = merger->outcome;
	timeradd(&sum->usage.ru_utime, &more->usage.ru_utime, &sum->usage.ru_utime);
	timeradd(&sum->usage.ru_stime, &more->usage.ru_stime, &sum->usage.ru_stime);
	if (rs_outcome_blame(more) > rs_outcome_blame(sum))
		sum->wait_status = more->wait_status;
	/* clocks of other hosts cannot be compared */
	bool is_same_host = strcmp(merger->into->machine.host, merger->run->machine.host) == 0;
	/* periods of one run follow each other */
	bool is_period = is_same_host && sum->end.monotonic_ns != 0 &&
			 more->begin.monotonic_ns == sum->end.monotonic_ns;
	bool is_shared = is_same_host && more->begin.monotonic_ns < sum->end.monotonic_ns &&
			 sum->begin.monotonic_ns < more->end.monotonic_ns;
	add_of_machine(&sum->steal_ns, more->steal_ns, is_shared);
	add_of_machine(&sum->throttled_ns, more->throttled_ns, is_shared);
	if (is_period) {
		sum->end = more->end;
		merger->into->n_merged--; /* successive periods count as one run */
	} else if (rs_outcome_elapsed_ns(more) > rs_outcome_elapsed_ns(sum)) {
		sum->begin = more->begin;
		sum->end = more->end;
	}
	for (size_t i = 0; more->totals && i < merger->run->plan->n_events; i++) {
		const struct rs_total *from = &more->totals[i];
		struct rs_total *total = &sum->totals[merger->events[i]];
		total->counted |= from->counted;
		rs_add_saturating(&total->value, from->value);
		rs_add_saturating(&total->enabled_ns, from->enabled_ns);
		rs_add_saturating(&total->running_ns, from->running_ns);
	}
}

static void add_adapters(struct merger *merger)
{
	struct rs_run *into = merger->into;
	for (size_t i = 0; i < merger->run->n_adapters; i++) {
		const struct rs_run_adapter *more = &merger->run->adapters[i];
		size_t found = 0;
		while (found < into->n_adapters &&
			strcmp(into->adapters[found].word, more->word) != 0)
			found++;
		if (found == into->n_adapters) {
			into->adapters = rs_arena_room(
				&into->arena, into->adapters, found, sizeof(*into->adapters));
			into->adapters[into->n_adapters++] = *more;
			continue;
		}
		struct rs_run_adapter *sum = &into->adapters[found];
		for (size_t c = 0; c < RS_ADAPTER_COUNT_N; c++)
			rs_add_saturating(&sum->counts[c], more->counts[c]);
	}
}

static void add_counts(struct merger *merger)
{
	struct rs_run *into = merger->into;
	const struct rs_run *run = merger->run;
	for (size_t i = 0; i < RS_SEGMENT_DIAG_N; i++)
		rs_add_saturating(&into->diag[i], run->diag[i]);
	into->is_naming_cut |= run->is_naming_cut;
	if (into->load_error[0] == '\0')
		memcpy(into->load_error, run->load_error, sizeof(into->load_error));
	if (into->n_damaged == 0)
		memcpy(into->damage, run->damage, sizeof(into->damage));
	into->n_damaged += run->n_damaged;
}

static void begin(void *context)
{
	const struct merger *merger = context;
	struct rs_run *into = merger->into;
	const struct rs_run *first = merger->run;
	struct rs_outcome *outcome = rs_arena_array(&into->arena, 1, sizeof(*outcome));
	outcome->started = true;
	outcome->wait_status = first->outcome->wait_status;
	outcome->totals = rs_arena_array(
		&into->arena, first->plan->n_events, sizeof(*outcome->totals));
	into->label = first->label;
	into->started_s = first->started_s;
	into->machine = first->machine;
	into->argv = first->argv;
	into->how = first->how;
	into->plan = first->plan;
	into->n_events = first->n_events;
	into->n_groups = first->n_groups;
	memcpy(into->counter_group, first->counter_group, sizeof(into->counter_group));
	into->outcome = outcome;
}

bool rs_run_merge_begin(struct rs_run *into, const struct rs_run *first, struct rs_err *err)
{
	struct merger merger = {.into = into, .run = first};
	return rs_arena_guard(begin, &merger) || rs_err_set_errno(err, ENOMEM, "cannot merge runs");
}

/* Set the indexes of regions and events in into. Return false if the runs cannot be merged. */
static bool match(struct merger *merger)
{
	struct rs_err *err = merger->err;
	if (!match_events(merger))
		return false;
	if (merger->into->how.raw != merger->run->how.raw) {
		rs_err_set(err, "cannot merge runs with and without --raw");
		return rs_err_add_line(err, "try: runs with the same options");
	}
	if (match_regions(merger))
		return true;
	rs_err_set(
		err, "cannot merge runs: together they have more than %u regions", RS_MAX_REGIONS);
	return rs_err_add_line(err, "try: runs of the same program");
}

static void add(void *context)
{
	struct merger *merger = context;
	struct rs_run *into = merger->into;
	if (!into->outcome)
		begin(merger);
	/* begin() allocated it, so it can be changed */
	merger->outcome = (struct rs_outcome *)into->outcome;
	merger->done = match(merger);
	if (!merger->done)
		return;
	if (into->how.budget_ppm != merger->run->how.budget_ppm)
		into->how.budget_ppm = 0;
	append(merger);
	add_adapters(merger);
	add_counts(merger);
	into->n_merged += rs_run_n_merged(merger->run);
	add_outcome(merger);
	into->is_measured |= merger->run->is_measured;
}

bool rs_run_merge(struct rs_run *into, const struct rs_run *run, struct rs_err *err)
{
	struct rs_run before = *into;
	struct merger merger = {.into = into, .run = run, .err = err};
	bool done = rs_arena_guard(add, &merger)
			    ? merger.done
			    : rs_err_set_errno(err, ENOMEM, "cannot merge runs");
	if (!done) {
		before.arena = into->arena;
		*into = before;
	}
	rs_arena_finish(&merger.scratch);
	return done;
}
