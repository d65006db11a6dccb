/* SPDX-License-Identifier: MIT */
/*
 * Reading the rings of a trace from the segment (segment/trace.h) while the program runs. All that
 * is read there is checked: the program may have written anything.
 */
#ifndef RS_TRACE_RINGS_H
#define RS_TRACE_RINGS_H

#include "segment/segment.h"
#include "trace/calls.h"

/* A thread that was seen in a slot. */
struct rs_traced_thread {
	uint32_t pid;
	uint32_t tid;
	char name[16];
};

/* What the launcher knows of a slot's rings. */
struct rs_traced_slot {
	uint64_t offset; /* of its struct rs_trace; 0: none */
	uint64_t n_taken;
	uint64_t n_recent; /* as in struct rs_trace, at the last tick */
	size_t thread; /* 1 + the index of the thread that used it last */
	uint64_t n_dropped;
	uint32_t pid; /* of the kept call that was taken last; 0: none */
};

struct rs_trace_rings {
	int fd; /* of the segment, borrowed */
	uint32_t n_events;
	enum rs_clock clock;
	uint64_t first_ticks; /* no call begins before this */
	uint64_t now_ticks; /* the calls that were read last have ended by then */
	struct rs_traced_slot *slots; /* owned, as the others */
	size_t n_slots;
	struct rs_traced_thread *threads;
	size_t n_threads;
	size_t threads_room;
	size_t most_threads; /* beyond these, the threads without calls are forgotten */
	uint64_t *cells; /* room for one ring */
	struct rs_traced_calls *recent; /* where ticks copy recent calls; borrowed; NULL: nowhere */
	uint32_t next_slot; /* where the next tick begins */
	bool is_refused; /* some thread has no rings */
	bool is_behind; /* some ring was more than half full or not read, or calls were dropped */
	bool is_busy; /* some ring was filled quickly */
	uint64_t n_dropped; /* these two over all slots, as in struct rs_trace */
	uint64_t longest_dropped;
	uint64_t n_damaged; /* records that made no sense */
};

/* Return false if memory runs out. Release the rings with rs_trace_rings_finish(). */
bool rs_trace_rings_init(
	struct rs_trace_rings *rings, int fd, uint32_t n_events, enum rs_clock clock);
void rs_trace_rings_finish(struct rs_trace_rings *rings);

/* Take the kept calls out of all rings. Copy the calls that a thread has made since the last time, if
 * its ring still has all of them. If that takes longer than about most_ns, the next call begins with the other rings. */
void rs_trace_rings_take(
	struct rs_trace_rings *rings, struct rs_traced_calls *into, uint64_t most_ns);

/* Copy the recent calls of all rings. */
void rs_trace_rings_copy_recent(struct rs_trace_rings *rings, struct rs_traced_calls *into);

#endif
