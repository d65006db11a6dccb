/* SPDX-License-Identifier: MIT */
/*
 * Bytes and operations of calls, see work.h. The store that counts a call also makes its work part
 * of the accumulator. So after a kill, both the call and its work count, or neither does (struct
 * rs_work).
 */
#include "runtime/calls/work.h"

#include <string.h>

#include "runtime/calls/sample.h"

static struct rs_work *work_at(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t offset = (uint64_t)region->work * RS_OFFSET_UNIT;
	return offset ? (void *)(thread->base + offset) : NULL;
}

/* Return the region's struct rs_work, and make it if necessary. Return NULL if memory runs out. */
static struct rs_work *ready_work(struct rs_thread *thread, struct rs_thread_region *region)
{
	if (!region->work) {
		uint64_t offset = rs_memory_take(thread, sizeof(struct rs_work), RS_OFFSET_UNIT);
		if (!offset)
			return NULL;
		uint32_t work = (uint32_t)(offset / RS_OFFSET_UNIT);
		/* Release pairs with the acquire load of the accumulator's readers. */
		atomic_store_explicit(&region->accumulator->work, work, memory_order_release);
		/* Store this last: if a handler jumps out before, the next WORK does it all. */
		atomic_signal_fence(memory_order_seq_cst);
		region->work = work;
	}
	return work_at(thread, region);
}

/* Return true if the work of each single call is needed: --by-work gives it its own row, and traces
 * show it. */
static bool needs_each(const struct rs_runtime *runtime)
{
	return runtime->by_work || runtime->traces;
}

bool rs_work_put(struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops)
{
	struct rs_thread_region *region = frame->region;
	struct rs_work *work = work_at(thread, region);
	if (!rs_work_is_simple(frame) || needs_each(thread->runtime)) {
		if (region->worked)
			rs_work_withdraw(thread, region);
		rs_frame_work_add(thread, frame, bytes, flops);
		return true;
	}
	if (!work)
		return false;
	if (!region->worked)
		region->worked =
			&work->copies[rs_work_current(work, rs_work_ends(region->accumulator))];
	rs_work_note(region, bytes, flops);
	return true;
}

void rs_work_put_first(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops)
{
	if (!rs_work_put(thread, frame, bytes, flops) && ready_work(thread, frame->region))
		rs_work_put(thread, frame, bytes, flops);
}

/* Return the index of the region that records calls of region `own` with this work, or `own` if no
 * region can be made. The thread caches the latest results, because making a name takes long. */
static uint32_t find_apart(
	struct rs_thread *thread, uint32_t own, const struct rs_frame_work *reported)
{
	uint64_t hash = (own ^ reported->bytes * 31 ^ reported->flops) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct rs_known_work *known = &thread->known.works[hash >> 61];
	static_assert(RS_KNOWN_WORKS == 1u << (64 - 61), "works are numbered by the highest bits");
	if (own && known->region == own && known->bytes == reported->bytes &&
		known->flops == reported->flops)
		return known->by_work;
	uint32_t apart = rs_region_of_work(thread->runtime, own, reported->bytes, reported->flops);
	if (apart == own)
		return own; /* Do not cache this, because a region may be made later. */
	/* Empty the element first, so that a handler that jumps out leaves no half-written one. */
	*(volatile uint32_t *)&known->region = 0;
	atomic_signal_fence(memory_order_seq_cst);
	*known = (struct rs_known_work){0, apart, reported->bytes, reported->flops};
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint32_t *)&known->region = own;
	return apart;
}

struct rs_thread_region *rs_work_apart(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_thread_region *region = frame->region;
	const struct rs_frame_work *reported = rs_frame_work(thread, frame);
	uint32_t own = rs_region_of(thread, region);
	uint32_t index = find_apart(thread, own, reported);
	struct rs_thread_region *apart = index == own ? NULL : rs_ready_region(thread, index);
	thread->interrupted.of_work = apart;
	if (apart)
		rs_accumulator_count_thread(apart);
	return apart ? apart : region;
}

void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_frame *frame)
{
	const struct rs_frame_work *reported = rs_frame_work(thread, frame);
	struct rs_work *work = frame->flags & RS_FRAME_WORK ? ready_work(thread, region) : NULL;
	if (!work)
		return;
	uint64_t ends = rs_work_ends(region->accumulator);
	uint32_t current = rs_work_current(work, ends);
	const struct rs_work_sums *before = &work->copies[current];
	struct rs_work_sums *after = &work->copies[!current];
	region->worked = NULL;
	after->calls = before->calls + 1;
	after->bytes = rs_work_add(before->bytes, reported->bytes);
	after->flops = rs_work_add(before->flops, reported->flops);
	after->stamp = ends + 1;
	/* Do this before calls_word counts the call, which makes this copy current. */
	atomic_signal_fence(memory_order_seq_cst);
}

/* Move the work that `later` has in addition to `sums` to the region's outermost call. */
static void move_to_frame(struct rs_thread *thread, const struct rs_thread_region *region,
	const struct rs_work_sums *sums, const struct rs_work_sums *later)
{
	struct rs_frame *frame = region->innermost;
	for (uint32_t n = rs_most_steps(thread); frame && frame->outer && n; n--)
		frame = frame->outer;
	/* A jump out of an earlier withdrawal may have left the work in both places. */
	if (!frame || frame->flags & RS_FRAME_WORK)
		return;
	struct rs_frame_work *work = rs_frame_work(thread, frame);
	work->bytes = later->bytes - sums->bytes;
	work->flops = later->flops - sums->flops;
	atomic_signal_fence(memory_order_seq_cst);
	rs_frame_set_flag(frame, RS_FRAME_WORK);
	atomic_signal_fence(memory_order_seq_cst);
}

void rs_work_withdraw(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_work *work = work_at(thread, region);
	if (!work)
		return;
	uint64_t ends = rs_work_ends(region->accumulator);
	uint32_t current = rs_work_current(work, ends);
	struct rs_work_sums *sums = &work->copies[current], *later = &work->copies[!current];
	bool is_pending = later->stamp > ends;
	if (is_pending && region->worked == later)
		move_to_frame(thread, region, sums, later);
	/* If a handler jumps out in between, the next withdrawal does the rest. */
	region->worked = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	if (is_pending)
		later->stamp = 0;
}

void rs_work_count_unmatched(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_work *work = ready_work(thread, region);
	if (work)
		rs_count(&work->unmatched, 1);
}
