/* SPDX-License-Identifier: MIT */
/* This file reads the rings in which threads record calls (rings.h). */
#include "trace/rings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"

#define SLOTS_AT_ONCE 32u
/* Copy at most this many of the latest cells of a ring of recent calls, because its thread may soon
 * overwrite older cells. */
#define MOST_RECENT (RS_TRACE_RECENT - RS_TRACE_UNSURE)
/* After the run, copy at least the LEAST_LAST last calls of each thread. If a thread records recent
 * calls too fast to copy all of them, copy STRETCH successive calls at a time. */
#define LEAST_LAST UINT64_C(16)
#define STRETCH UINT64_C(512)
/* The copies of recent calls fill rings->recent in about this time. */
#define RECENT_NS 2e9

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static uint64_t cell_bytes(const struct rs_trace_rings *rings)
{
	return rs_trace_cell_words(rings->n_events) * sizeof(uint64_t);
}

bool rs_trace_rings_init(
	struct rs_trace_rings *rings, int fd, uint32_t n_events, enum rs_clock clock)
{
	*rings = (struct rs_trace_rings){
		.fd = fd, .n_events = n_events, .clock = clock, .tick = rs_clock_point_now(clock)};
	rings->first_ticks = rings->tick.ticks;
	/* the kernel adds pages of slots when they are used */
	rings->slots = calloc(RS_MAX_SLOTS, sizeof(*rings->slots));
	rings->cells = malloc(RS_TRACE_KEPT * cell_bytes(rings));
	rings->threads = calloc(RS_TRACE_MOST_THREADS, sizeof(*rings->threads));
	return rings->slots && rings->cells && rings->threads;
}

void rs_trace_rings_finish(struct rs_trace_rings *rings)
{
	free(rings->slots);
	free(rings->threads);
	free(rings->cells);
	*rings = (struct rs_trace_rings){0};
}

/* ---- records ---- */

/* Return true if the cell does not record a call but names the process of the cells after it. */
static bool is_owner(const uint64_t *cell)
{
	return cell[RS_TRACE_IDS] == rs_trace_owner(rs_trace_tid(cell[RS_TRACE_IDS]));
}

/* Read the record at the start of cell[n]. If the record names a process, set *pid. Otherwise it is
 * a call of process *pid: add this call to `into`, unless *pid is 0. Return how many cells the
 * record has, or 0 if memory runs out. */
static uint64_t take_record(struct rs_trace_rings *rings, const uint64_t *cell, uint64_t n,
	uint32_t *pid, uint32_t flag, struct rs_traced_calls *into)
{
	if (is_owner(cell)) {
		*pid = rs_trace_tid(cell[RS_TRACE_IDS]);
		return 1;
	}
	uint64_t ids = cell[RS_TRACE_IDS];
	uint32_t flags = rs_trace_flags(ids), region = rs_trace_region(ids);
	uint64_t n_cells = flags & RS_TRACE_MORE ? 2 : 1;
	bool is_valid = n_cells <= n && cell[RS_TRACE_BEGIN] >= rings->first_ticks &&
			cell[RS_TRACE_END] >= cell[RS_TRACE_BEGIN] &&
			cell[RS_TRACE_END] <= rings->now_ticks &&
			(region < RS_MAX_REGIONS ||
				(flags & RS_TRACE_OFF && region == RS_TRACE_NO_REGION)) &&
			rs_trace_parent(ids) <= RS_TRACE_NO_REGION &&
			(flags & RS_TRACE_ASYNC || cell[RS_TRACE_FROM] <= cell[RS_TRACE_BEGIN]);
	if (!is_valid) {
		rings->n_damaged++;
		return 1;
	}
	if (!*pid)
		return n_cells;
	struct rs_traced_call *call = rs_traced_calls_add(into);
	if (!call)
		return 0;
	call->begin = cell[RS_TRACE_BEGIN];
	call->end = cell[RS_TRACE_END];
	call->time = cell[RS_TRACE_TIME];
	call->from = cell[RS_TRACE_FROM];
	call->number = cell[RS_TRACE_NUMBER];
	call->tid = rs_trace_tid(ids);
	call->pid = *pid;
	call->region = (uint16_t)region;
	call->parent = (uint16_t)rs_trace_parent(ids);
	call->flags = (uint16_t)(flags | flag);
	call->age = (uint16_t)(n - n_cells);
	memcpy(call->events, cell + RS_TRACE_EVENTS, rings->n_events * sizeof(uint64_t));
	if (n_cells > 1)
		memcpy(call->more, cell + rs_trace_cell_words(rings->n_events), sizeof(call->more));
	return n_cells;
}

/* Read the cells from `first` up to `end` - 1 of a ring with n_ring cells. */
static bool read_cells(struct rs_trace_rings *rings, uint64_t offset, uint64_t n_ring,
	uint64_t first, uint64_t end)
{
	char *to = (char *)rings->cells;
	while (first < end) {
		uint64_t place = first & (n_ring - 1);
		uint64_t n = end - first < n_ring - place ? end - first : n_ring - place;
		if (!read_at(rings->fd, to, n * cell_bytes(rings),
			    offset + place * cell_bytes(rings)))
			return false;
		to += n * cell_bytes(rings);
		first += n;
	}
	rings->now_ticks = rs_clock_point_now(rings->clock).ticks;
	return true;
}

static const uint64_t *cell_at(const struct rs_trace_rings *rings, uint64_t i)
{
	return rings->cells + i * rs_trace_cell_words(rings->n_events);
}

/* ---- slots ---- */

/* A function that is called for each slot that has rings. */
typedef void act_on_slot(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, struct rs_traced_calls *into);

static void take_kept(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, struct rs_traced_calls *into)
{
	uint64_t n_kept = trace->n_kept, n = n_kept - known->n_taken;
	uint64_t kept = known->offset + sizeof(*trace) + RS_TRACE_RECENT * cell_bytes(rings);
	if (n > RS_TRACE_KEPT) { /* the program has damaged the count */
		rings->n_damaged++;
		n = known->pid = 0;
	}
	if (!known->pid)
		known->pid = trace->pid;
	rings->is_busy |= n > RS_TRACE_KEPT / 16;
	rings->is_behind |= n > RS_TRACE_KEPT / 2 || trace->n_dropped != known->n_dropped;
	rings->n_dropped += trace->n_dropped - known->n_dropped;
	known->n_dropped = trace->n_dropped;
	rings->n_dropped_slow += trace->n_dropped_slow - known->n_dropped_slow;
	known->n_dropped_slow = trace->n_dropped_slow;
	if (trace->longest_dropped > rings->longest_dropped)
		rings->longest_dropped = trace->longest_dropped;
	if (n > 0 && read_cells(rings, kept, RS_TRACE_KEPT, n_kept - n, n_kept))
		for (uint64_t i = 0, taken; i < n; i += taken) {
			taken = take_record(rings, cell_at(rings, i), n - i, &known->pid, 0, into);
			if (!taken)
				break;
		}
	known->n_taken = n_kept;
	if (n_kept != trace->n_taken &&
		pwrite(rings->fd, &n_kept, sizeof(n_kept),
			(off_t)(known->offset + offsetof(struct rs_trace, n_taken))) < 0)
		rings->is_behind = true;
}

/* From the table of slowest calls, take the records that were not taken yet. */
static void take_slowest(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, struct rs_traced_calls *into)
{
	/* If the thread still runs, its last record is possibly not in the table yet. A record has
	 * at most two cells. */
	uint64_t unsure = rings->is_last ? 0 : 2;
	uint64_t end = trace->n_recent > unsure ? trace->n_recent - unsure : 0;
	uint64_t bytes = 2 * RS_TRACE_SLOWEST * cell_bytes(rings);
	uint64_t from = known->offset + sizeof(*trace) +
			(RS_TRACE_RECENT + RS_TRACE_KEPT) * cell_bytes(rings);
	if (trace->slowest_end <= known->slowest_taken ||
		!read_at(rings->fd, rings->cells, bytes, from))
		return;
	/* Pairs with the fences of the thread, which writes the sequence number of a record first
	 * and last. If a second reading finds a record unchanged, the first one found it
	 * complete. */
	atomic_thread_fence(memory_order_acquire);
	if (!read_at(rings->fd, (char *)rings->cells + bytes, bytes, from))
		return;
	rings->now_ticks = rs_clock_point_now(rings->clock).ticks;
	for (uint64_t i = 0; i < 2 * RS_TRACE_SLOWEST; i += 2) {
		const uint64_t *cell = cell_at(rings, i);
		uint64_t number = cell[RS_TRACE_NUMBER];
		bool is_same = memcmp(cell, cell_at(rings, 2 * RS_TRACE_SLOWEST + i),
				       2 * cell_bytes(rings)) == 0;
		uint32_t pid = (uint32_t)cell_at(rings, i + 1)[RS_TRACE_MORE_N];
		if (cell[RS_TRACE_TIME] && is_same && number >= known->slowest_taken &&
			number < end && !take_record(rings, cell, 2, &pid, 0, into))
			return;
	}
	known->slowest_taken = end;
	if (pwrite(rings->fd, &end, sizeof(end),
		    (off_t)(known->offset + offsetof(struct rs_trace, slowest_taken))) < 0)
		rings->is_behind = true;
}

/* Return the process of the cells from `first` up to n - 1, or 0 if they may belong to several
 * processes. */
static uint32_t find_owner(const struct rs_trace_rings *rings, uint64_t first, uint64_t n,
	const struct rs_trace *trace)
{
	for (uint64_t i = first; i < n; i++) {
		const uint64_t *cell = cell_at(rings, i - first);
		if (cell[RS_TRACE_NUMBER] == i && is_owner(cell))
			return 0;
	}
	return trace->pid;
}

/* Add the time in which calls of a thread are missing: from the end of the latest copied call to
 * the end of the call in a cell. Return false if the cell contains no valid call. */
static bool add_gap(const struct rs_trace_rings *rings, const struct rs_traced_slot *known,
	const uint64_t *cell, uint32_t pid, struct rs_traced_calls *into)
{
	uint64_t end = cell[RS_TRACE_END];
	bool is_later = end > known->recent_end && end <= rings->now_ticks;
	struct rs_traced_call *gap = is_later ? rs_traced_calls_add(into) : NULL;
	if (!gap)
		return false;
	gap->begin = known->recent_end;
	gap->end = end;
	gap->number = UINT64_MAX;
	gap->tid = rs_trace_tid(cell[RS_TRACE_IDS]);
	gap->pid = pid;
	gap->region = gap->parent = RS_TRACE_NO_REGION;
	gap->flags = RS_TRACE_OFF | RS_TRACED_RECENT | RS_TRACED_GAP;
	return true;
}

static void copy_recent(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, uint64_t n_cells, uint32_t flags,
	struct rs_traced_calls *into)
{
	uint64_t n = trace->n_recent, first = n > n_cells ? n - n_cells : 0, taken;
	struct rs_trace later;
	if (!read_cells(rings, known->offset + sizeof(*trace), RS_TRACE_RECENT, first, n) ||
		!read_at(rings->fd, &later, sizeof(later), known->offset) ||
		later.pid != trace->pid)
		return;
	/* The thread may have overwritten the oldest cells during the copy. */
	uint64_t sure = later.n_recent > MOST_RECENT ? later.n_recent - MOST_RECENT : 0;
	uint64_t i = first > sure ? first : sure, end = known->recent_end;
	uint32_t pid = find_owner(rings, first, n, trace);
	bool has_gap = rings->recent && i > known->n_recent;
	for (; i < n; i += taken) {
		const uint64_t *cell = cell_at(rings, i - first);
		taken = 1;
		if (cell[RS_TRACE_NUMBER] != i) /* the second cell of a record */
			continue;
		has_gap = has_gap && !add_gap(rings, known, cell, pid, into);
		taken = take_record(rings, cell, n - i, &pid, flags, into);
		if (!taken)
			return;
		end = cell[RS_TRACE_END] > end ? cell[RS_TRACE_END] : end;
	}
	known->n_recent = n;
	known->recent_end = end;
}

/* Take the kept calls, and copy recent calls. If there are too many recent calls, copy STRETCH of
 * them each time that known->most_recent has grown to STRETCH. */
static void take(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, struct rs_traced_calls *into)
{
	uint64_t n = trace->n_recent - known->n_recent, most = known->most_recent + rings->share;
	most = most < MOST_RECENT ? most : MOST_RECENT;
	if (rings->recent) {
		uint64_t n_copied = n <= most ? n : most >= STRETCH ? STRETCH : 0;
		if (n_copied > 0)
			copy_recent(rings, known, trace, n_copied, RS_TRACED_RECENT, rings->recent);
		most -= n_copied;
	} else {
		known->n_recent = trace->n_recent;
		known->recent_end = rings->tick.ticks;
	}
	known->most_recent = most;
	rings->n_running += n > 0;
	take_kept(rings, known, trace, into);
	take_slowest(rings, known, trace, into);
}

static void copy_last(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_trace *trace, struct rs_traced_calls *into)
{
	copy_recent(rings, known, trace, rings->share, RS_TRACED_RECENT | RS_TRACED_LAST, into);
}

/* Return true if the rings at this offset overlap the rings of another slot, because the program
 * has damaged an offset. */
static bool is_taken(
	const struct rs_trace_rings *rings, const struct rs_traced_slot *known, uint64_t offset)
{
	uint64_t bytes = rs_trace_bytes(rings->n_events);
	for (size_t i = 0; i < rings->n_slots; i++) {
		const struct rs_traced_slot *other = &rings->slots[i];
		if (other != known && other->offset && other->offset < offset + bytes &&
			offset < other->offset + bytes)
			return true;
	}
	return false;
}

static void act_on(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_slot *slot, struct rs_traced_calls *into, act_on_slot *act)
{
	struct rs_trace trace;
	uint64_t offset = atomic_load_explicit(&slot->trace, memory_order_relaxed);
	rings->is_refused |= offset == RS_TRACE_REFUSED;
	if (offset < RS_DATA_OFFSET || offset % RS_EXTENT_BYTES != 0 ||
		offset > RS_SEGMENT_BYTES - rs_trace_bytes(rings->n_events) ||
		!read_at(rings->fd, &trace, sizeof(trace), offset))
		return;
	if (offset != known->offset && is_taken(rings, known, offset))
		return;
	if (offset != known->offset)
		*known = (struct rs_traced_slot){.offset = offset, .recent_end = rings->tick.ticks};
	rs_trace_note_thread(rings, known, slot, trace.pid);
	act(rings, known, &trace, into);
}

static void for_each_slot(struct rs_trace_rings *rings, struct rs_traced_calls *into,
	act_on_slot *act, uint64_t most_ns)
{
	struct rs_slot slots[SLOTS_AT_ONCE];
	int64_t begin_ns = rs_now_ns(CLOCK_MONOTONIC);
	uint32_t n = 0;
	if (!read_at(rings->fd, &n, sizeof(n), offsetof(struct rs_segment_header, n_slots)))
		return;
	n = n < RS_MAX_SLOTS ? n : RS_MAX_SLOTS;
	rings->checked = UINT32_MAX;
	rings->is_last = most_ns == UINT64_MAX;
	rings->checks = begin_ns >= rings->check_ns || rings->is_last;
	rings->check_ns = begin_ns > rings->check_ns ? begin_ns : rings->check_ns;
	rings->n_slots = n > rings->n_slots ? n : rings->n_slots;
	for (uint32_t done = 0; done < n; done++) {
		uint32_t i = rings->next_slot < n ? rings->next_slot : 0, place = i % SLOTS_AT_ONCE;
		uint64_t offset = RS_SLOTS_OFFSET + (uint64_t)(i - place) * sizeof(struct rs_slot);
		if (done > 0 && (uint64_t)(rs_now_ns(CLOCK_MONOTONIC) - begin_ns) >= most_ns) {
			rings->is_behind = true;
			return;
		}
		if ((done == 0 || place == 0) && !read_at(rings->fd, slots, sizeof(slots), offset))
			return;
		act_on(rings, &rings->slots[i], &slots[place], into, act);
		rings->next_slot = i + 1;
	}
}
static_assert(RS_MAX_SLOTS % SLOTS_AT_ONCE == 0, "only whole groups are read");

void rs_trace_rings_take(
	struct rs_trace_rings *rings, struct rs_traced_calls *into, uint64_t most_ns)
{
	struct rs_clock_point now = rs_clock_point_now(rings->clock);
	double share = (double)(now.monotonic_ns - rings->tick.monotonic_ns) / RECENT_NS;
	share *= rings->recent ? (double)rings->recent->most : 0;
	share /= rings->n_running > 0 ? (double)rings->n_running : 1;
	rings->share = share < (double)MOST_RECENT ? (uint64_t)share : MOST_RECENT;
	rings->n_running = 0;
	rings->is_behind = rings->is_busy = false;
	for_each_slot(rings, into, take, most_ns);
	rings->tick = now;
}

void rs_trace_rings_copy_last(
	struct rs_trace_rings *rings, struct rs_traced_calls *into, size_t most)
{
	uint64_t share = most / (rings->n_slots + 1);
	rings->share = share < LEAST_LAST ? LEAST_LAST : share < MOST_RECENT ? share : MOST_RECENT;
	for_each_slot(rings, into, copy_last, UINT64_MAX);
}
