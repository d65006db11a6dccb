/*
 * The plain case of BEGIN, END and NEXT: the path that every call of a region takes, kept short and
 * free of system calls but for the reading of counters by read(). marker.c makes the markers of it,
 * for several numbers of events; what is not plain is said by an outcome, and done elsewhere
 * (marker_slow.c): so the path itself keeps nothing across a call.
 *
 * The order matters: bookkeeping, counters, clock at BEGIN; clock, counters, bookkeeping at END.
 * So a region's time holds no reading of counters, and its counts hold no bookkeeping.
 */
#ifndef RS_RUNTIME_MARKER_H
#define RS_RUNTIME_MARKER_H

#include "runtime/mark/record.h"
#include "runtime/mark/sample.h"
#include "runtime/process/self.h"
#include "runtime/count/snapshot.h"

/* A site's mark, 0 when its name has to be looked up; and the region that it stands for. */
RS_INLINE uint64_t rs_site_mark(const struct regionstat_site_ *site)
{
	/* every thread that looks a site up stores the same mark */
	return rs_load_32(&site->region);
}

RS_INLINE struct rs_thread_region *rs_marked_region(const struct rs_thread *thread, uint64_t mark)
{
	return (struct rs_thread_region *)(void *)(thread->marked + mark);
}

/* What has become of a marker. */
enum rs_outcome {
	RS_OUTCOME_DONE,
	RS_OUTCOME_NOTHING, /* a BEGIN: paused, or too many calls are open */
	RS_OUTCOME_UNREADY, /* a BEGIN: the region is not ready */
	RS_OUTCOME_APART, /* an END or NEXT: not of the topmost call, or of one that is not plain */
	RS_OUTCOME_OFF, /* a group is off the PMU, or not read in user space */
	RS_OUTCOME_OTHER, /* an END: the call is not plain; its snapshot is in thread->now */
	RS_OUTCOME_RENEW /* a page of an event has changed: another look, and start over */
};

/* ---- marker_slow.c ---- */

/* Do what a BEGIN or an END could not do at once, and leave the thread. True: start over. */
bool rs_begin_otherwise(struct rs_thread *thread, struct rs_begin begin, enum rs_outcome outcome);
bool rs_end_otherwise(
	struct rs_thread *thread, struct rs_thread_region *region, enum rs_outcome outcome);
bool rs_next_otherwise(struct rs_thread *thread, struct rs_thread_region *ended,
	struct rs_begin begin, enum rs_outcome outcome) RS_COLD;

/* A whole BEGIN, and END, whatever it takes, where the thread is entered already; an END may have
 * its snapshot in thread->now. */
void rs_begin_whole(struct rs_thread *thread, struct rs_begin begin);
void rs_end_whole(struct rs_thread *thread, struct rs_thread_region *region, bool has_snapshot);

/* The snapshot of an END into thread->now. */
void rs_take_end(struct rs_thread *thread);

/* ---- BEGIN ---- */

/* Whether a call of a region may begin and be measured, or cannot because of what the thread is up
 * to: none is open. */
RS_INLINE bool rs_is_ready(const struct rs_thread_region *region, bool samples)
{
	return RS_LIKELY(samples ? region->turn > 0 : region->turn == 1);
}

/* The frame of a region that is ready, but for its snapshot; NULL when there is to be none. */
RS_INLINE struct rs_frame *rs_open_frame(struct rs_thread *thread, struct rs_begin begin,
	uint32_t n_events, uint32_t n_groups, bool samples)
{
	struct rs_frame *frame = thread->top;
	uint64_t word = rs_control(thread);
	if (RS_UNLIKELY(word & RS_CONTROL_PAUSED) || RS_UNLIKELY(frame == thread->last))
		return NULL;
	frame->control = word;
	frame->tag = (uintptr_t)begin.region;
	frame->stack = begin.stack;
	frame->caller = begin.caller;
	frame->site = begin.site;
	if (n_groups) {
		frame->sequence = thread->sequence;
		frame->off = 0;
	}
	if (samples)
		frame->weight = begin.region->sample_calls;
	begin.region->turn = -1;
	rs_store_32((uint32_t *)(void *)&begin.region->cell->open, 1);
	thread->top = (void *)((char *)frame + rs_frame_bytes(n_events, n_groups));
	return frame;
}

RS_INLINE enum rs_outcome rs_begin_region(struct rs_thread *thread, struct rs_begin begin,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	uint32_t off;
	if (samples && rs_skips(thread, begin.region)) {
		rs_skip_begin(thread, begin, n_events, n_groups);
		rs_leave(thread);
		return RS_OUTCOME_DONE;
	}
	if (RS_UNLIKELY(!rs_is_ready(begin.region, samples)))
		return RS_OUTCOME_UNREADY;
	struct rs_frame *frame = rs_open_frame(thread, begin, n_events, n_groups, samples);
	if (RS_UNLIKELY(!frame))
		return RS_OUTCOME_NOTHING;
	struct rs_group_time *times = (void *)((char *)frame + rs_frame_times_offset(n_events));
	rs_snapshot_fence(thread, n_events);
	enum rs_snapshot snapshot = rs_snapshot_events(
		thread, frame->values, times, &off, n_events);
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_OFF))
		return RS_OUTCOME_OFF;
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_CHANGED))
		return RS_OUTCOME_RENEW;
	if (RS_UNLIKELY(off))
		rs_frame_set_off(thread, frame, off);
	frame->values[0] = rs_ticks(clock) + thread->adjust[0];
	rs_leave(thread);
	return RS_OUTCOME_DONE;
}

/* ---- END ---- */

/* What a call that ends leaves for the one around it: what it used, and what its markers cost. */
RS_INLINE void rs_pay(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas,
	const uint64_t *cost, uint32_t n_events, uint32_t n_groups, bool samples)
{
	uint64_t *around = (uint64_t *)(void *)((char *)(frame->values + 1 + n_events) -
						rs_frame_bytes(n_events, n_groups));
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		around[m] += samples ? deltas[m] * frame->weight : deltas[m];
		if (cost)
			thread->adjust[m] -= cost[m];
	}
}

/* The topmost frame, of a call that has been recorded, is no more. */
RS_INLINE void rs_close_frame(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, struct rs_cell *cell, bool samples)
{
	rs_store_32((uint32_t *)(void *)&cell->open, 0);
	region->turn = samples ? rs_draw_turn(thread, region->sample_calls) : 1;
	thread->top = frame;
}

/* Whether groups by read() were on the PMU all the time, as far as their times tell. */
RS_INLINE uint64_t rs_read_differs(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events, uint32_t n_groups)
{
	if (__builtin_constant_p(n_groups) || !thread->n_reads)
		return 0;
	const struct rs_group_time *begin =
		(const void *)((char *)frame + rs_frame_times_offset(n_events));
	const struct rs_group_time *end = thread->now_times;
	uint64_t differs = 0;
	for (uint32_t g = 0; g < n_groups; g++)
		if (thread->groups[g].mode == RS_GROUP_READ)
			differs |= (begin[g].enabled_ns - begin[g].running_ns) ^
				   (end[g].enabled_ns - end[g].running_ns);
	return differs;
}

/* What keeps the call of the topmost frame from being plain; 0 when it is, as far as that goes. */
RS_INLINE uint64_t rs_frame_differs(struct rs_thread *thread, struct rs_frame *frame, uint32_t off,
	uint32_t n_events, uint32_t n_groups)
{
	uint64_t differs = 0;
	if (n_groups)
		differs = off | (frame->sequence ^ thread->sequence) |
			  rs_read_differs(thread, frame, n_events, n_groups);
	return differs;
}

/* Room for a snapshot: the thread's own, where the number of events is not a constant. */
#define RS_SNAPSHOT_ROOM(thread, n_events, room) \
	(__builtin_constant_p(n_events) ? (room) : (thread)->now)

/* Record the call of the topmost frame as ending now; when this is OTHER, the snapshot is in
 * thread->now. */
RS_INLINE enum rs_outcome rs_record_end(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_cell *cell, uint32_t clock, uint64_t *deltas, uint32_t n_events,
	uint32_t n_groups)
{
	uint64_t room[1 + RS_FIXED_EVENTS], *now = RS_SNAPSHOT_ROOM(thread, n_events, room);
	uint32_t off;
	rs_snapshot_fence(thread, n_events);
	now[0] = rs_ticks(clock) + thread->adjust[0];
	enum rs_snapshot snapshot = rs_snapshot_events(
		thread, now, thread->now_times, &off, n_events);
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_OFF))
		return RS_OUTCOME_OFF;
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_CHANGED))
		return RS_OUTCOME_RENEW;
	uint64_t differs = rs_frame_differs(thread, frame, off, n_events, n_groups);
	if (RS_LIKELY(frame->control == rs_control(thread)) &&
		RS_LIKELY(rs_record(thread, frame, cell, now, thread->cost->inside[RS_EDGE_PLAIN],
			differs, deltas, n_events, n_groups)))
		return RS_OUTCOME_DONE;
	for (uint32_t m = 0; now == room && m <= n_events; m++)
		thread->now[m] = room[m];
	thread->now_off = off;
	return RS_OUTCOME_OTHER;
}

RS_INLINE enum rs_outcome rs_end_region(struct rs_thread *thread, struct rs_thread_region *region,
	uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_frame *frame = (void *)((char *)thread->top - rs_frame_bytes(n_events, n_groups));
	uint64_t deltas[1 + RS_MAX_EVENTS];
	if (RS_UNLIKELY(frame->tag != (uintptr_t)region))
		return RS_OUTCOME_APART;
	struct rs_cell *cell = region->cell;
	enum rs_outcome outcome = rs_record_end(
		thread, frame, cell, clock, deltas, n_events, n_groups);
	if (RS_UNLIKELY(outcome))
		return outcome;
	rs_close_frame(thread, frame, region, cell, samples);
	/* the frame below the first is of no region */
	const struct rs_frame *below =
		(const void *)((char *)frame - rs_frame_bytes(n_events, n_groups));
	if (below->tag)
		rs_pay(thread, frame, deltas, thread->cost->pair, n_events, n_groups, samples);
	rs_leave(thread);
	return RS_OUTCOME_DONE;
}

/* ---- NEXT ---- */

/* The frame of a region that begins with the snapshot in thread->now. */
RS_INLINE void rs_begin_shared(struct rs_thread *thread, struct rs_begin begin, uint32_t n_events,
	uint32_t n_groups, bool samples)
{
	while (RS_UNLIKELY(!rs_is_ready(begin.region, samples)))
		if (rs_begin_unready(thread, begin.region, begin.site, begin.stack, begin.caller,
			    RS_SLOW_BIND_NEXT))
			return;
	if (samples && rs_skips(thread, begin.region)) {
		rs_skip_begin(thread, begin, n_events, n_groups);
		return;
	}
	struct rs_frame *frame = rs_open_frame(thread, begin, n_events, n_groups, samples);
	if (RS_UNLIKELY(!frame)) {
		rs_begin_nothing(thread, begin.region, begin.site, begin.stack, begin.caller);
		return;
	}
	struct rs_group_time *times = (void *)((char *)frame + rs_frame_times_offset(n_events));
	for (uint32_t g = 0; thread->n_reads && g < n_groups; g++)
		times[g] = thread->now_times[g];
	if (RS_UNLIKELY(thread->now_off)) /* of groups in user space, so after that */
		rs_frame_set_off(thread, frame, thread->now_off);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		frame->values[m] = thread->now[m] + thread->cost->share[m];
}

/* Record the call of the topmost frame as ending now; the snapshot stays in thread->now for the one
 * that begins. */
RS_INLINE enum rs_outcome rs_record_next(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_cell *cell, uint32_t clock, uint64_t *deltas, uint32_t n_events,
	uint32_t n_groups)
{
	rs_snapshot_fence(thread, n_events);
	thread->now[0] = rs_ticks(clock) + thread->adjust[0];
	enum rs_snapshot snapshot = rs_snapshot_events(
		thread, thread->now, thread->now_times, &thread->now_off, n_events);
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_OFF) &&
		!rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
		return RS_OUTCOME_RENEW;
	if (RS_UNLIKELY(snapshot == RS_SNAPSHOT_CHANGED))
		return RS_OUTCOME_RENEW;
	uint64_t differs = rs_frame_differs(thread, frame, thread->now_off, n_events, n_groups);
	differs |= snapshot == RS_SNAPSHOT_OFF; /* read() may tell otherwise */
	if (RS_LIKELY(frame->control == rs_control(thread)) &&
		RS_LIKELY(rs_record(thread, frame, cell, thread->now,
			thread->cost->inside[RS_EDGE_NEXT], differs, deltas, n_events, n_groups)))
		return RS_OUTCOME_DONE;
	return RS_OUTCOME_OTHER;
}

/* APART: nothing has happened yet, and this takes two markers. */
RS_INLINE enum rs_outcome rs_next_region(struct rs_thread *thread, struct rs_thread_region *ended,
	struct rs_begin begin, uint32_t n_events, uint32_t n_groups, bool samples, uint32_t clock)
{
	struct rs_frame *frame = (void *)((char *)thread->top - rs_frame_bytes(n_events, n_groups));
	uint64_t deltas[1 + RS_MAX_EVENTS];
	if (RS_UNLIKELY(frame->tag != (uintptr_t)ended))
		return RS_OUTCOME_APART;
	struct rs_cell *cell = ended->cell;
	enum rs_outcome outcome = rs_record_next(
		thread, frame, cell, clock, deltas, n_events, n_groups);
	if (RS_LIKELY(outcome == RS_OUTCOME_DONE)) {
		rs_close_frame(thread, frame, ended, cell, samples);
		rs_pay(thread, frame, deltas, NULL, n_events, n_groups, samples);
	} else if (outcome == RS_OUTCOME_OTHER) {
		rs_next_other(thread, ended);
	} else {
		return outcome;
	}
	rs_begin_shared(thread, begin, n_events, n_groups, samples);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		thread->adjust[m] -= thread->cost->next[m];
	rs_leave(thread);
	return RS_OUTCOME_DONE;
}

#endif
