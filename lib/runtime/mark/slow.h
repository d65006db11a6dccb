/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of the markers. A fast path (path.h) that cannot go on calls one of these last,
 * and that does all the rest. Each takes a snapshot on its way in and one on its way out; the time
 * between them is excluded as overhead. A BEGIN's call begins with the latter, an END's call ends
 * with the former, a NEXT has both. See cost_state.h for what remains.
 *
 * thread: inside the marker already, which is left; or NULL, and it is found first.
 */
#ifndef RS_RUNTIME_MARK_SLOW_H
#define RS_RUNTIME_MARK_SLOW_H

#include "runtime/calls/entry.h"
#include "runtime/calls/record.h"

/* ---- BEGIN ---- */

regionstat_ticket_ rs_begin_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* The thread is busy: in a skipped call, or in another marker. */
regionstat_ticket_ rs_begin_busy(struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* The innermost entry has been opened, and its snapshot could not be taken. */
regionstat_ticket_ rs_begin_again(struct rs_thread *thread) RS_COLD;

/* ---- END ---- */

void rs_end_ticket_slow(
	regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread) RS_COLD;
void rs_end_site_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* End a skipped call without a frame, in its marker; it had a context switch, or the process was
 * forked. */
void rs_end_leaf_slow(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack) RS_COLD;
/* End the scope of a skipped call, of the region in its ticket. */
void rs_end_skipped_slow(
	struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* How far an END, a NEXT or a STOP has come on the fast path. */
enum rs_reached {
	RS_REACHED_CLOCK, /* that was read; there was a context switch, or a fork */
	RS_REACHED_CHANGE, /* the same, and the counters could not be read */
	/* all is in thread->snapshot.values, but the call cannot be recorded there; pages may have changed since the latest
	 * look */
	RS_REACHED_ALL,
};
/* End the innermost entry, or, where others of its region are open, by name that of the marker's
 * stack frame. time: the clock. Recursion and work are not slow. */
void rs_end_slow(struct rs_thread *thread, struct rs_entry *entry, bool by_name, uint64_t time,
	enum rs_reached reached);

/* ---- NEXT ---- */

void rs_next_slow(struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* It ends the innermost entry; the clock is in thread->snapshot.values. */
void rs_next_other(struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *begun,
	enum rs_reached reached) RS_COLD;

/* ---- names made at run time: always slow ---- */

regionstat_ticket_ rs_begin_name(const char *name);
void rs_end_name(const char *name);
void rs_next_name(const char *ended, const char *begun);
void rs_start_name(struct regionstat_call *call, const char *name);
void rs_work_name(const char *name, unsigned long long bytes, unsigned long long flops);

/* ---- call.c: START and STOP ---- */

void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* The call has its entry, whose snapshot could not be taken. */
void rs_start_again(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_call *call,
	uint64_t sum) RS_COLD;
void rs_stop_slow(
	const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* ticks: the clock. is_claimed: this is known to be the call's first STOP. */
void rs_stop_other(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed, enum rs_reached reached) RS_COLD;

/* ---- work.c ---- */

/* The marker: of the innermost open call of a site's region. */
void rs_work_site(
	struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops);
/* Not of a region that is known to be open. */
void rs_work_slow(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;

/* ---- what they share ---- */

/* The rest of the snapshot of such a marker into thread->snapshot.values, with the clock as it was read. */
void rs_take_rest(struct rs_thread *thread, uint64_t time, enum rs_reached reached);

/* A thread at a marker of its own; NULL when it cannot mark. */
struct rs_thread *rs_enter_slowly(uintptr_t stack);

/* The same at a marker of a site; thread: see above. NULL as well where the region is known to be
 * filtered: a thread that has no others is not measured. */
struct rs_thread *rs_enter_at(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack);

/* The region of a site, looked up and with a cell; NULL: it is filtered, or there is no memory. */
struct rs_thread_region *rs_ready_site(struct rs_thread *thread, struct regionstat_site_ *site);

#endif
