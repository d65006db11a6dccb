/* SPDX-License-Identifier: MIT */
/*
 * These functions read the calls that threads record for a trace, while the program runs. Each
 * thread slot of the segment has a ring of recent calls and a ring of calls to keep, both made of
 * cells (segment/trace.h). All contents are checked, because the program may write anything there.
 */
#ifndef RS_TRACE_RINGS_H
#define RS_TRACE_RINGS_H

#include "segment/segment.h"
#include "trace/calls.h"

/* A thread that uses or has used a slot. */
struct rs_traced_thread {
	uint32_t pid;
	uint32_t tid;
	bool is_attached; /* the thread uses markers */
	/* when the launcher found that the thread had ended, in ticks; UINT64_MAX: the thread
	 * runs */
	uint64_t end;
	char name[16];
};

/* What the launcher knows about the rings of one slot. */
struct rs_traced_slot {
	uint64_t offset; /* offset of its struct rs_trace; 0: none */
	uint64_t n_taken;
	uint64_t slowest_taken; /* records of `slowest` with a lower sequence number were taken */
	uint64_t n_recent; /* count of recent cells that were copied or need no copy */
	uint64_t recent_end; /* end of the latest copied call, in ticks */
	uint64_t most_recent; /* how many recent cells the launcher may copy now */
	size_t thread; /* rs_trace_rings.n_threads when the slot got its latest thread; 0: none */
	uint64_t n_dropped;
	uint64_t n_dropped_slow;
	uint32_t pid; /* process of the latest call that was taken; 0: unknown */
};

struct rs_trace_rings {
	int fd; /* the segment; belongs to the caller */
	uint32_t n_events;
	enum rs_clock clock;
	bool is_last; /* the run has ended */
	bool checks; /* this tick checks which processes have ended */
	int64_t check_ns; /* time of the next check */
	uint32_t checked; /* index of the process entry that was checked last; UINT32_MAX: none */
	bool has_exited; /* the process that was checked last had ended */
	uint64_t first_ticks; /* records of calls that begin earlier are invalid */
	uint64_t now_ticks; /* records of calls that end later are invalid */
	struct rs_traced_slot *slots; /* this and the other arrays are owned */
	size_t n_slots; /* how many slots were in use at any tick */
	/* a thread beyond RS_TRACE_MOST_THREADS replaces the oldest one */
	struct rs_traced_thread *threads;
	size_t n_threads; /* how many threads there have been */
	uint64_t *cells; /* buffer for one ring */
	/* each tick adds recent calls to this; borrowed; NULL: ticks do not copy recent calls */
	struct rs_traced_calls *recent;
	struct rs_clock_point tick; /* the time of the previous tick */
	uint64_t share; /* how many recent cells this tick may copy from a slot */
	size_t n_running; /* how many slots had new calls at the latest tick */
	uint32_t next_slot; /* index of the slot with which the next tick begins */
	bool is_refused; /* a thread got no memory for rings */
	/* a ring was more than half full or was not read, or a thread dropped calls */
	bool is_behind;
	bool is_busy; /* a thread has filled its ring quickly */
	/* the next three members combine those of struct rs_trace over all slots: two sums, and
	 * the maximum of `longest_dropped` */
	uint64_t n_dropped;
	uint64_t n_dropped_slow;
	uint64_t longest_dropped;
	uint64_t n_damaged; /* how many records were invalid */
};

/* Initialize rings. The caller releases them with rs_trace_rings_finish(). Return false if memory
 * runs out. */
bool rs_trace_rings_init(
	struct rs_trace_rings *rings, int fd, uint32_t n_events, enum rs_clock clock);
void rs_trace_rings_finish(struct rs_trace_rings *rings);

/* Move the kept calls out of all rings into `into`, and copy recent calls to rings->recent. Stop
 * after about most_ns; the next call then begins with the rings that were not read. */
void rs_trace_rings_take(
	struct rs_trace_rings *rings, struct rs_traced_calls *into, uint64_t most_ns);

/* After the run, copy the last calls of each slot into `into`: about `most` calls in total, and at
 * least 16 calls of each slot. */
void rs_trace_rings_copy_last(
	struct rs_trace_rings *rings, struct rs_traced_calls *into, size_t most);

/* ---- threads.c: the threads of a trace, their names, and when they ended ---- */

#define RS_TRACE_MOST_THREADS ((size_t)4 * RS_MAX_SLOTS)

/* Record which thread uses a slot now, the thread's name, and whether the thread has ended. pid:
 * the process of the thread. */
void rs_trace_note_thread(struct rs_trace_rings *rings, struct rs_traced_slot *known,
	const struct rs_slot *slot, uint32_t pid);

/* After the run, set the end of each open call to the end of its thread, but not after end_ticks.
 * Do not change calls of threads that still run. The calls must be sorted. Do not read slots after
 * this: rings->n_threads becomes the length of rings->threads. */
void rs_trace_end_open(
	struct rs_trace_rings *rings, struct rs_traced_calls *calls, uint64_t end_ticks);

#endif
