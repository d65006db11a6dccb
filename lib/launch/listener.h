/* SPDX-License-Identifier: MIT */
/*
 * The listener is a thread of the launcher that waits for requests in the segment. It starts and
 * stops the totals of the run as the program requests, ends --delay, and frees the entries of dead
 * processes. lib/segment/layout.h (struct rs_segment_header) describes the protocol.
 */
#ifndef RS_LAUNCH_LISTENER_H
#define RS_LAUNCH_LISTENER_H

#include <pthread.h>

#include "launch/sweep.h"
#include "launch/throttle.h"
#include "launch/totals.h"

struct rs_listener {
	const struct rs_segment *segment; /* belongs to the caller */
	const struct rs_totals *totals; /* belongs to the caller */
	struct rs_sweep sweep;
	int64_t delay_ms; /* see struct rs_launch_options */
	pid_t program; /* 0: unknown; set it before rs_listener_start() */
	/* The delay is not over. Only the thread uses this until rs_listener_stop(). */
	bool launcher_pauses;
	bool totals_run;
	bool program_pauses; /* some process paused at the last check */
	/* bit set of the process entries that paused at the last check */
	uint64_t paused[RS_PROCESS_SET_WORDS];
	uint32_t served; /* number of the last request that was served */
	/* end of the delay, CLOCK_MONOTONIC; valid while launcher_pauses is true */
	uint64_t delay_end_ns;
	uint64_t next_sweep_ns;
	/* The throttled time of `program`, and then of the first process with markers that was
	 * found. Protected by at_work. */
	struct rs_throttle throttle;
	bool has_marked; /* throttle watches the cgroup of a process with markers */
	_Atomic bool stop;
	pthread_mutex_t at_work; /* the thread holds it, except while it waits */
	bool started;
	pthread_t thread;
};

/* Prepare a listener before the program starts. If delay_ms is not 0, set the control word to
 * paused. segment must outlive listener. Fill listener; the caller releases it with
 * rs_listener_finish(). */
void rs_listener_init(
	struct rs_listener *listener, const struct rs_segment *segment, int64_t delay_ms);

/* Start the thread and the delay. totals must stay valid until rs_listener_stop(). If delay_ms is
 * 0, the totals run from exec on. Return false and set err if the thread cannot be started. */
bool rs_listener_start(
	struct rs_listener *listener, const struct rs_totals *totals, struct rs_err *err);

/* Return how long a CPU limit has stopped the program's cgroup since rs_listener_start(). */
uint64_t rs_listener_throttled_ns(struct rs_listener *listener);

/* Make the thread stop using the totals and end, but do not wait for its end. listener may be
 * zeroed. */
void rs_listener_stop(struct rs_listener *listener);

/* Stop and join the thread. listener may be zeroed. */
void rs_listener_finish(struct rs_listener *listener);

#endif
