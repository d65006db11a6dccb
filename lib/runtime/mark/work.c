/* SPDX-License-Identifier: MIT */
/*
 * WORK: bytes and operations that an open call has done. In come the numbers; they are added up in
 * the call's entry, whose END leaves the fast path from then on, and go from there into the cell, in
 * the step that counts the call (struct rs_work). So a program without WORK has no cost of it. A call
 * with nothing else to it ends here as on the fast path (path.h), only later.
 */
#include "runtime/mark/work.h"

#include <string.h>

#include "runtime/mark/path.h"

/* ---- in an entry ---- */

RS_INLINE void add_to_entry(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t bytes, uint64_t flops)
{
	struct rs_entry_work *work = rs_entry_work(thread, entry);
	bool is_first = !(entry->apart & RS_APART_WORK);
	entry->apart |= RS_APART_WORK;
	/* atomic, since another thread may stop an asynchronous call; one writer */
	__atomic_store_n(
		&work->bytes, rs_work_add(is_first ? 0 : work->bytes, bytes), __ATOMIC_RELAXED);
	__atomic_store_n(
		&work->flops, rs_work_add(is_first ? 0 : work->flops, flops), __ATOMIC_RELAXED);
}

void rs_entry_work_add(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t bytes, uint64_t flops)
{
	add_to_entry(thread, entry, bytes, flops);
}

/* Of the asynchronous calls of a region that the thread started, and that nobody has stopped, the
 * latest. */
static struct rs_entry *find_async(struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_entry *ring = thread->async;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = ring->below; entry != ring && n--; entry = entry->below)
		if (entry->region == region &&
			atomic_load_explicit(&entry->unstopped, memory_order_relaxed))
			return entry;
	return NULL;
}

/* ---- in a cell ---- */

static struct rs_work *work_at(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t offset = region->table ? (uint64_t)region->table[0].work * RS_OFFSET_UNIT : 0;
	return offset ? (void *)(thread->base + offset) : NULL;
}

/* Made if need be; NULL without memory. */
static struct rs_work *ready_work(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t *work = &region->table[0].work;
	if (!*work) {
		uint64_t offset = rs_memory_take(thread, sizeof(struct rs_work));
		if (!offset)
			return NULL;
		*work = (uint32_t)(offset / RS_OFFSET_UNIT);
		/* pairs with the acquire load of whoever reads the cell */
		atomic_store_explicit(&region->cell->work, *work, memory_order_release);
	}
	return work_at(thread, region);
}

/* The ENDs that a cell has counted. */
static uint64_t ends_of(const struct rs_cell *cell)
{
	return rs_cell_calls(atomic_load_explicit(&cell->calls_word, memory_order_relaxed)) +
	       atomic_load_explicit(&cell->skipped, memory_order_relaxed);
}

/* The index of the region that calls of another have which told of so much, or of that one: what
 * the thread knows of works that come again saves it their names. */
static uint32_t find_apart(struct rs_thread *thread, uint32_t own, const struct rs_entry_work *told)
{
	uint64_t hash = (own ^ told->bytes * 31 ^ told->flops) * UINT64_C(0x9e3779b97f4a7c15);
	struct rs_known_work *known = &thread->known_works[hash >> 61];
	static_assert(RS_KNOWN_WORKS == 1u << (64 - 61), "works are numbered by the highest bits");
	if (own && known->region == own && known->bytes == told->bytes &&
		known->flops == told->flops)
		return known->apart;
	uint32_t apart = rs_region_of_work(thread->runtime, own, told->bytes, told->flops);
	if (apart == own)
		return own; /* there may be room another time */
	/* whoever jumps out of here leaves none that is half another's */
	*(volatile uint32_t *)&known->region = 0;
	atomic_signal_fence(memory_order_seq_cst);
	*known = (struct rs_known_work){0, apart, told->bytes, told->flops};
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint32_t *)&known->region = own;
	return apart;
}

struct rs_thread_region *rs_work_region(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_thread_region *region = entry->region;
	if (!(entry->apart & RS_APART_WORK) || !thread->runtime->by_work)
		return region;
	const struct rs_entry_work *told = rs_entry_work(thread, entry);
	uint32_t own = rs_region_of(thread, region);
	uint32_t index = find_apart(thread, own, told);
	struct rs_thread_region *apart = index == own ? NULL : rs_ready_region(thread, index);
	thread->last_work = apart;
	if (apart)
		rs_cell_count_thread(apart);
	return apart ? apart : region;
}

static inline void add_work(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	const struct rs_entry_work *told = rs_entry_work(thread, entry);
	struct rs_work *work = ready_work(thread, region);
	if (!work)
		return;
	uint64_t ends = ends_of(region->cell);
	uint32_t current = rs_work_current(work, ends);
	const struct rs_work_sums *before = &work->copies[current];
	struct rs_work_sums *after = &work->copies[!current];
	after->calls = before->calls + 1;
	after->bytes = rs_work_add(before->bytes, told->bytes);
	after->flops = rs_work_add(before->flops, told->flops);
	after->stamp = ends + 1;
	atomic_signal_fence(memory_order_seq_cst); /* before what makes it current */
}

void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry)
{
	if (entry->apart & RS_APART_WORK)
		add_work(thread, region, entry);
}

/* n_events: of the thread, or 0 as a constant where it has none. */
RS_INLINE bool end_told(struct rs_thread *thread, struct rs_entry *entry, uint32_t n_events)
{
	uint64_t fixed[1], *deltas = RS_ROOM(n_events, fixed, thread->room.deltas);
	bool samples = thread->runtime->samples, has_nested = entry->direct;
	struct rs_thread_region *region = entry->region;
	if (RS_UNLIKELY(thread->runtime->by_work))
		region = rs_work_region(thread, entry);
	add_work(thread, region, entry);
	rs_record_used(entry, thread->now, deltas, n_events);
	if (!rs_record(thread, region, entry, region->cell, deltas, false, has_nested, deltas,
		    n_events, samples)) {
		/* it may be no call after all, where another thread pauses counting just now */
		rs_work_repair(thread, region);
		return false;
	}
	rs_entry_close(thread, entry, entry->region, entry->region->cell);
	entry->apart = 0;
	hand_over(thread, entry, entry->region, deltas, false, has_nested, n_events, samples);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_entry_charge(thread, entry->below, m, thread->cost->work[m]);
	rs_leave(thread);
	return true;
}

bool rs_work_end(struct rs_thread *thread, struct rs_entry *entry)
{
	uint32_t n_events = thread->n_events;
	if (thread->n_reads || rs_record_differs(thread, entry, thread->now_off, thread->sequence,
				       thread->n_groups))
		return false;
	return n_events ? end_told(thread, entry, n_events) : end_told(thread, entry, 0);
}

void rs_work_repair(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_work *work = work_at(thread, region);
	for (uint32_t copy = 0; work && copy < 2; copy++)
		if (work->copies[copy].stamp > ends_of(region->cell))
			memset(&work->copies[copy], 0, sizeof(work->copies[copy]));
}

static void count_unmatched(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_work *work = ready_work(thread, region);
	if (work)
		atomic_store_explicit(&work->unmatched,
			atomic_load_explicit(&work->unmatched, memory_order_relaxed) + 1,
			memory_order_relaxed);
}

/* ---- the markers ---- */

/* Not of a region that is known to be open. What is looked up here, and memory that is touched for
 * the first time, is charged to nobody. */
static void add_slowly(struct rs_thread *thread, struct regionstat_site_ *site, const char *name,
	uint64_t bytes, uint64_t flops)
{
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site, name);
	struct rs_entry *entry = region ? region->innermost : NULL;
	if (region && !entry)
		entry = find_async(thread, region);
	if (entry)
		rs_entry_work_add(thread, entry, bytes, flops);
	else if (region && !(rs_control(thread) & RS_CONTROL_PAUSED))
		count_unmatched(thread, region);
	rs_slow_end(thread, region ? region->cell : NULL, thread->cost->inside, NULL);
}

void rs_work_site(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops)
{
	uintptr_t stack = RS_STACK;
	if (rs_site_is_left_out(site))
		return;
	struct rs_thread *thread = rs_enter(rs_self, stack);
	if (RS_UNLIKELY(!thread) &&
		(rs_site_find_left_out(site) || !(thread = rs_enter_slowly(stack))))
		return;
	struct rs_entry *entry = rs_site_region(thread, site)->innermost;
	if (RS_LIKELY(entry))
		add_to_entry(thread, entry, bytes, flops);
	else
		add_slowly(thread, site, NULL, bytes, flops);
	rs_leave(thread);
}

void rs_work_name(const char *name, uint64_t bytes, uint64_t flops)
{
	struct rs_thread *thread;
	if (rs_name_is_left_out(name) || !(thread = rs_enter_slowly(RS_STACK)))
		return;
	add_slowly(thread, NULL, name, bytes, flops);
	rs_leave(thread);
}
