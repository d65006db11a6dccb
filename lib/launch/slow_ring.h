/* SPDX-License-Identifier: MIT */
/*
 * Reading slow calls from a ring in the memory that the program shares with regionstat (the
 * segment), while the program writes there. The program may write anything, so each call must match
 * its hash, and all indexes are checked.
 */
#ifndef RS_LAUNCH_SLOW_RING_H
#define RS_LAUNCH_SLOW_RING_H

#include <stdbool.h>

#include "segment/layout.h"
#include "segment/slow_calls.h"

#define RS_SLOW_RING_PENDING 64u

struct rs_slow_ring {
	int fd; /* descriptor of the segment; belongs to the caller */
	uint32_t n_events;
	uint64_t next; /* number of the next call to read */
	uint64_t end; /* 1 + the number of the last call at the latest rs_slow_ring_look() */
	uint64_t n_lost; /* calls that were overwritten or never finished */
	uint32_t n_pending; /* calls that were incomplete when they were read */
	struct {
		uint64_t number;
		uint64_t until_ns; /* give up after this time */
	} pending[RS_SLOW_RING_PENDING];
};

struct rs_slow_call_copy {
	uint64_t begin_ticks;
	uint64_t off_ticks[RS_OFF_N]; /* off-CPU time; valid with RS_SLOW_CALL_WATCHED */
	/* The first 1 + n_events are used: time in ticks, then the events; UINT64_MAX: not
	 * counted. */
	uint64_t values[1 + RS_MAX_EVENTS];
	uint32_t pid;
	uint32_t tid;
	uint32_t flags; /* enum rs_slow_call_flag */
	char region[RS_NAME_BYTES]; /* any bytes; "" if unknown; all names end with NUL */
	char process[16];
	char thread[16];
};

/* Initialize a reader. fd is the segment's descriptor, which must stay open. n_events is that of
 * the plan, at most RS_MAX_EVENTS. */
void rs_slow_ring_init(struct rs_slow_ring *ring, int fd, uint32_t n_events);

/* Update ring->end to the calls that exist now. Return how many of them rs_slow_ring_next() has not
 * returned yet. */
uint64_t rs_slow_ring_look(struct rs_slow_ring *ring);

/* Get the next call before ring->end, and fill call. now_ns is the time of CLOCK_MONOTONIC. With
 * is_last, incomplete calls count as lost at once. Return false if there is no call now. */
bool rs_slow_ring_next(
	struct rs_slow_ring *ring, uint64_t now_ns, bool is_last, struct rs_slow_call_copy *call);

/* Skip all calls before ring->end. Return how many. */
uint64_t rs_slow_ring_skip(struct rs_slow_ring *ring);

/* Return how many calls were slow by this rule so far, according to the program. */
uint64_t rs_slow_ring_calls_of(const struct rs_slow_ring *ring, uint32_t rule);

#endif
