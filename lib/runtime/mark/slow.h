/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of markers. A fast path (path.h) that cannot continue ends with a call of one of
 * these functions, which does all the rest. A function named _slow does the whole marker. One named
 * _continue goes on where the fast path has already read the clock or opened the frame.
 *
 * Each function takes a snapshot at its start and one at its end, and excludes the time between
 * them as overhead. The call of a BEGIN begins with the second snapshot, and the call of an END
 * ends with the first. A NEXT uses both.
 *
 * `thread` is the calling thread if it has already entered the marker. If `thread` is NULL, the
 * function enters the marker first. At its end it leaves the marker.
 */
#ifndef RS_RUNTIME_MARK_SLOW_H
#define RS_RUNTIME_MARK_SLOW_H

#include "runtime/calls/frame.h"
#include "runtime/calls/record.h"

/* ---- BEGIN ---- */

regionstat_ticket_ rs_begin_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* Do a BEGIN on a busy thread: inside another marker, or in a leaf (calls/sample.h). */
regionstat_ticket_ rs_begin_busy(struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* Continue a BEGIN whose frame is open and whose snapshot could not be taken. */
regionstat_ticket_ rs_begin_continue(struct rs_thread *thread) RS_COLD;

/* ---- END ---- */

void rs_end_ticket_slow(
	regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread) RS_COLD;
void rs_end_site_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* End a leaf after a context switch or a fork. The thread is inside the marker that ends it. */
void rs_end_leaf_slow(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack) RS_COLD;
/* End a scope that began as a leaf, whose ticket identifies the region. */
void rs_end_skipped_slow(
	struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread) RS_COLD;

/* How far an END, a NEXT or a STOP came on the fast path. */
enum rs_reached {
	RS_REACHED_CLOCK, /* The marker has read the clock. There was a context switch or a fork. */
	RS_REACHED_CHANGE, /* The marker has read the clock, but could not read the counters. */
	/* thread->snapshot.values is complete, but the fast path cannot record the call. */
	RS_REACHED_ALL,
};

/* End the call of the innermost frame. If other calls of its region are open and by_name is true,
 * end the call that began in the marker's stack frame. time is the clock reading. Recursive calls
 * and calls whose frames have work also end here, without the snapshots of a slow path. */
void rs_end_continue(uint64_t time, struct rs_frame *frame, bool by_name, struct rs_thread *thread,
	enum rs_reached reached);
/* End the skipped call of the innermost frame without a snapshot. The call is within another call
 * of its region, or such a call was within it. Return false if a snapshot is necessary. */
bool rs_end_skipped(struct rs_thread *thread, struct rs_frame *frame, bool by_name) RS_COLD;

/* ---- NEXT ---- */

void rs_next_slow(struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* End the innermost frame's call, and begin a call of the region `begun`. thread->snapshot.values
 * has the clock reading. */
void rs_next_continue(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *begun, enum rs_reached reached) RS_COLD;

/* ---- names made at run time: always slow ---- */

regionstat_ticket_ rs_begin_name(const char *name);
void rs_end_name(const char *name);
void rs_next_name(const char *ended, const char *begun);
void rs_start_name(struct regionstat_call *call, const char *name);
void rs_work_name(const char *name, unsigned long long bytes, unsigned long long flops);

/* ---- START and STOP ---- */

void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* Continue a START whose frame is open and whose snapshot could not be taken. */
void rs_start_continue(struct rs_thread *thread, struct rs_frame *frame,
	struct regionstat_call *call, uint64_t mix) RS_COLD;
void rs_stop_slow(
	const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* Do a STOP that the fast path cannot finish. ticks is the clock reading. is_claimed is true if
 * this is certainly the call's first STOP. */
void rs_stop_continue(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed, enum rs_reached reached) RS_COLD;

/* ---- WORK ---- */

/* Do the WORK marker: add work to the innermost open call of a site's region. */
void rs_work_site(
	struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops);
/* Do the same in a set whose markers use rs_self_near(). */
void rs_work_near(
	struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops);
/* Add work on the slow path, which finds the region and the call. */
void rs_work_slow(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;

/* ---- shared functions ---- */

/* Let the calling thread enter a marker, and return it, or NULL if the marker must be skipped. */
struct rs_thread *rs_enter_slowly(uintptr_t stack);

#endif
