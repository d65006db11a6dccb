/* SPDX-License-Identifier: MIT */
/*
 * Reading slow calls out of the segment's ring while the program writes there. Nothing that it says
 * is believed: what does not agree with its own check is no call, and what indexes something was
 * looked at before.
 */
#ifndef RS_LAUNCH_SLOW_RING_H
#define RS_LAUNCH_SLOW_RING_H

#include <stdbool.h>

#include "segment/layout.h"
#include "segment/slow_calls.h"

#define RS_SLOW_RING_PENDING 64u

struct rs_slow_ring {
	int fd; /* the segment's; borrowed */
	uint32_t n_events;
	uint64_t next; /* number of the first that was not looked at */
	uint64_t end; /* of the first that was not there when it was looked last */
	uint64_t n_lost; /* overwritten, or never finished */
	uint32_t n_pending; /* numbers taken, of calls that are not all there yet ... */
	struct {
		uint64_t number;
		uint64_t until_ns; /* ... which are waited for until then */
	} pending[RS_SLOW_RING_PENDING];
};

struct rs_slow_call_copy {
	uint64_t begin_ticks;
	uint64_t off_ticks[RS_OFF_N]; /* off-CPU time; with RS_SLOW_CALL_WATCHED */
	uint64_t values[1 + RS_MAX_EVENTS]; /* of 1 + n_events: time in ticks, then counts;
					       UINT64_MAX where not counted */
	uint32_t pid;
	uint32_t tid;
	uint32_t flags; /* enum rs_slow_call_flag */
	char region[RS_NAME_BYTES]; /* any bytes; "": unknown. As the next two NUL-terminated */
	char process[16];
	char thread[16];
};

/* fd: of the segment, borrowed; n_events: of its plan, at most RS_MAX_EVENTS. */
void rs_slow_ring_init(struct rs_slow_ring *ring, int fd, uint32_t n_events);

/* Look how many there are by now. Returns how many of them are new to rs_slow_ring_next(). */
uint64_t rs_slow_ring_look(struct rs_slow_ring *ring);

/*
 * The next call, of those that were there when it was looked. now_ns: CLOCK_MONOTONIC; is_last: what is
 * not there by now never will be. call: filled. False: there is none now.
 */
bool rs_slow_ring_next(
	struct rs_slow_ring *ring, uint64_t now_ns, bool is_last, struct rs_slow_call_copy *call);

/* Without those that were there when it was looked. Returns how many. */
uint64_t rs_slow_ring_skip(struct rs_slow_ring *ring);

/* Calls that were slow by one of the rules so far, as the program says. */
uint64_t rs_slow_ring_calls_of(const struct rs_slow_ring *ring, uint32_t rule);

#endif
