/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of the markers: where the fast one (path.h) cannot go on, it leaves by one of these as
 * its last deed, and they do all that is left. Each takes a snapshot on its way in and one on its way
 * out; what lies between is charged to nobody. A BEGIN's call begins with the latter, an END's call ends
 * with the former, a NEXT has both. See calibrate.h for what remains.
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
/* The innermost entry has been opened, and its snapshot could not be taken. */
regionstat_ticket_ rs_begin_again(struct rs_thread *thread) RS_COLD;

/* ---- END ---- */

void rs_end_ticket_slow(
	regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread) RS_COLD;
void rs_end_site_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* Of the innermost entry, or, where others of its region are open, by name that of the marker's stack frame;
 * its snapshot is in thread->now; or could not be taken, but for its clock. */
void rs_end_slow(struct rs_thread *thread, struct rs_entry *entry, bool by_name) RS_COLD;
/* The same where the entry says that it may not be plain: recursion and work are not slow. */
void rs_end_other(struct rs_thread *thread, struct rs_entry *entry, bool by_name);
void rs_end_again(
	struct rs_thread *thread, struct rs_entry *entry, bool by_name, uint64_t time) RS_COLD;
/* Of the innermost entry; there was a context switch, or a fork. Its clock was read. */
void rs_end_switched(
	struct rs_thread *thread, struct rs_entry *entry, bool by_name, uint64_t time) RS_COLD;

/* ---- NEXT ---- */

void rs_next_slow(struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* It ends the innermost entry; its snapshot is in thread->now; or could not be taken, but for its
 * clock. */
void rs_next_other(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *begun) RS_COLD;
void rs_next_again(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *begun) RS_COLD;
/* There was a context switch; the clock is in thread->now. */
void rs_next_switched(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *begun) RS_COLD;

/* ---- names made at run time: always slow ---- */

regionstat_ticket_ rs_begin_name(const char *name);
void rs_end_name(const char *name);
void rs_next_name(const char *ended, const char *begun);

/* ---- call.c: START and STOP ---- */

void rs_start_name(struct regionstat_call *call, const char *name);
void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread) RS_COLD;
/* The call has its entry, whose snapshot could not be taken. */
void rs_start_again(struct rs_thread *thread, struct rs_entry *entry, struct regionstat_call *call,
	uint64_t sum) RS_COLD;
void rs_stop_slow(
	const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread) RS_COLD;
/* At this clock reading; the counters are in thread->now; or could not be read. is_claimed: this is known
 * to be the call's first STOP. */
void rs_stop_other(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed) RS_COLD;
void rs_stop_again(
	struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks) RS_COLD;

/* ---- what they share ---- */

/* A thread at a marker of its own; NULL when it cannot mark. */
struct rs_thread *rs_enter_slowly(uintptr_t stack);

/* The region of a site, or of a name where that is NULL, looked up and with a cell; NULL as above. */
struct rs_thread_region *rs_ready_site(
	struct rs_thread *thread, struct regionstat_site_ *site, const char *name);

#endif
