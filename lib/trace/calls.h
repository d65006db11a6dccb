/* SPDX-License-Identifier: MIT */
/*
 * These functions keep the calls of a trace in private memory of the launcher. If there are too
 * many calls, some are removed. First, random calls that are neither slow nor recent are removed,
 * then the older recent calls, and then the shorter slow calls. A call is not removed while a call
 * within it is kept.
 */
#ifndef RS_TRACE_CALLS_H
#define RS_TRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "segment/trace.h"
#include "stats/run.h"

/* Flags of rs_traced_call.flags, in addition to enum rs_trace_flag. */
enum rs_traced_flag {
	RS_TRACED_RECENT = 1u << 6, /* the call comes from the ring of recent calls */
	RS_TRACED_OPEN = 1u << 7, /* the call has not ended */
	RS_TRACED_CUT = 1u << 8, /* the end of the call is unknown */
	RS_TRACED_STAYS = 1u << 9, /* the call is not removed; used only while calls are removed */
	/* All later calls of the thread are known, up to the end of the run. */
	RS_TRACED_LAST = 1u << 10,
	/* This is not a call, but a time in which recent calls of the thread are missing. It also
	 * has the flags RS_TRACE_OFF and RS_TRACED_RECENT. */
	RS_TRACED_GAP = 1u << 11,
};

struct rs_traced_call {
	/* in ticks; this and the next four members have the meanings in enum rs_trace_word */
	uint64_t begin;
	uint64_t end;
	uint64_t time;
	uint64_t from;
	uint64_t number;
	uint32_t tid;
	uint32_t pid;
	/* index below RS_MAX_REGIONS; for off-CPU time it can also be RS_TRACE_NO_REGION */
	uint16_t region;
	uint16_t parent; /* region of the enclosing call; RS_TRACE_NO_REGION: none */
	uint16_t flags;
	uint16_t age; /* if RS_TRACED_LAST is set: how many later cells were in its ring */
	uint64_t more[RS_TRACE_MORE_N]; /* zeros if the record has no RS_TRACE_MORE */
	uint64_t events[]; /* UINT64_MAX: not counted */
};

struct rs_traced_calls {
	char *memory; /* owned */
	size_t n;
	size_t room;
	size_t most; /* largest value of n */
	size_t call_bytes;
	uint32_t n_events;
	bool failed; /* memory ran out, so later calls are missing */
	/* true: outer calls precede inner ones; false: the calls of a thread are in the order of
	 * their ends */
	bool is_sorted;
	bool is_ring; /* a call beyond `most` replaces the oldest one */
	size_t oldest; /* index of the oldest call of a ring, modulo `most` */
	/* One in 2^thinned of the calls that are not slow is kept. */
	uint32_t thinned;
	/* Recent calls that ended before this time, in ticks, are removed, except each thread's
	 * calls whose `age` is less than `last_most`. */
	uint64_t recent_since;
	uint32_t last_most;
	/* For each region: a call of at least this many ticks is slow, whatever its flags are; 0:
	 * unknown. The array belongs to the caller. If the pointer is NULL, only flags decide. */
	const uint64_t *slow_from;
	/* For each region: slow calls of fewer ticks are removed first. */
	uint64_t floor[RS_TRACE_NO_REGION + 1];
	/* For each region: all calls of at least this many ticks are kept. 0: no call was
	 * removed. */
	uint64_t complete_from[RS_TRACE_NO_REGION + 1];
};

static inline struct rs_traced_call *rs_traced_call_at(
	const struct rs_traced_calls *calls, size_t i)
{
	return (struct rs_traced_call *)(void *)(calls->memory + i * calls->call_bytes);
}

/* Initialize calls for at most `most` calls, which is at least 1024. The caller releases them with
 * rs_traced_calls_finish(). */
void rs_traced_calls_init(struct rs_traced_calls *calls, uint32_t n_events, size_t most);
void rs_traced_calls_finish(struct rs_traced_calls *calls);

/* Add a call and return it; the caller fills it. If there are too many calls, remove some first.
 * Return NULL if memory runs out. */
struct rs_traced_call *rs_traced_calls_add(struct rs_traced_calls *calls);

/* Add all calls of a ring, the oldest first. */
void rs_traced_calls_append(struct rs_traced_calls *calls, const struct rs_traced_calls *ring);

/* Remove calls until at most n are left. */
void rs_traced_calls_thin(struct rs_traced_calls *calls, size_t n);

/* Keep only the calls for which is_wanted() returns true, and the calls that contain them. The
 * removed calls do not count as missing, so complete_from does not change. */
void rs_traced_calls_filter(struct rs_traced_calls *calls,
	bool (*is_wanted)(const struct rs_traced_call *call, void *context), void *context);

/* Sort the calls by process, thread and time, with each call before the calls within it. Remove
 * duplicates. */
void rs_traced_calls_sort(struct rs_traced_calls *calls);

/* Add calls that have no record, but whose begin is known from a call within them. They have not
 * ended, or their record is missing. The calls must be sorted, and this function keeps them
 * sorted. */
void rs_traced_calls_add_missing(struct rs_traced_calls *calls, const struct rs_run *run);

/* Return true if the begin of the enclosing call is known. */
static inline bool rs_traced_call_has_parent(const struct rs_traced_call *call)
{
	return !(call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF)) && call->from > 0 &&
	       call->parent < RS_MAX_REGIONS;
}

/* A set of calls. A call is identified by its thread and its begin. A zeroed set is empty. */
struct rs_begin_set {
	uint64_t *keys;
	size_t n;
	size_t n_slots; /* 0 or a power of two */
	bool failed; /* memory ran out, so later calls are missing */
};
void rs_begin_set_add(struct rs_begin_set *set, uint32_t tid, uint64_t begin);
bool rs_begin_set_has(const struct rs_begin_set *set, uint32_t tid, uint64_t begin);
void rs_begin_set_finish(struct rs_begin_set *set);

#endif
