/* SPDX-License-Identifier: MIT */
/*
 * Recording finished calls on the slow path: new minima and maxima, values in new octaves, groups
 * that were off the PMU for some time, recursion, and context switches. See record.h.
 */
#include "runtime/calls/record.h"

#include <string.h>

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"

/* A finished call and the places where it is recorded. */
struct call {
	struct rs_thread *thread;
	struct rs_frame *frame;
	/* the region of the frame, or its copy for calls with a context switch */
	struct rs_thread_region *region;
	/* the region of the frame, or with --by-work the one for calls with this work */
	const struct rs_thread_region *own;
	const struct rs_shape *shape; /* shape of the accumulator of `region` */
	const uint64_t *deltas; /* time and events of the call, without overhead */
	uint64_t weight; /* how many calls this call represents */
	uint32_t not_counted; /* a bit for each group that has no value for the call */
	uint32_t counted; /* a bit for each group that was on the PMU during the whole call */
	uint32_t asked; /* a bit for each group whose times the kernel reported */
	/* enabled and running times during the call, from the kernel */
	struct rs_group_time *groups;
	struct rs_rare *rare; /* the row that this call writes */
	struct rs_rare_group *rare_groups; /* the groups of this row */
	struct rs_rare_moments *extremes; /* the extremes of this row */
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

/* Return the value as the accumulator stores it: with the overhead inside the call. */
static uint64_t raw_of(const struct rs_thread *thread, uint32_t m, uint64_t delta)
{
	/* On-CPU time includes the same overhead as time. */
	uint64_t raw = delta + thread->cost->inside[m > thread->n_events ? 0 : m];
	/* The difference of two clock readings minus the overhead can be negative. */
	if (raw >> 63)
		return 0;
	return raw < RS_VALUE_MAX ? raw : RS_VALUE_MAX;
}

void rs_record_deltas(struct rs_thread *thread, struct rs_frame *frame, uint64_t *deltas)
{
	const struct rs_cost *cost = thread->cost;
	bool is_async = frame->flags & RS_FRAME_ASYNC;
	const uint64_t *inside = is_async ? cost->async : thread->snapshot.inside;
	const uint64_t *at_start = rs_frame_vector(frame, RS_VECTOR_CHARGED, thread->n_events);
	uint64_t *charged = thread->scratch.charged;
	uint64_t n_above = rs_charged_down_to(thread, is_async ? thread->ground : frame, charged);
	if (is_async) /* No other call contains an asynchronous call. */
		n_above = 0;
	for (uint32_t m = 0; is_async && m <= thread->n_events; m++)
		/* The time of an asynchronous call includes the time of other markers. */
		charged[m] = m ? charged[m] - at_start[m] : 0;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = thread->snapshot.values[m] - frame->values[m] - inside[m] -
				 charged[m] - n_above * cost->begin[m];
		/* If an event was not counted, its overhead was not counted either. */
		bool is_clock = !m || thread->shape->clocks >> m & 1;
		deltas[m] = (int64_t)delta < 0 && !is_clock ? 0 : delta;
	}
}

/* ---- folding ---- */

/* Finish a fold that a kill or a jump may have stopped after any store. The parity of each word, or
 * the total of a histogram, shows whether it contains the latest call. */
static void fold(
	struct rs_thread *thread, struct rs_thread_region *region, uint64_t word, bool may_be_half)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint32_t n_events = shape->n_events;
	struct rs_accumulator *accumulator = region->accumulator;
	const struct rs_rare *rare = rs_accumulator_rare(
		accumulator, shape, rs_accumulator_row(word));
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	uint64_t calls = rs_accumulator_calls(word), weight = 1, weights = calls;
	if (thread->runtime->samples) {
		weight = accumulator->latest_weight | 1;
		weights = accumulator->weights + ((accumulator->weights ^ calls) & 1 ? weight : 0);
	}
	uint64_t time = accumulator->latest_time;
	struct rs_block *of_time = NULL;
	for (uint32_t m = n_events + 1; m-- > 0;) {
		uint64_t uncounted = 0, w = rs_load_64(rs_accumulator_latest(accumulator, m));
		if (is_in(rare->latest_uncounted, thread, m))
			continue;
		if (m && m <= thread->n_events)
			uncounted = groups[shape->event_group[m - 1]].uncounted_weights;
		struct rs_block *block = of_time = rs_accumulator_block(thread, region, m, w);
		if (!block || (may_be_half && rs_accumulator_count_of(thread, region, m) ==
						      weights - uncounted))
			continue;
		*rs_block_place(block, w) += weight;
	}
	RS_STORED();
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t w = *rs_accumulator_latest(accumulator, m),
			 *square = rs_accumulator_square(accumulator, n_events, m);
		if ((*square ^ calls) & 1 && m)
			rs_store_64(square, *square + w * w * weight);
	}
	uint64_t in_octave = of_time && n_events ? rs_block_count(of_time) : 0;
	for (uint32_t e = 0; of_time && e < n_events; e++) {
		uint64_t *sum = &of_time->sums[e];
		if ((*sum ^ in_octave) & 1)
			rs_store_64(
				sum, *sum + *rs_accumulator_latest(accumulator, 1 + e) * weight);
	}
	if ((accumulator->time_square ^ calls) & 1)
		rs_store_64(
			&accumulator->time_square, accumulator->time_square + time * time * weight);
	if (thread->runtime->samples)
		rs_store_64(&accumulator->weights, weights);
	RS_STORED();
	rs_store_64(&accumulator->time_sum, accumulator->time_sum + time * weight);
	RS_STORED();
}

void rs_record_fold_any(struct rs_thread *thread, struct rs_thread_region *region, bool may_be_half)
{
	uint64_t word = rs_accumulator_word(region->accumulator);
	if (!rs_accumulator_is_folded(region->accumulator, word))
		fold(thread, region, word, may_be_half);
}

/* ---- recording ---- */

static uint64_t positive(uint64_t delta)
{
	return (int64_t)delta > 0 ? delta : 0;
}

/* Record value m of the call, which is time or an event. */
static void record_value(struct call *call, uint32_t m)
{
	struct rs_thread *thread = call->thread;
	struct rs_frame *frame = call->frame;
	struct rs_rare_moments *extremes = &call->extremes[m];
	uint64_t raw = raw_of(thread, m, call->deltas[m]);
	if (is_in(call->not_counted, thread, m))
		return;
	/* For on-CPU time, struct rs_off_sums has the values of nested calls. */
	if (frame->flags & RS_FRAME_INNER && m <= thread->n_events)
		extremes->inner += rs_frame_vector(frame, RS_VECTOR_INNER, thread->n_events)[m];
	if (!is_counted(call, m)) {
		extremes->uncounted += positive(call->deltas[m]) * call->weight;
		return;
	}
	if (~raw > extremes->min_inverted)
		extremes->min_inverted = ~raw;
	if (raw > extremes->max)
		extremes->max = raw;
	if (rs_accumulator_make_room(thread, call->region, m, raw) && call->region->table)
		rs_accumulator_set_near(thread, call->region, m);
}

static void record_groups(struct call *call, uint64_t ticks)
{
	for (uint32_t g = 0; g < call->thread->n_groups; g++) {
		struct rs_rare_group *group = &call->rare_groups[g];
		bool is_uncounted = !(call->counted >> g & 1);
		group->uncounted += is_uncounted;
		group->uncounted_weights += is_uncounted ? call->weight : 0;
		call->rare->latest_uncounted |= (uint32_t)is_uncounted << g;
		if (!(call->asked >> g & 1))
			continue;
		if (!(call->not_counted & RS_GROUP_NOT_COUNTED(g)))
			group->answered_ticks += ticks * call->weight;
		else if (rs_group_is_missed(call->thread, call->frame, g))
			group->missed_ticks += ticks * call->weight;
		group->enabled_ns += call->groups[g].enabled_ns * call->weight;
		group->running_ns += call->groups[g].running_ns * call->weight;
		group->unstable_ticks += ticks * call->weight;
	}
}

/* Copy words, in pieces of 64 bytes as far as possible. */
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

/* Copy the current row to the other one, and return the other one. A kill leaves the current row
 * complete, because only calls_word makes the other one current. */
static struct rs_rare *copy_row(struct rs_accumulator *accumulator, const struct rs_shape *shape)
{
	uint64_t row = rs_accumulator_row(rs_accumulator_word(accumulator));
	struct rs_rare *rare = rs_accumulator_rare(accumulator, shape, !row);
	copy_words((void *)rare, (const void *)rs_accumulator_rare(accumulator, shape, row),
		shape->rare_bytes);
	rare->latest_uncounted = 0;
	return rare;
}

uint64_t rs_record_inner(struct rs_thread *thread, struct rs_frame *frame)
{
	const uint64_t *inner = rs_frame_vector(frame, RS_VECTOR_INNER, thread->n_events);
	if (!(frame->flags & RS_FRAME_INNER))
		return 0;
	struct rs_rare *rare = copy_row(frame->region->accumulator, thread->shape);
	struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		extremes[m].inner += inner[m];
	RS_STORED();
	return 1;
}

static void write_slowest(struct call *call)
{
	struct rs_thread *thread = call->thread;
	call->rare->start_ticks = call->frame->values[0];
	call->rare->tid = thread->part.tid;
	call->rare->pid = thread->part.pid;
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		call->extremes[m].slowest = is_counted(call, m) ? raw_of(thread, m, call->deltas[m])
								: UINT64_MAX;
}

/* Report the call to --slow, if it is slow. */
static void report_slow(const struct call *call)
{
	struct rs_thread *thread = call->thread;
	uint64_t *values = thread->scratch.counts;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = call->deltas[m];
		values[m] = !is_counted(call, m) ? UINT64_MAX : (int64_t)delta < 0 ? 0 : delta;
	}
	rs_slow_calls_note(thread, call->frame, rs_region_of(thread, call->frame->region), values);
}

/* Record the time and events of nested calls. The on-CPU time of nested calls is not recorded, so
 * its sum only changes its parity. */
static void record_children(struct call *call)
{
	uint32_t n_events = call->thread->n_events;
	struct rs_accumulator_children *into = rs_accumulator_children(
		call->region->accumulator, call->shape->n_events);
	rs_record_children(call->thread, call->frame, into, n_events);
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
	struct rs_accumulator *accumulator = call->region->accumulator;
	thread->interrupted.region = call->region;
	thread->tracer.not_counted = ~call->counted;
	rs_record_fold_any(thread, call->region, false);
	uint64_t word = rs_accumulator_word(accumulator);
	uint64_t next = (word + (1 << 2)) ^ 1, any = 0;
	call->rare = copy_row(accumulator, call->shape);
	call->rare_groups = (void *)(call->rare + 1);
	call->extremes = rs_rare_extremes(call->rare, call->shape);
	if (!rs_accumulator_calls(word) ||
		raw_of(thread, 0, call->deltas[0]) > call->extremes[0].max)
		write_slowest(call);
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		record_value(call, m);
	record_groups(call, positive(call->deltas[0]));
	if (call->region != call->own)
		rs_off_cpu_add(thread, call->frame, &call->rare->off, call->weight);
	rs_work_record(thread, call->region, call->frame);
	const uint64_t *children = rs_frame_children(thread, call->frame);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		any |= children[m];
	if (any | call->frame->direct) {
		record_children(call);
		next ^= 2;
	}
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		rs_store_64(rs_accumulator_latest(accumulator, m),
			is_counted(call, m) ? rs_w_of(raw_of(thread, m, call->deltas[m])) : 1);
	accumulator->latest_weight = call->weight;
	/* This store counts the call, so all stores above must come first: readers ignore them if
	 * the program is killed before it. Release pairs with the acquire load of the readers. */
	atomic_store_explicit(&accumulator->calls_word, next, memory_order_release);
	/* The fast path records only calls without a context switch. */
	if (call->region == call->own)
		rs_accumulator_set_ranges(thread, call->region);
	if (thread->runtime->slow_rules)
		report_slow(call);
}

/* ---- calls that had a context switch ---- */

/* Select the accumulator for calls with a context switch, if there is memory, and compute the
 * on-CPU time. deltas has 2 + n_events elements. */
static void switch_region(struct call *call, uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	struct rs_frame_off *off = rs_frame_off(thread, call->frame);
	struct rs_thread_region *switched = rs_accumulator_switched(thread, call->region);
	if (switched == call->region)
		return;
	rs_off_cpu_end(thread, call->frame, positive(deltas[0]));
	call->region = switched;
	call->shape = &thread->runtime->switched_shape;
	deltas[1 + thread->n_events] = positive(deltas[0]) - rs_off_sum(off->total);
}

static __attribute__((noinline)) void record_in(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uint64_t *deltas)
{
	struct call call = {.thread = thread,
		.frame = frame,
		.region = region,
		.own = region,
		.shape = thread->shape,
		.deltas = deltas,
		.groups = thread->scratch.groups,
		.weight = thread->runtime->samples ? frame->weight : 1};
	if (frame->flags & RS_FRAME_SWITCHED)
		switch_region(&call, deltas);
	if (thread->snapshot.off)
		rs_counters_mend(thread);
	memset(call.groups, 0, thread->n_groups * sizeof(*call.groups));
	call.not_counted = frame->off | thread->snapshot.off;
	rs_group_times(thread, frame, positive(deltas[0]), call.groups, &call.counted, &call.asked);
	record(&call);
}

void rs_record_slow(struct rs_thread *thread, struct rs_frame *frame, uint64_t *deltas)
{
	/* Call this first: inside record_in(), nested stack frames would need more stack. */
	struct rs_thread_region *region = rs_work_region(thread, frame);
	record_in(thread, frame, region, deltas);
}
