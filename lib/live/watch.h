/* SPDX-License-Identifier: MIT */
/*
 * Looking at a run under way again and again. All is read from the segment; the run takes no part in
 * it and does not notice it.
 */
#ifndef RS_LIVE_WATCH_H
#define RS_LIVE_WATCH_H

#include "base/err.h"
#include "stats/interval.h"

#define RS_WATCH_HISTORY 32u

/* p99 of a region's time in the latest intervals, the last one at the end; 0: no calls. */
struct rs_watch_history {
	uint64_t p99_ns[RS_WATCH_HISTORY];
};

struct rs_look;

struct rs_watch {
	int fd; /* borrowed */
	struct rs_plan plan; /* the events of regions */
	struct rs_event *events; /* of the plan */
	uint32_t n_groups;
	uint32_t flags;
	enum rs_clock clock;
	pid_t launcher;
	struct rs_machine machine;
	char *const *argv; /* the command; borrowed */
	struct rs_look *latest; /* NULL before the first look */
	const struct rs_summary *summary; /* of the latest look, in a struct rs_look */
	struct rs_interval interval; /* from the look before to the latest one */
	struct rs_intervals sum;
	struct rs_watch_history *histories; /* by the index of the region in the run */
	size_t n_histories;
	bool has_ended; /* the run has ended, and nothing changes any more */
};

/* Prepare to look at the segment fd, which must outlive watch. argv: its command, borrowed. Release
 * watch with rs_watch_finish(). Return false and set err if the segment makes no sense or memory runs
 * out. */
bool rs_watch_init(struct rs_watch *watch, int fd, char *const *argv, struct rs_err *err);

/* Read the segment. histogram: a region whose distribution the summary gets, or NULL. Return false and
 * set err as rs_collect() does. */
bool rs_watch_look(struct rs_watch *watch, const char *histogram, struct rs_err *err);

/* Move the run of the latest look to *run, which the caller finishes before watch. */
void rs_watch_take_run(struct rs_watch *watch, struct rs_run *run);

/* Release memory. watch may be zeroed. */
void rs_watch_finish(struct rs_watch *watch);

#endif
