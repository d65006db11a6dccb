/* SPDX-License-Identifier: MIT */
/*
 * A thread of the launcher that waits on the control page. It answers the program's doorbell, so
 * that the program can stop and start the run's totals. It ends --delay, and sweeps after dead
 * processes. The protocol is that of struct rs_segment_header in lib/segment/layout.h.
 */
#ifndef RS_LAUNCH_LISTENER_H
#define RS_LAUNCH_LISTENER_H

#include <pthread.h>

#include "launch/sweep.h"
#include "launch/totals.h"

struct rs_listener {
	const struct rs_segment *segment; /* borrowed */
	const struct rs_totals *totals; /* borrowed */
	struct rs_sweep sweep;
	int64_t delay_ms; /* as in struct rs_launch_options */
	bool launcher_pauses; /* the delay is not over; the thread's until rs_listener_stop() */
	bool totals_run;
	bool program_pauses; /* some process of it, when they were looked at last */
	uint64_t paused[RS_PROCESS_SET_WORDS]; /* set of process entries: those that did then */
	uint32_t served; /* the last request that was looked at */
	uint64_t delay_end_ns; /* CLOCK_MONOTONIC; meaningful while launcher_pauses */
	uint64_t next_sweep_ns;
	_Atomic bool stop;
	pthread_mutex_t at_work; /* held by the thread but while it waits */
	bool started;
	pthread_t thread;
};

/*
 * Prepare listening; sets the control word to paused when delay_ms is not 0. Before the program
 * starts. segment: borrowed, must outlive listener. listener: filled; release with
 * rs_listener_finish(). False, with err filled: no memory.
 */
bool rs_listener_init(struct rs_listener *listener, const struct rs_segment *segment,
	int64_t delay_ms, struct rs_err *err);

/*
 * Start the thread. The delay counts from now.
 * totals: borrowed until rs_listener_stop(); running from exec on when delay_ms is 0.
 * False, with err filled: no thread.
 */
bool rs_listener_start(
	struct rs_listener *listener, const struct rs_totals *totals, struct rs_err *err);

/* The thread, if there is one, leaves the totals alone from now on, and ends, for which this does
 * not wait. listener: filled or zeroed. */
void rs_listener_stop(struct rs_listener *listener);

/* Stop and join the thread if there is one, release memory. listener: filled or zeroed, or NULL. */
void rs_listener_finish(struct rs_listener *listener);

#endif
