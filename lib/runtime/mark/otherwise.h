/* SPDX-License-Identifier: MIT */
/*
 * The ways out of the markers' path (path.h), for what is not plain. Those of a BEGIN, an END and
 * a NEXT that begin with _admitted are called outside a marker; all others within one, which they
 * leave. What starts over calls the marker once more and hands on the stack frame that it was called
 * from; as its last deed, so that no instruction of this is in the call that begins.
 */
#ifndef RS_RUNTIME_MARK_OTHERWISE_H
#define RS_RUNTIME_MARK_OTHERWISE_H

#include "runtime/mark/entry.h"
#include "runtime/mark/record.h"

/* Room for a snapshot: the thread's own, where the number of events is not a constant. */
#define RS_SNAPSHOT_ROOM(thread, n_events, room) \
	(__builtin_constant_p(n_events) ? (room) : (thread)->now)

/* The same of anything else that there is one of for each quantity. */
#define RS_ROOM(n_events, fixed, any) (__builtin_constant_p(n_events) ? (fixed) : (any))

/* The markers once more, called from the stack frame that the marker that starts over was. */
struct rs_again {
	regionstat_ticket_ (*begin)(struct regionstat_site_ *site, uintptr_t stack);
	void (*end)(regionstat_ticket_ ticket, uintptr_t stack);
	void (*end_site)(struct regionstat_site_ *site, uintptr_t stack);
	void (*next)(
		struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack);
};

/* ---- BEGIN ---- */

/* The thread cannot mark at once. */
regionstat_ticket_ rs_begin_admitted(struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* The region is not ready, its latest call began in another one, or the site has not been looked
 * up. */
regionstat_ticket_ rs_begin_unready(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* Counting is paused, or there is no room. */
regionstat_ticket_ rs_begin_nothing(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* The page of an event has changed: another look, and start over. */
regionstat_ticket_ rs_begin_renew(struct rs_thread *thread, struct regionstat_site_ *site) RS_COLD;
/* The thread was switched out since its latest marker: its open calls are told, and start over. */
regionstat_ticket_ rs_begin_resumed(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* An event has no counter now, or is not read in user space. */
regionstat_ticket_ rs_begin_off(struct rs_thread *thread, struct regionstat_site_ *site) RS_COLD;
/* A group was off the PMU, or has no value, at an entry's BEGIN: its END will not be plain. */
void rs_entry_set_off(struct rs_thread *thread, struct rs_entry *entry, uint32_t off) RS_COLD;

/* ---- END ---- */

void rs_end_admitted(regionstat_ticket_ ticket, uintptr_t stack) RS_COLD;
void rs_end_site_admitted(struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* Not of the innermost entry; or by name in another stack frame. */
void rs_end_apart(struct rs_thread *thread, regionstat_ticket_ ticket) RS_COLD;
void rs_end_site_apart(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack) RS_COLD;
/* site: NULL for an END by ticket. */
void rs_end_renew(
	struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site) RS_COLD;
void rs_end_off(
	struct rs_thread *thread, struct rs_entry *entry, struct regionstat_site_ *site) RS_COLD;
/* The call is not plain; its snapshot is in thread->now. */
void rs_end_other(struct rs_thread *thread, struct rs_entry *entry) RS_COLD;

/* ---- NEXT ---- */

void rs_next_admitted(
	struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack) RS_COLD;
void rs_next_apart(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack) RS_COLD;
/* By names, with the snapshot in thread->now. */
void rs_next_name_apart(
	struct rs_thread *thread, const char *ended, const char *begun, uintptr_t stack) RS_COLD;
void rs_next_left_out(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun) RS_COLD;
void rs_next_renew(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun) RS_COLD;
void rs_next_resumed(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun) RS_COLD;
/* The two that come back: the END of a call that is not plain; and whether another may begin, where
 * counting is paused, or there was no room. */
void rs_next_other(struct rs_thread *thread, struct rs_entry *entry) RS_COLD;
bool rs_begin_shared_may(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack) RS_COLD;

/* ---- names made at run time ---- */

regionstat_ticket_ rs_begin_name(const char *name);
regionstat_ticket_ rs_begin_name_at(const char *name, uintptr_t stack);
void rs_end_name(const char *name);
void rs_next_name(const char *ended, const char *begun);

/* ---- call.c: asynchronous calls ---- */

void rs_start(struct regionstat_call *call, struct regionstat_site_ *site);
void rs_start_name(struct regionstat_call *call, const char *name);
void rs_stop(const struct regionstat_call *call);

/* ---- what they share ---- */

/* A thread at a marker of its own; NULL when it cannot mark. */
struct rs_thread *rs_enter_slowly(uintptr_t stack);

/* Whether there is a region around that would pay for what a marker does: with nothing open but the
 * entry itself, if that is given, there is none. */
bool rs_is_anybody_around(const struct rs_thread *thread, const struct rs_entry *entry);

/* Whether what the END of a call that is not plain does is charged to nobody: the edge is known, and
 * the snapshot is in thread->now. differs: not 0 where the thread was switched out, as nobody knows
 * yet. In as many instructions whatever the reason. */
static inline bool rs_end_is_charged(
	const struct rs_thread *thread, struct rs_entry *entry, uint64_t differs)
{
	uint64_t rare = differs | (entry->apart & (RS_APART_SWITCHED | RS_APART_CHARGED));
	if (thread->charges_rare & !thread->is_charged)
		rare |= rs_record_brings_new(thread, entry);
	bool is_charged = thread->is_charged | (thread->charges_rare & (rare != 0));
	__asm__("" : "+r"(is_charged));
	return is_charged;
}

/* END of an entry that was looked up; or of none, with entry NULL, of region, unless that is NULL:
 * none of its calls has begun. */
void rs_end_found(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_entry *entry);

/* A BEGIN for which there is no room: counted, and its END will be nobody else's. Returns its
 * ticket. */
regionstat_ticket_ rs_begin_beyond(struct rs_thread *thread);

/* An entry that is no call: its END is ignored. False: no room. */
bool rs_begin_ignored(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack);

/* A region with a cell, and its next call drawn; NULL when it is left out, or without memory. Under
 * rs_slow_begin(). */
struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index);

/* The region of a site or a name, looked up and with a cell; NULL as above. Under rs_slow_begin(). */
struct rs_thread_region *rs_ready_site(struct rs_thread *thread, struct regionstat_site_ *site);
struct rs_thread_region *rs_ready_name(struct rs_thread *thread, const char *name);

/* The clock of an END or NEXT into thread->now; and the whole snapshot of it. */
void rs_take_clock(struct rs_thread *thread);
void rs_take_end(struct rs_thread *thread);

#endif
