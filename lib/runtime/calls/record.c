/* SPDX-License-Identifier: MIT */
/*
 * Finished calls off the fast path, into their cells: new extremes and more octaves, groups that
 * were off the PMU for a time, and recursion. Calls that had a context switch have a cell of their
 * own. See record.h.
 */
#include "runtime/calls/record.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"

/* One call. */
struct call {
	struct rs_thread *thread;
	struct rs_entry *entry;
	struct rs_thread_region *region; /* the entry's, or that of calls with a context switch */
	const struct rs_thread_region *own; /* the entry's, by its work */
	const struct rs_shape *shape; /* of its cell */
	const uint64_t *deltas; /* without overhead */
	uint64_t weight; /* calls that it represents */
	uint32_t lacking; /* a bit for each group without a value */
	uint32_t counted; /* a bit for each group that was on the PMU all the time */
	uint32_t asked; /* a bit for each group whose times are the kernel's */
	struct rs_group_time *groups; /* used of time, by the kernel */
	struct rs_rare *rare; /* the row to be written */
	struct rs_rare_group *rare_groups; /* of it */
	struct rs_rare_moments *extremes; /* of it */
};

static bool is_in(uint32_t groups, const struct rs_thread *thread, uint32_t m)
{
	return m && m <= thread->n_events && groups >> thread->shape->event_group[m - 1] & 1;
}

static bool is_counted(const struct call *call, uint32_t m)
{
	bool is_always = !m || m > call->thread->n_events;
	return is_always || is_in(call->counted, call->thread, m);
}

/* The value as the cell has it: with the overhead that is inside every call of it. */
static uint64_t raw_of(const struct rs_thread *thread, uint32_t m, uint64_t delta)
{
	/* on-CPU time has what time has */
	uint64_t raw = delta + thread->cost->inside[m > thread->n_events ? 0 : m];
	if (raw >> 63) /* below 0: two readings of a clock are not as exact as those of counters */
		return 0;
	return raw < RS_VALUE_MAX ? raw : RS_VALUE_MAX;
}

void rs_record_deltas(struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas)
{
	const struct rs_cost *cost = thread->cost;
	bool is_async = entry->apart & RS_APART_ASYNC;
	const uint64_t *inside = is_async ? cost->async : thread->snapshot.inside;
	const uint64_t *at_start = rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events);
	uint64_t *charged = thread->room.charged;
	uint64_t n_above = rs_charged_down_to(thread, is_async ? thread->ground : entry, charged);
	if (is_async) /* within none of them */
		n_above = 0;
	for (uint32_t m = 0; is_async && m <= thread->n_events; m++)
		charged[m] = m ? charged[m] - at_start[m] : 0; /* of time: as the clock says */
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = thread->snapshot.values[m] - entry->values[m] - inside[m] -
				 charged[m] - n_above * cost->begin[m];
		/* of an event that was not counted, overhead was not either */
		bool is_clock = !m || thread->counters.clock_events >> m & 1;
		deltas[m] = (int64_t)delta < 0 && !is_clock ? 0 : delta;
	}
}

/* ---- folding ---- */

/* How far a fold has come is unknown: each word shows by its parity whether it holds the latest
 * call. A histogram shows it by its total; of an event's, only counted calls are in it. */
static void fold(
	struct rs_thread *thread, struct rs_thread_region *region, uint64_t word, bool may_be_half)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint32_t n_events = shape->n_events;
	struct rs_cell *cell = region->cell;
	const struct rs_rare *rare = rs_cell_rare(cell, shape, rs_cell_row(word));
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	uint64_t calls = rs_cell_calls(word), weight = 1, weights = calls;
	if (thread->runtime->samples) {
		weight = cell->latest_weight | 1;
		weights = cell->weights + ((cell->weights ^ calls) & 1 ? weight : 0);
	}
	uint64_t time = cell->latest_time;
	struct rs_block *of_time = NULL;
	for (uint32_t m = n_events + 1; m-- > 0;) {
		uint64_t uncounted = 0, w = rs_load_64(rs_cell_latest(cell, m));
		if (is_in(rare->latest_uncounted, thread, m))
			continue;
		if (m && m <= thread->n_events)
			uncounted = groups[shape->event_group[m - 1]].uncounted_weights;
		struct rs_block *block = of_time = rs_cell_block(thread, region, m, w);
		if (!block ||
			(may_be_half && rs_cell_count_of(thread, region, m) == weights - uncounted))
			continue;
		*rs_block_place(block, w) += weight;
	}
	RS_STORED();
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t w = *rs_cell_latest(cell, m), *square = rs_cell_square(cell, m);
		if ((*square ^ calls) & 1 && m)
			rs_store_64(square, *square + w * w * weight);
	}
	uint64_t in_octave = of_time && n_events ? rs_block_count(of_time) : 0;
	for (uint32_t e = 0; of_time && e < n_events; e++) {
		uint64_t *sum = &of_time->sums[e];
		if ((*sum ^ in_octave) & 1)
			rs_store_64(sum, *sum + *rs_cell_latest(cell, 1 + e) * weight);
	}
	if ((cell->time_square ^ calls) & 1)
		rs_store_64(&cell->time_square, cell->time_square + time * time * weight);
	if (thread->runtime->samples)
		rs_store_64(&cell->weights, weights);
	RS_STORED();
	rs_store_64(&cell->time_sum, cell->time_sum + time * weight);
	RS_STORED();
}

void rs_record_fold_any(struct rs_thread *thread, struct rs_thread_region *region, bool may_be_half)
{
	uint64_t word = rs_cell_word(region->cell);
	if (!rs_cell_is_folded(region->cell, word))
		fold(thread, region, word, may_be_half);
}

/* ---- recording ---- */

static uint64_t positive(uint64_t delta)
{
	return (int64_t)delta > 0 ? delta : 0;
}

/* Record time or an event in the row. */
static void take(struct call *call, uint32_t m)
{
	struct rs_thread *thread = call->thread;
	struct rs_entry *entry = call->entry;
	struct rs_rare_moments *extremes = &call->extremes[m];
	uint64_t raw = raw_of(thread, m, call->deltas[m]);
	if (is_in(call->lacking, thread, m))
		return;
	/* of on-CPU time what is nested follows from struct rs_off_sums */
	if (entry->apart & RS_APART_INNER && m <= thread->n_events)
		extremes->inner += rs_entry_vector(entry, RS_VECTOR_INNER, thread->n_events)[m];
	if (!is_counted(call, m)) {
		extremes->uncounted += positive(call->deltas[m]) * call->weight;
		return;
	}
	if (~raw > extremes->min_inverted)
		extremes->min_inverted = ~raw;
	if (raw > extremes->max)
		extremes->max = raw;
	if (rs_cell_make_room(thread, call->region, m, raw) && call->region->table)
		rs_cell_set_near(thread, call->region, m);
}

static void take_groups(struct call *call, uint64_t ticks)
{
	for (uint32_t g = 0; g < call->thread->n_groups; g++) {
		struct rs_rare_group *group = &call->rare_groups[g];
		bool is_uncounted = !(call->counted >> g & 1);
		group->uncounted += is_uncounted;
		group->uncounted_weights += is_uncounted ? call->weight : 0;
		call->rare->latest_uncounted |= (uint32_t)is_uncounted << g;
		if (!(call->asked >> g & 1))
			continue;
		if (!(call->lacking & RS_GROUP_LACKS(g)))
			group->told_ticks += ticks * call->weight;
		else if (rs_group_is_missed(call->thread, call->entry, g))
			group->missed_ticks += ticks * call->weight;
		group->enabled_ns += call->groups[g].enabled_ns * call->weight;
		group->running_ns += call->groups[g].running_ns * call->weight;
		group->unstable_ticks += ticks * call->weight;
	}
}

/* Eight at once, where there are. */
static inline void copy_words(uint64_t *to, const uint64_t *from, uint32_t bytes)
{
	struct eight {
		uint64_t words[8];
	};
	for (; bytes >= sizeof(struct eight); to += 8, from += 8, bytes -= 64)
		*(struct eight *)(void *)to = *(const struct eight *)(const void *)from;
	for (; bytes; bytes -= 8)
		*to++ = *from++;
}

/* The row to be written: a copy of the current one. */
static struct rs_rare *copy_row(struct rs_cell *cell, const struct rs_shape *shape)
{
	uint64_t row = rs_cell_row(rs_cell_word(cell));
	struct rs_rare *rare = rs_cell_rare(cell, shape, !row);
	copy_words((void *)rare, (const void *)rs_cell_rare(cell, shape, row), shape->rare_bytes);
	rare->latest_uncounted = 0;
	return rare;
}

uint64_t rs_record_inner(struct rs_thread *thread, struct rs_entry *entry)
{
	const uint64_t *inner = rs_entry_vector(entry, RS_VECTOR_INNER, thread->n_events);
	if (!(entry->apart & RS_APART_INNER))
		return 0;
	struct rs_rare *rare = copy_row(entry->region->cell, thread->shape);
	struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		extremes[m].inner += inner[m];
	RS_STORED();
	return 1;
}

static void write_slowest(struct call *call)
{
	struct rs_thread *thread = call->thread;
	call->rare->start_ticks = call->entry->values[0];
	call->rare->tid = thread->part.tid;
	call->rare->pid = thread->part.pid;
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		call->extremes[m].slowest = is_counted(call, m) ? raw_of(thread, m, call->deltas[m])
								: UINT64_MAX;
}

/* Report a slow call (--slow). */
static void tell_slow(const struct call *call)
{
	struct rs_thread *thread = call->thread;
	uint64_t *values = thread->room.counts;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = call->deltas[m];
		values[m] = !is_counted(call, m) ? UINT64_MAX : (int64_t)delta < 0 ? 0 : delta;
	}
	rs_slow_calls_note(thread, call->entry, rs_region_of(thread, call->entry->region), values);
}

/* Record the use of nested calls, of time and events. On-CPU time has only the parity of the
 * others. */
static void record_children(struct call *call)
{
	uint32_t n_events = call->thread->n_events;
	struct rs_cell_children *into = rs_cell_children(call->region->cell, call->shape->n_events);
	rs_record_children(call->thread, call->entry, into, n_events);
	if (call->shape->n_events == n_events)
		return;
	into[n_events + 1].latest = 0;
	RS_STORED();
	rs_store_64(&into[n_events + 1].sum, into[n_events + 1].sum ^ 1);
	RS_STORED();
}

static void record(struct call *call)
{
	struct rs_thread *thread = call->thread;
	struct rs_cell *cell = call->region->cell;
	thread->recording.region = call->region;
	rs_record_fold_any(thread, call->region, false);
	uint64_t word = rs_cell_word(cell);
	uint64_t next = (word + (1 << 2)) ^ 1, any = 0;
	call->rare = copy_row(cell, call->shape);
	call->rare_groups = (void *)(call->rare + 1);
	call->extremes = rs_rare_extremes(call->rare, call->shape);
	if (!rs_cell_calls(word) || raw_of(thread, 0, call->deltas[0]) > call->extremes[0].max)
		write_slowest(call);
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		take(call, m);
	take_groups(call, positive(call->deltas[0]));
	if (call->region != call->own)
		rs_off_cpu_add(thread, call->entry, &call->rare->off, call->weight);
	rs_work_record(thread, call->region, call->entry);
	const uint64_t *children = rs_entry_children(thread, call->entry);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		any |= children[m];
	if (any | call->entry->direct) {
		record_children(call);
		next ^= 2;
	}
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		rs_store_64(rs_cell_latest(cell, m),
			is_counted(call, m) ? rs_w_of(raw_of(thread, m, call->deltas[m])) : 1);
	cell->latest_weight = call->weight;
	/* pairs with the acquire load in the cell's readers */
	atomic_store_explicit(&cell->calls_word, next, memory_order_release);
	if (call->region == call->own) /* the fast path takes only calls of these */
		rs_cell_set_ranges(thread, call->region);
	if (thread->runtime->slow_rules)
		tell_slow(call);
}

/* ---- calls that had a context switch ---- */

/* A call that had a context switch goes where those are, with its on-CPU time; unless there is no
 * memory. deltas[2 + n_events] */
static void switch_region(struct call *call, uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	struct rs_entry_off *off = rs_entry_off(thread, call->entry);
	struct rs_thread_region *twin = rs_cell_twin(thread, call->region);
	if (twin == call->region)
		return;
	rs_off_cpu_end(thread, call->entry, positive(deltas[0]));
	call->region = twin;
	call->shape = &thread->runtime->switched_shape;
	deltas[1 + thread->n_events] = positive(deltas[0]) - rs_off_sum(off->total);
}

static __attribute__((noinline)) void record_in(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, uint64_t *deltas)
{
	struct call call = {.thread = thread,
		.entry = entry,
		.region = region,
		.own = region,
		.shape = thread->shape,
		.deltas = deltas,
		.groups = thread->room.groups,
		.weight = thread->runtime->samples ? entry->weight : 1};
	if (entry->apart & RS_APART_SWITCHED)
		switch_region(&call, deltas);
	if (thread->snapshot.off)
		rs_counters_mend(thread);
	memset(call.groups, 0, thread->n_groups * sizeof(*call.groups));
	call.lacking = entry->off | thread->snapshot.off;
	rs_group_times(thread, entry, positive(deltas[0]), call.groups, &call.counted, &call.asked);
	record(&call);
}

void rs_record_other(struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas)
{
	/* looked up first: neither needs the other's stack */
	struct rs_thread_region *region = rs_work_region(thread, entry);
	record_in(thread, entry, region, deltas);
}
