/* SPDX-License-Identifier: MIT */
/*
 * The calls of a trace, in private memory of the launcher. Their number is limited. If there are
 * too many, some are removed: samples at random, the older ones of the recent calls, and then the
 * shorter ones of the slow calls. A call in which another one lies stays as long as that one does.
 */
#ifndef RS_TRACE_CALLS_H
#define RS_TRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "segment/trace.h"

/* In rs_traced_call.flags, beside enum rs_trace_flag: */
enum rs_traced_flag {
	RS_TRACED_RECENT = 1u << 6, /* from the ring of recent calls, which is always complete */
	RS_TRACED_OPEN = 1u << 7, /* the call has not ended */
	RS_TRACED_CUT = 1u << 8, /* when the call ended is unknown */
	RS_TRACED_STAYS = 1u << 9, /* only while calls are removed */
};

struct rs_traced_call {
	uint64_t begin; /* in ticks, as the other words of enum rs_trace_word */
	uint64_t end;
	uint64_t time;
	uint64_t from;
	uint64_t number;
	uint32_t tid;
	uint32_t pid;
	uint16_t region; /* below RS_MAX_REGIONS, or RS_TRACE_NO_REGION of off-CPU time */
	uint16_t parent; /* as region; RS_TRACE_NO_REGION: none */
	uint16_t flags;
	uint64_t more[RS_TRACE_MORE_N]; /* zeros without RS_TRACE_MORE */
	uint64_t events[]; /* UINT64_MAX: not counted */
};

struct rs_traced_calls {
	char *memory; /* owned */
	size_t n;
	size_t room;
	size_t most; /* limit of n */
	size_t call_bytes;
	uint32_t n_events;
	bool failed; /* memory ran out, so later calls are missing */
	bool is_sorted; /* outer calls come first; otherwise a thread's calls lie in the order of ends */
	bool is_ring; /* a call beyond `most` replaces the oldest one */
	size_t oldest; /* of a ring: the index of that, modulo `most` */
	/* One call in 2^thinned stays of those that are not slow. */
	uint32_t thinned;
	uint64_t recent_since; /* recent calls that ended before this go; in ticks */
	/* For each region: slow calls of fewer ticks go first. */
	uint64_t floor[RS_TRACE_NO_REGION + 1];
	/* For each region: no call of so many ticks was removed. 0: none at all was. */
	uint64_t complete_from[RS_TRACE_NO_REGION + 1];
};

static inline struct rs_traced_call *rs_traced_call_at(
	const struct rs_traced_calls *calls, size_t i)
{
	return (struct rs_traced_call *)(void *)(calls->memory + i * calls->call_bytes);
}

/* most is at least 1024. Release the calls with rs_traced_calls_finish(). */
void rs_traced_calls_init(struct rs_traced_calls *calls, uint32_t n_events, size_t most);
void rs_traced_calls_finish(struct rs_traced_calls *calls);

/* Add a call and return it for the caller to fill, except its size. If there are too many calls,
 * some are removed first. Return NULL if memory runs out. */
struct rs_traced_call *rs_traced_calls_add(struct rs_traced_calls *calls);

/* Add all calls of a ring, the oldest first. */
void rs_traced_calls_append(struct rs_traced_calls *calls, const struct rs_traced_calls *ring);

/* Remove calls until at most n are left. */
void rs_traced_calls_thin(struct rs_traced_calls *calls, size_t n);

/* Keep only the calls for which is_wanted() returns true, and the calls around these. The others are
 * not missing: complete_from stays as it is. */
void rs_traced_calls_filter(struct rs_traced_calls *calls,
	bool (*is_wanted)(const struct rs_traced_call *call, void *context), void *context);

/* Sort by process, thread and time, each call before those within it. Remove duplicates. */
void rs_traced_calls_sort(struct rs_traced_calls *calls);

/* Add the calls of which only calls within them are known: they have not ended, or their records were
 * dropped. The calls are sorted, also after this. */
void rs_traced_calls_add_missing(struct rs_traced_calls *calls);

/* Return true if another call was around this one, whose begin is known. */
static inline bool rs_traced_call_has_parent(const struct rs_traced_call *call)
{
	return !(call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF)) && call->from > 0 &&
	       call->parent < RS_MAX_REGIONS;
}

/* A set of calls by thread and begin. */
struct rs_begin_set {
	uint64_t *keys;
	size_t n_slots; /* a power of two */
};
bool rs_begin_set_init(struct rs_begin_set *set, size_t n);
void rs_begin_set_add(struct rs_begin_set *set, uint32_t tid, uint64_t begin);
bool rs_begin_set_has(const struct rs_begin_set *set, uint32_t tid, uint64_t begin);
void rs_begin_set_finish(struct rs_begin_set *set);

/* Make a set of the threads that make or start calls, by tid and pid. Return false if memory runs
 * out. */
bool rs_begin_set_of_threads(struct rs_begin_set *set, const struct rs_traced_calls *calls);

#endif
