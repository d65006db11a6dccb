/* SPDX-License-Identifier: MIT */
/*
 * The slow path of traces, see trace.h: keeping a call, calls that the fast path did not record,
 * and the rings of a thread slot.
 */
#include "runtime/calls/trace.h"

#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"
#include "runtime/process/self.h"

/* The trace of threads without rings. It has one cell, and its rules keep nothing. */
struct rs_trace_scratch {
	struct rs_trace trace;
	struct rs_trace_rules rules;
	uint64_t cell[RS_TRACE_EVENTS + RS_MAX_EVENTS];
};

/* ---- the fast path as functions ---- */

/* If the enclosing call is skipped or from before a fork(), it has no record. This call then shows
 * no parent. */
RS_INLINE void write_call(struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events)
{
	if (RS_UNLIKELY(!rs_frame_is_measured(frame->below)))
		frame->below->values[0] = frame->values[0];
	rs_trace_write(thread, frame, frame->below, false, n_events);
}

void rs_trace_call(struct rs_thread *thread, struct rs_frame *frame)
{
	write_call(thread, frame, thread->n_events);
}

void rs_trace_call_async(struct rs_thread *thread, struct rs_frame *frame)
{
	rs_trace_write(thread, frame, thread->ground, true, thread->n_events);
}

void rs_trace_call_time(struct rs_thread *thread, struct rs_frame *frame)
{
	write_call(thread, frame, 0);
}

void rs_trace_leave_time(struct rs_thread *thread, struct rs_frame *frame)
{
	write_call(thread, frame, 0);
	rs_leave(thread);
}

/* ---- keeping a call ---- */

/* Choose the next sample. The gap to it is random, with the mean that the rules give. */
static void choose_sample(struct rs_thread *thread, uint64_t number)
{
	struct rs_tracer *tracer = &thread->tracer;
	uint64_t mean = atomic_load_explicit(&tracer->rules->sample_calls, memory_order_relaxed);
	/* The program may have written any number there. */
	mean = mean < UINT32_MAX ? mean : UINT32_MAX;
	/* Knuth's constants (The Art of Computer Programming, volume 2, section 3.3.4, MMIX). */
	tracer->random = tracer->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	uint64_t gap = mean ? 1 + (tracer->random >> 32) % (2 * mean) : RS_TRACE_KEPT;
	tracer->next_sample = number + gap;
	tracer->samples = mean != 0;
}

/* Return the address of a cell of the ring of kept calls. */
static uint64_t *kept_cell(const struct rs_tracer *tracer, uint64_t n)
{
	return tracer->kept + (n & (RS_TRACE_KEPT - 1)) * tracer->cell_words;
}

/* How many cells are reserved for slow calls. For a call that takes eight times its region's mean
 * or is around a kept call, find_reserve() returns at most RESERVE_OF_SLOW. */
#define RESERVE (RS_TRACE_KEPT / 4)
#define RESERVE_OF_SLOW (RESERVE - 3 * RESERVE / 8)

static void drop(struct rs_trace *trace, uint64_t ticks, bool is_slow)
{
	rs_count(&trace->n_dropped, 1);
	rs_count(&trace->n_dropped_slow, is_slow);
	if (ticks > atomic_load_explicit(&trace->longest_dropped, memory_order_relaxed))
		atomic_store_explicit(&trace->longest_dropped, ticks, memory_order_relaxed);
}

static uint64_t *recent_cell(const struct rs_tracer *tracer, uint64_t number)
{
	return tracer->recent + (number & tracer->recent_mask) * tracer->cell_words;
}

/* Add the count of calls and the time_sum of a region's accumulator. region may be NULL. */
static void add_calls(const struct rs_thread *thread, const struct rs_thread_region *region,
	uint64_t *calls, uint64_t *sum)
{
	const struct rs_accumulator *accumulator = region ? region->accumulator : NULL;
	if (!accumulator)
		return;
	*calls += thread->runtime->samples ? accumulator->weights
					   : rs_accumulator_calls(rs_accumulator_word(accumulator));
	*sum += accumulator->time_sum;
}

/* Return how many cells must stay free after a record, for slower calls: usually a quarter of the
 * ring. Each doubling of the call's time above its region's mean reduces this by an eighth. If the
 * call is slow by the rules, another eighth is subtracted. One cell is kept for the slot's next
 * process. */
static uint64_t find_reserve(const struct rs_thread *thread, const uint64_t *cell, uint64_t flags)
{
	uint32_t index = rs_trace_region(cell[RS_TRACE_IDS]);
	uint64_t time = cell[RS_TRACE_TIME], reserve = RESERVE, calls = 0, sum = 0;
	if (index < RS_MAX_REGIONS) {
		add_calls(thread, &thread->regions[index], &calls, &sum);
		add_calls(thread, thread->regions[index].switched, &calls, &sum);
	}
	if (flags & RS_TRACE_AROUND)
		return 1;
	if (flags & RS_TRACE_SLOW)
		reserve -= RESERVE / 8;
	for (; calls > 0 && reserve > 0 && time / 2 > sum / calls; time /= 2)
		reserve -= RESERVE / 8;
	return reserve > 0 ? reserve : 1;
}

/* Put a slow call into the table of the slowest calls, in place of the shortest one or of one that
 * the launcher has taken. Return false if all of them took longer. */
static bool keep_slowest(struct rs_tracer *tracer, uint64_t number, uint64_t flags)
{
	struct rs_trace *trace = tracer->shared;
	const uint64_t *from = recent_cell(tracer, number),
		       *second = recent_cell(tracer, number + 1);
	uint64_t taken = atomic_load_explicit(&trace->slowest_taken, memory_order_acquire);
	uint64_t least = UINT64_MAX, *to = NULL;
	for (uint64_t i = 0; i < RS_TRACE_SLOWEST; i++) {
		uint64_t *cell = tracer->kept + (RS_TRACE_KEPT + 2 * i) * tracer->cell_words;
		uint64_t time = cell[RS_TRACE_NUMBER] < taken ? 0 : cell[RS_TRACE_TIME];
		to = time < least ? cell : to;
		least = time < least ? time : least;
	}
	if (from[RS_TRACE_TIME] <= least)
		return false;
	if (least > 0)
		drop(trace, least >> 1, true);
	rs_trace_put(to, RS_TRACE_NUMBER, UINT64_MAX);
	/* This pairs with the launcher's fence between its two readings. */
	atomic_thread_fence(memory_order_release);
	for (uint32_t w = 0; w < tracer->cell_words; w++) {
		if (w != RS_TRACE_NUMBER)
			rs_trace_put(to, w, from[w]);
		rs_trace_put(to + tracer->cell_words, w, second[w]);
	}
	rs_trace_put(to, RS_TRACE_IDS, from[RS_TRACE_IDS] | flags << RS_TRACE_FLAG_SHIFT);
	rs_trace_put(to + tracer->cell_words, RS_TRACE_MORE_N,
		atomic_load_explicit(&trace->pid, memory_order_relaxed));
	atomic_thread_fence(memory_order_release);
	rs_trace_put(to, RS_TRACE_NUMBER, number);
	atomic_store_explicit(&trace->slowest_end, number + 1, memory_order_release);
	return true;
}

/* Copy a recent record to the ring of kept calls, if at least `reserve` cells stay free there.
 * Otherwise copy it to the slowest calls, if it is slow. Return false if the record is dropped. */
static bool copy_record(struct rs_tracer *tracer, uint64_t number, uint64_t flags, uint64_t reserve)
{
	struct rs_trace *trace = tracer->shared;
	const uint64_t *cell = recent_cell(tracer, number);
	uint64_t ids = cell[RS_TRACE_IDS];
	uint64_t n_cells = 1 + (rs_trace_flags(ids) & RS_TRACE_MORE ? 1 : 0);
	uint64_t n = atomic_load_explicit(&trace->n_kept, memory_order_relaxed);
	uint64_t used = n - atomic_load_explicit(&trace->n_taken, memory_order_acquire);
	if (used + n_cells + reserve > RS_TRACE_KEPT) {
		bool is_slow = reserve <= RESERVE_OF_SLOW;
		if (is_slow && keep_slowest(tracer, number, flags))
			return true;
		drop(trace, cell[RS_TRACE_TIME] >> 1, is_slow);
		return false;
	}
	for (uint64_t i = 0; i < n_cells; i++) {
		const uint64_t *from = recent_cell(tracer, number + i);
		uint64_t *to = kept_cell(tracer, n + i);
		for (uint32_t w = 0; w < tracer->cell_words; w++)
			rs_trace_put(to, w, from[w]);
	}
	rs_trace_put(kept_cell(tracer, n), RS_TRACE_IDS, ids | flags << RS_TRACE_FLAG_SHIFT);
	/* Release pairs with the launcher's acquire load, as in rs_trace_write(). */
	atomic_store_explicit(&trace->n_kept, n + n_cells, memory_order_release);
	return true;
}

/* Keep those recent calls within a slow call that are still in the ring. */
static void keep_inner(struct rs_tracer *tracer, const uint64_t *slow)
{
	uint64_t number = slow[RS_TRACE_NUMBER], first = number;
	uint64_t oldest = number < tracer->recent_mask ? 0 : number - tracer->recent_mask;
	while (first > oldest) {
		const uint64_t *cell = recent_cell(tracer, first - 1);
		/* The second cell of a record has no number. */
		if (cell[RS_TRACE_NUMBER] == first - 1 && cell[RS_TRACE_END] < slow[RS_TRACE_BEGIN])
			break;
		first--;
	}
	for (; first < number; first++)
		if (recent_cell(tracer, first)[RS_TRACE_NUMBER] == first)
			copy_record(tracer, first, 0, RESERVE);
}

void rs_trace_keep(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t *cell, bool is_certain)
{
	struct rs_tracer *tracer = &thread->tracer;
	uint64_t ids = cell[RS_TRACE_IDS], number = cell[RS_TRACE_NUMBER];
	uint64_t ticks = cell[RS_TRACE_TIME] >> 1, flags = 0;
	uint64_t above = atomic_load_explicit(
		&tracer->rules->above[rs_trace_region(ids) % RS_MAX_REGIONS], memory_order_relaxed);
	bool keeps_inner = atomic_load_explicit(&tracer->rules->keeps_inner, memory_order_relaxed);
	if ((is_certain && !keeps_inner) || (above && ticks >= above))
		flags |= RS_TRACE_SLOW;
	if (tracer->around == frame)
		flags |= RS_TRACE_AROUND;
	if (number >= tracer->next_sample) {
		flags |= tracer->samples ? RS_TRACE_SAMPLE : 0;
		choose_sample(thread, number);
	}
	if (!flags && above) /* It is not kept: only the next sample was chosen. */
		return;
	if (flags & RS_TRACE_SLOW && keeps_inner)
		keep_inner(tracer, cell);
	bool is_around = copy_record(tracer, number, flags, find_reserve(thread, cell, flags)) ||
			 flags & RS_TRACE_AROUND;
	if (is_around && !(rs_trace_flags(ids) & (RS_TRACE_ASYNC | RS_TRACE_OFF)))
		tracer->around = frame->below;
}

/* ---- calls of slow paths ---- */

/* Write the second cell of a record with off-CPU time or work, and publish the record. off and work
 * may be NULL. */
static void finish(struct rs_thread *thread, struct rs_frame *frame, uint64_t *cell,
	const uint64_t *off, const struct rs_frame_work *work, bool is_certain)
{
	struct rs_tracer *tracer = &thread->tracer;
	uint64_t n = rs_trace_next(tracer), n_cells = 1;
	if (off || work) {
		uint64_t *second = recent_cell(tracer, n + 1);
		rs_trace_put(second, RS_TRACE_BLOCKED, off ? off[RS_OFF_BLOCKED] : 0);
		rs_trace_put(second, RS_TRACE_PREEMPTED, off ? off[RS_OFF_PREEMPTED] : 0);
		rs_trace_put(second, RS_TRACE_BYTES, work ? work->bytes : 0);
		rs_trace_put(second, RS_TRACE_FLOPS, work ? work->flops : 0);
		n_cells = 2;
	}
	atomic_store_explicit(&tracer->shared->n_recent, n + n_cells, memory_order_release);
	if (is_certain || rs_trace_is_kept(tracer, frame, n,
				  rs_trace_region(cell[RS_TRACE_IDS]) % RS_MAX_REGIONS,
				  cell[RS_TRACE_TIME] >> 1))
		rs_trace_keep(thread, frame, cell, is_certain);
}

void rs_trace_note(struct rs_thread *thread, struct rs_frame *frame,
	const struct rs_thread_region *region, struct rs_accumulator *accumulator,
	uint32_t not_counted, bool is_certain)
{
	struct rs_tracer *tracer = &thread->tracer;
	if (!tracer->is_used || !*thread->is_here)
		return;
	bool is_async = frame->flags & RS_FRAME_ASYNC;
	const uint64_t *off = frame->flags & RS_FRAME_SWITCHED ? rs_frame_off(thread, frame)->total
							       : NULL;
	const struct rs_frame_work *work = frame->flags & RS_FRAME_WORK
						   ? rs_frame_work(thread, frame)
						   : NULL;
	uint32_t flags = (is_async ? RS_TRACE_ASYNC : 0) | (off || work ? RS_TRACE_MORE : 0);
	const struct rs_frame *below = is_async ? thread->ground : frame->below;
	uint64_t *cell = recent_cell(tracer, rs_trace_next(tracer));
	uint64_t begin = frame->values[0] - tracer->moved;
	uint64_t from = rs_frame_is_measured(below) ? begin - below->values[0] : 0;
	/* The clock of a slow END is an estimate, which may be too large. But a call never ends
	 * before it begins, or before calls within it. */
	uint64_t end = thread->snapshot.values[0];
	end = end > frame->values[0] ? end : frame->values[0];
	tracer->end = end > tracer->end ? end : tracer->end;
	rs_trace_put(cell, RS_TRACE_BEGIN, begin);
	rs_trace_put(cell, RS_TRACE_END, tracer->end - tracer->moved);
	rs_trace_put(cell, RS_TRACE_TIME, accumulator->latest_time);
	rs_trace_put(cell, RS_TRACE_FROM, is_async ? tracer->started_by : from);
	rs_trace_put(cell, RS_TRACE_IDS, rs_trace_ids(thread, region, below->region, flags));
	rs_trace_put(cell, RS_TRACE_NUMBER, rs_trace_next(tracer));
	for (uint32_t e = 0; e < thread->n_events; e++) {
		bool is_counted = !(not_counted >> thread->shape->event_group[e] & 1);
		rs_trace_put(cell, RS_TRACE_EVENTS + e,
			is_counted ? *rs_accumulator_latest(accumulator, 1 + e) >> 1 : UINT64_MAX);
	}
	finish(thread, frame, cell, off, work, is_certain);
}

void rs_trace_note_plain(struct rs_thread *thread, struct rs_frame *frame)
{
	rs_trace_note(thread, frame, frame->region, frame->region->accumulator, 0, false);
}

void rs_trace_note_other(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_thread_region *recorded = thread->interrupted.region;
	if (!thread->tracer.is_used || !recorded || recorded->accumulator->region >= RS_MAX_REGIONS)
		return;
	/* Calls with a context switch have their own accumulator. */
	rs_trace_note(thread, frame, &thread->regions[recorded->accumulator->region],
		recorded->accumulator, thread->tracer.not_counted, true);
}

void rs_trace_note_off(
	struct rs_thread *thread, struct rs_frame *frame, const uint64_t *off, uint64_t now_ticks)
{
	struct rs_tracer *tracer = &thread->tracer;
	if (!tracer->is_used || !*thread->is_here)
		return;
	/* The last marker that found no switch was the latest BEGIN or END. */
	uint64_t since = frame == thread->ground ? 0 : frame->values[0];
	since = tracer->end > since ? tracer->end : since;
	/* A marker can look twice, and the thread was on its CPU when it looked. */
	since = tracer->looked > since ? tracer->looked : since;
	/* The thread may have lost the CPU in that BEGIN, before its clock reading. */
	uint64_t latest = now_ticks - rs_off_sum(off);
	since = latest < since ? latest : since;
	tracer->looked = now_ticks;
	uint64_t *cell = recent_cell(tracer, rs_trace_next(tracer));
	rs_trace_put(cell, RS_TRACE_BEGIN, since);
	rs_trace_put(cell, RS_TRACE_END, now_ticks);
	rs_trace_put(cell, RS_TRACE_TIME, rs_w_of(rs_off_sum(off)));
	rs_trace_put(cell, RS_TRACE_FROM, 0);
	rs_trace_put(cell, RS_TRACE_IDS,
		rs_trace_ids(thread, frame->region, thread->ground->region,
			RS_TRACE_OFF | RS_TRACE_MORE));
	rs_trace_put(cell, RS_TRACE_NUMBER, rs_trace_next(tracer));
	for (uint32_t e = 0; e < thread->n_events; e++)
		rs_trace_put(cell, RS_TRACE_EVENTS + e, UINT64_MAX);
	finish(thread, frame, cell, off, NULL, true);
}

/* ---- the rings of a slot ---- */

bool rs_trace_init(struct rs_runtime *runtime)
{
	if (!runtime->traces)
		return true;
	struct rs_trace_scratch *scratch = rs_chunk_allocate(
		runtime, &runtime->chunks, sizeof(*scratch), false);
	if (!scratch)
		return false;
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		scratch->rules.above[r] = UINT64_MAX;
	runtime->trace_scratch = scratch;
	return true;
}

void rs_trace_detach(struct rs_thread *thread)
{
	struct rs_trace_scratch *scratch = thread->runtime->trace_scratch;
	if (!thread->runtime->traces)
		return;
	thread->tracer = (struct rs_tracer){
		.recent = scratch->cell,
		.shared = &scratch->trace,
		.rules = &scratch->rules,
		.next_sample = UINT64_MAX,
		.cell_words = rs_trace_cell_words(thread->n_events),
	};
}

/* Write a cell into both rings that says that this process writes the next cells. Return false if
 * there is no room. */
static bool write_owner(struct rs_tracer *tracer, uint32_t pid)
{
	struct rs_trace *trace = tracer->shared;
	uint64_t recent = rs_trace_next(tracer);
	uint64_t n = atomic_load_explicit(&trace->n_kept, memory_order_relaxed);
	uint64_t *cells[2] = {recent_cell(tracer, recent), kept_cell(tracer, n)};
	if (atomic_load_explicit(&trace->pid, memory_order_relaxed) == pid)
		return true;
	if (n - atomic_load_explicit(&trace->n_taken, memory_order_acquire) >= RS_TRACE_KEPT) {
		drop(trace, UINT64_MAX, true);
		return false;
	}
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t w = 0; w < RS_TRACE_EVENTS; w++)
			rs_trace_put(cells[i], w, 0);
		rs_trace_put(cells[i], RS_TRACE_IDS, rs_trace_owner(pid));
		rs_trace_put(cells[i], RS_TRACE_NUMBER, recent);
	}
	atomic_store_explicit(&trace->n_recent, recent + 1, memory_order_release);
	atomic_store_explicit(&trace->n_kept, n + 1, memory_order_release);
	atomic_store_explicit(&trace->pid, pid, memory_order_relaxed);
	return true;
}

/* Return the trace of the thread's slot. Make it if there is none; return NULL if memory is
 * refused. The caller holds the lock. */
static struct rs_trace *find_trace(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	struct rs_slot *slot = thread->part.slot;
	uint64_t bytes = rs_trace_bytes(thread->n_events);
	uint64_t end = atomic_load_explicit(&runtime->header->data_end, memory_order_relaxed);
	uint64_t offset = atomic_load_explicit(&slot->trace, memory_order_relaxed);
	bool is_there = offset >= RS_DATA_OFFSET && offset % RS_EXTENT_BYTES == 0 && bytes <= end &&
			offset <= end - bytes;
	if (!is_there)
		offset = rs_memory_take_extents(runtime, bytes);
	else if (!rs_memory_ensure(runtime, offset, bytes))
		offset = 0;
	if (!offset || !rs_memory_ensure(runtime, RS_TRACE_OFFSET, sizeof(struct rs_trace_rules)))
		offset = RS_TRACE_REFUSED;
	/* Release pairs with the launcher's acquire load, after which the rings are there. */
	atomic_store_explicit(&slot->trace, offset, memory_order_release);
	return offset == RS_TRACE_REFUSED ? NULL : rs_at(runtime, offset);
}

void rs_trace_attach(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	struct rs_tracer *tracer = &thread->tracer;
	uint64_t mask;
	if (!runtime->traces)
		return;
	rs_lock(runtime, &mask);
	struct rs_trace *trace = find_trace(thread);
	rs_unlock(runtime, &mask);
	if (!trace) /* The thread stays detached. */
		return;
	uint64_t *cells = (uint64_t *)(void *)(trace + 1);
	*tracer = (struct rs_tracer){
		.recent = cells,
		.kept = cells + RS_TRACE_RECENT * rs_trace_cell_words(thread->n_events),
		.shared = trace,
		.rules = rs_at(runtime, RS_TRACE_OFFSET),
		.recent_mask = RS_TRACE_RECENT - 1,
		.random = thread->random,
		.end = rs_ticks(thread->clock),
		.cell_words = rs_trace_cell_words(thread->n_events),
	};
	if (!write_owner(tracer, thread->part.pid)) {
		rs_trace_detach(thread);
		return;
	}
	tracer->is_used = true;
	choose_sample(thread, rs_trace_next(tracer));
}
