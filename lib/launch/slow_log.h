/* SPDX-License-Identifier: MIT */
/*
 * The log of slow calls. While the program runs, every slow call becomes a line in a file or on
 * standard error, up to a limit of lines per second. For example (one line, broken here):
 *
 *   2026-11-22T21:15:01.123456+01:00 slow region=render process=1234/app thread=1240/worker
 *       time=2134567ns cpu-time=34567ns blocked=2100000ns preempted=0ns page-faults=3
 */
#ifndef RS_LAUNCH_SLOW_LOG_H
#define RS_LAUNCH_SLOW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/write.h"
#include "launch/launch.h"
#include "plan/plan.h"
#include "segment/segment.h"
#include "segment/slow_calls.h"

/* ---- slow_ring.c: reading slow calls while the program writes them ---- */

/*
 * The ring is in the memory that the program shares with regionstat (the segment). The program may
 * write anything, so each call must match its hash, and all indexes are checked.
 */
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
		uint64_t until_ns; /* CLOCK_MONOTONIC; after this time, the call is lost */
	} pending[RS_SLOW_RING_PENDING];
};

struct rs_slow_call_copy {
	uint64_t begin_ticks;
	uint64_t off_ticks[RS_OFF_N]; /* off-CPU time; valid with RS_SLOW_CALL_WATCHED */
	/* The first 1 + n_events elements are used: the time in ticks, and then the events.
	 * UINT64_MAX: not counted. */
	uint64_t values[1 + RS_MAX_EVENTS];
	uint32_t pid;
	uint32_t tid;
	uint32_t flags; /* enum rs_slow_call_flag */
	/* any bytes; "" if unknown; this name and the next two end with NUL */
	char region[RS_NAME_BYTES];
	char process[16];
	char thread[16];
};

/* Initialize a reader. fd is the segment's descriptor, which must stay open. n_events is how many
 * events each call in the ring has, at most RS_MAX_EVENTS. */
void rs_slow_ring_init(struct rs_slow_ring *ring, int fd, uint32_t n_events);

/* Update ring->end to the calls that exist now. Return how many of them rs_slow_ring_next() has not
 * returned yet. */
uint64_t rs_slow_ring_look(struct rs_slow_ring *ring);

/* Get the next call before ring->end, and fill call. now_ns is the time of CLOCK_MONOTONIC. If
 * is_last is true, incomplete calls count as lost at once. Return false if there is no call now. */
bool rs_slow_ring_next(
	struct rs_slow_ring *ring, uint64_t now_ns, bool is_last, struct rs_slow_call_copy *call);

/* Skip all calls before ring->end. Return how many calls were skipped. */
uint64_t rs_slow_ring_skip(struct rs_slow_ring *ring);

/* Return how many calls were slow by this rule so far, according to the program. */
uint64_t rs_slow_ring_calls_of(const struct rs_slow_ring *ring, uint32_t rule);

/* ---- the log ---- */

/* The interval between two readings of the ring. */
#define RS_SLOW_TICK_MS 50u

/* The longest line, with its newline. A pipe writes this many bytes at once (PIPE_BUF). */
#define RS_LINE_BYTES 4096u

/* Statistics of the lines. */
struct rs_slow_counts {
	uint64_t n_lines; /* lines that were written */
	uint64_t n_over_limit; /* calls beyond the limit of lines per second */
	/* calls that were overwritten before they were read, or whose writer was killed */
	uint64_t n_lost;
	/* lines not written: the file was full, or a pipe was not read in time */
	uint64_t n_unwritten;
	int number; /* errno of the first write that failed for another reason, or 0 */
};

struct rs_slow_log {
	const struct rs_plan *plan; /* belongs to the caller */
	enum rs_clock clock;
	struct rs_clock_point begin; /* a time before the program started */
	struct rs_slow_ring ring;
	struct rs_background writer;
	char *waiting; /* lines for the writer, which is busy; owned; NULL: none */
	size_t n_waiting_bytes;
	int fd; /* -1: not open; owned unless it is a standard descriptor */
	uint32_t lines_per_s;
	uint64_t second_ns; /* start of the current second, CLOCK_MONOTONIC; 0: none yet */
	uint64_t n_lines; /* lines in this second */
	uint64_t n_over_limit; /* calls beyond the limit in this second */
	struct rs_slow_counts counts; /* in total; n_lost is in `ring` */
	uint64_t n_lost_reported; /* part of ring.n_lost that a line has reported */
};

/*
 * Open the file. path is NULL for standard error, "-" for standard output, or
 * a file to append to. segment and plan must outlive log. lines_per_s is at least 1.
 *
 * Fill log; the caller releases it with rs_slow_log_finish(). Return false and set err if the file
 * cannot be opened.
 */
bool rs_slow_log_init(struct rs_slow_log *log, const struct rs_segment *segment,
	const struct rs_plan *plan, const char *path, uint32_t lines_per_s, struct rs_err *err);

/* Write the slow calls since the last tick. This function never waits. It can be the `call` of
 * struct rs_tick (launch.h). */
void rs_slow_log_tick(void *log, const struct rs_so_far *so_far);

/* Write the remaining calls, wait at most 0.5 s for that, and close the file. Fill counts unless it
 * is NULL. log may be zeroed with fd -1. */
void rs_slow_log_finish(struct rs_slow_log *log, struct rs_slow_counts *counts);

#endif
