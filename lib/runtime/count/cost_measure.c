/* SPDX-License-Identifier: MIT */
/*
 * Learning what markers cost: when, of which events, and where it is kept. Once a process and way of
 * reading counters, at a thread's first marker.
 */
#include "runtime/count/gauge.h"

/* Tries of each kind: reading by read() is slow. */
#define N_TRIES RS_GAUGE_TRIES
#define N_TRIES_READ 24
/* Of events that take turns, which are exact. */
#define N_TRIES_TURN 5

/* Memory for the scratch cells, their counts, and the tables of these; only what is touched is
 * allocated. */
#define SCRATCH_OCTAVES (4 + 12 + 28) /* what counts grow to in two steps */
static uint64_t tables_offset(const struct rs_shape *shape)
{
	uint64_t counts = SCRATCH_OCTAVES * sizeof(uint64_t) *
			  ((1 + shape->n_events) * RS_RUN_OCTAVE + shape->n_events);
	return RS_PAGE_BYTES + RS_SCRATCH_N * (shape->cell_bytes + counts);
}
static uint64_t scratch_bytes(const struct rs_shape *shape)
{
	return tables_offset(shape) + RS_SCRATCH_N * rs_table_bytes(shape);
}

/* No marker takes so many times as long as is common, unless it lost the CPU. */
#define MOST_TIMES 8

enum { N_ROWS = sizeof(struct rs_cost) / sizeof(rs_vector) };
static_assert(N_ROWS * sizeof(rs_vector) == sizeof(struct rs_cost), "vectors alone");

static bool is_usage(const struct rs_thread *thread, uint32_t event)
{
	return thread->groups[thread->shape->event_group[event]].is_rusage;
}

/* All of it, in the quantities that are to be had now and are not known yet: columns of *cost.
 * *known: a bit for each quantity that is there. */
static void measure_round(
	struct rs_gauge *gauge, struct rs_cost *cost, uint64_t wanted, uint64_t *known)
{
	const struct regionstat_table_14_ *table = gauge->thread->runtime->table;
	gauge->off = 0;
	table->begin_(&rs_scratch_site[RS_SCRATCH_AROUND]);
	rs_gauge_plain(gauge);
	rs_gauge_slow_paths(gauge);
	rs_gauge_around_work(gauge);
	table->end_site_(&rs_scratch_site[RS_SCRATCH_AROUND]);
	rs_vector *to = (rs_vector *)(void *)cost, *from = (rs_vector *)(void *)gauge->cost;
	for (uint32_t m = 0; m <= gauge->thread->n_events; m++) {
		if (!(wanted >> m & 1) || *known >> m & 1 ||
			(m && rs_off_bits(gauge->thread, gauge->off, m - 1)))
			continue;
		*known |= UINT64_C(1) << m;
		if (m && is_usage(gauge->thread, m - 1))
			continue; /* it goes by what is charged of time */
		for (uint32_t row = 0; row < N_ROWS; row++)
			to[row][m] = from[row][m];
	}
}

/* How long a tick of the clock is: from the clocks before and after markers have been tried. */
static void measure_clock(struct rs_runtime *runtime, const uint64_t *begin, const uint64_t *end)
{
	uint64_t ticks = end[0] - begin[0], ns = end[1] - begin[1];
	if (ticks)
		runtime->tick_ns_q32 = (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

static void read_clocks(const struct rs_runtime *runtime, uint64_t *clocks)
{
	rs_clock_monotonic(); /* the first time it may take long */
	clocks[0] = rs_ticks_after(runtime->clock);
	clocks[1] = rs_ticks(RS_CLOCK_MONOTONIC);
}

/* The longest that a marker may take: of some, the commonest time, and not one that was
 * interrupted. */
static void measure_longest(struct rs_gauge *gauge)
{
	const struct regionstat_table_14_ *table = gauge->thread->runtime->table;
	struct rs_runtime *runtime = gauge->thread->runtime;
	struct regionstat_site_ *plain = &rs_scratch_site[RS_SCRATCH_PLAIN];
	int64_t *tries = gauge->ticks[0];
	for (uint32_t i = 0; i < N_TRIES_READ; i++) {
		uint64_t before = rs_ticks_after(runtime->clock);
		table->begin_(plain);
		tries[i] = (int64_t)(rs_ticks_after(runtime->clock) - before);
		table->end_site_(plain);
	}
	runtime->marker_ticks = (uint64_t)rs_gauge_mode(tries, N_TRIES_READ);
	runtime->most_ticks = MOST_TIMES * runtime->marker_ticks;
}

/* Groups that take turns on the PMU would have to be waited for. Instead each is opened as a pinned
 * one for as long as its events' costs are learnt: then it is there at once. */
static __attribute__((noinline)) void measure_turns(
	struct rs_gauge *gauge, struct rs_cost *cost, uint64_t *known)
{
	struct rs_thread *thread = gauge->thread;
	const struct rs_shape *shape = thread->shape;
	gauge->n_tries = N_TRIES_TURN;
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint64_t wanted = ((UINT64_C(1) << shape->group_events[g]) - 1)
				  << (1 + shape->group_first[g]);
		if (thread->groups[g].mode == RS_GROUP_NONE || thread->groups[g].pinned ||
			!(wanted & ~*known))
			continue;
		rs_counters_reopen(thread, g, true);
		measure_round(gauge, cost, wanted, known);
		rs_counters_reopen(thread, g, false);
	}
}

/* False: what some events cost could not be learnt. */
static bool measure(struct rs_gauge *gauge, struct rs_cost *cost)
{
	struct rs_thread *thread = gauge->thread;
	uint64_t known = 0, wanted = 1, begin[2], end[2];
	bool take_turns = false;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		take_turns |= thread->groups[g].mode != RS_GROUP_NONE &&
			      !thread->groups[g].pinned && thread->n_groups > 1 &&
			      rs_group_is_hardware(thread->runtime, g);
	if (!take_turns)
		wanted = (UINT64_C(2) << thread->n_events) - 1;
	read_clocks(thread->runtime, begin);
	thread->runtime->most_ticks = UINT64_MAX;
	if (thread->n_reads) {
		measure_longest(gauge); /* warms up, and takes some time */
		measure_longest(gauge);
		read_clocks(thread->runtime, end);
		measure_clock(thread->runtime, begin, end);
	}
	measure_round(gauge, cost, wanted, &known);
	read_clocks(thread->runtime, end);
	measure_clock(thread->runtime, begin, end);
	if (take_turns)
		measure_turns(gauge, cost, &known);
	rs_core_types_borrow(thread, cost, &known);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (!(known >> m & 1) &&
			!(m && thread->groups[thread->shape->event_group[m - 1]].mode ==
					RS_GROUP_NONE))
			return false;
	return true;
}

/* Scratch cells lie in memory of their own, which no report sees and no other process needs. */
static void bind_scratch(struct rs_thread *thread, char *memory)
{
	uint64_t table_bytes = rs_table_bytes(thread->shape);
	thread->base = memory;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++) {
		struct rs_thread_region *region = &thread->regions[rs_scratch_region[i]];
		/* not at 0, which says that there is none */
		uint64_t offset = RS_PAGE_BYTES + i * (uint64_t)thread->shape->cell_bytes;
		region->cell = (void *)(memory + offset);
		region->cell->next = offset; /* as in a list already */
		region->table = (void *)(memory + tables_offset(thread->shape) + i * table_bytes);
		for (uint32_t m = 0; m <= thread->n_events; m++)
			rs_cell_take_counts(thread, region, thread->shape, m);
		region->innermost = NULL;
		region->within = NULL; /* in which region its first try will tell */
		region->turn = region->every = 1;
		region->rest = 0;
		region->n_until_choice = UINT32_MAX;
	}
}

/* What markers with read() cost beyond what they charge themselves is the more, the longer they take:
 * so what was learnt is kept as a part of that, too. */
static void keep_rest(struct rs_rest *rest, const struct rs_cost *cost, uint64_t own_pair)
{
	int64_t outside = (int64_t)cost->pair[0], inside = (int64_t)cost->inside[RS_EDGE_PLAIN][0];
	if (!own_pair || outside < 0 || inside < 0)
		return;
	rest->own_pair = own_pair;
	rest->outside_q16 = ((uint64_t)outside << 16) / own_pair;
	rest->inside_q16 = ((uint64_t)inside << 16) / own_pair;
}

/* What was learnt is the process's from now on. */
static void keep(
	struct rs_runtime *runtime, enum rs_way way, const struct rs_cost *cost, uint64_t own_pair)
{
	if (!runtime->process->inside_ticks)
		runtime->process->inside_ticks = cost->inside[RS_EDGE_PLAIN][0];
	memset(&runtime->cost[way], 0, sizeof(*cost));
	if (!runtime->raw)
		runtime->cost[way] = *cost;
	if (way == RS_WAY_READ && !runtime->raw)
		keep_rest(&runtime->rest, cost, own_pair);
	runtime->has_cost[way] = true;
}

/* Try markers out on scratch cells; what the thread has itself is out of the way meanwhile. */
static bool try_out(struct rs_gauge *gauge, struct rs_cost *cost, char *scratch)
{
	struct rs_thread *thread = gauge->thread;
	struct rs_slot *slot = thread->slot;
	/* whether or not counting is paused, and whoever pauses it meanwhile: here it is not */
	const _Atomic uint64_t running = 0, *shared = thread->control;
	struct rs_thread_region *saved = gauge->saved;
	char *base = thread->base;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++)
		saved[i] = thread->regions[rs_scratch_region[i]];
	uint64_t piece_next = thread->piece_next, piece_end = thread->piece_end;
	thread->piece_next = RS_PAGE_BYTES + RS_SCRATCH_N * thread->shape->cell_bytes;
	thread->piece_end = tables_offset(thread->shape);
	thread->slot = &gauge->slot;
	thread->control = &running;
	bind_scratch(thread, scratch);
	bool done = measure(gauge, cost);
	thread->slot = slot;
	thread->piece_next = piece_next;
	thread->piece_end = piece_end;
	thread->control = shared;
	thread->base = base;
	for (uint32_t i = 0; i < RS_SCRATCH_N; i++)
		thread->regions[rs_scratch_region[i]] = saved[i];
	rs_entry_forget_children(thread, thread->ground);
	rs_usage_forgive(thread);
	return done;
}

void rs_cost_measure(struct rs_thread *thread)
{
	/* Taken into a copy: until it is complete, nothing is to be taken out of anything. */
	struct {
		struct rs_cost cost, of_round;
		struct rs_gauge gauge;
	} *room = rs_sys_allocate(sizeof(*room));
	struct rs_runtime *runtime = thread->runtime;
	uint64_t bytes = scratch_bytes(thread->shape);
	char *scratch = rs_sys_allocate(bytes);
	enum rs_way way = rs_way_of(thread);
	bool done = room && scratch;
	thread->cost = &runtime->cost[way];
	if (done) {
		const struct regionstat_table_14_ *volatile table = runtime->table;
		struct rs_gauge *gauge = &room->gauge;
		gauge->thread = thread;
		gauge->cost = &room->of_round;
		gauge->table = RS_OPAQUE(&table);
		gauge->n_tries = thread->n_reads ? N_TRIES_READ : N_TRIES;
		done = try_out(&room->gauge, &room->cost, scratch);
		keep(runtime, way, &room->cost, room->gauge.own_pair);
	}
	if (!done)
		rs_process_count(runtime, RS_PROCESS_DIAG_COST_UNKNOWN);
	if (scratch)
		RS_SYS(munmap, scratch, bytes);
	if (room)
		RS_SYS(munmap, room, sizeof(*room));
}
