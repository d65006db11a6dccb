/* SPDX-License-Identifier: MIT */
/*
 * These functions take repeated snapshots of a running measurement. All data come from the segment,
 * so neither the measured program nor the measuring regionstat does any work for them.
 */
#ifndef RS_LIVE_WATCH_H
#define RS_LIVE_WATCH_H

#include "base/err.h"
#include "stats/interval.h"

#define RS_WATCH_HISTORY 32u

/* The p99 of a region's time in each of the latest intervals, the latest one last; 0 for an
 * interval without calls. */
struct rs_watch_history {
	uint64_t p99_ns[RS_WATCH_HISTORY];
};

struct rs_watch {
	int fd; /* descriptor of the segment; belongs to the caller */
	struct rs_plan plan; /* a plan with the events that are counted in regions */
	uint32_t n_groups;
	uint32_t flags;
	uint32_t budget_ppm;
	enum rs_clock clock;
	pid_t launcher;
	struct rs_machine machine;
	char *const *argv; /* command line of the measured program; belongs to the caller */
	struct rs_snapshot *latest; /* latest snapshot; NULL before the first one */
	/* the summary in the struct rs_snapshot of the latest snapshot */
	const struct rs_summary *summary;
	/* the difference between the previous snapshot and the latest one */
	struct rs_interval interval;
	struct rs_intervals sum;
	struct rs_watch_history *histories; /* indexed by the region's index in the run */
	size_t n_histories;
	bool has_ended; /* the run has ended, so the segment does not change any more */
};

/* Prepare snapshots of the segment fd. fd and argv, the command line of the measured program,
 * belong to the caller and must outlive watch. The caller releases watch with rs_watch_finish().
 * Return false and set err if the segment is invalid or memory runs out. */
bool rs_watch_init(struct rs_watch *watch, int fd, char *const *argv, struct rs_err *err);

/* Take a snapshot. histogram: the name of a region whose distribution the summary must contain, or
 * NULL. Return false and set err as rs_collect() does. */
bool rs_watch_look(struct rs_watch *watch, const char *histogram, struct rs_err *err);

/* Move the run of the latest snapshot to *run. The caller must release *run before watch. */
void rs_watch_take_run(struct rs_watch *watch, struct rs_run *run);

/* Release the contents of watch, which may be zeroed. */
void rs_watch_finish(struct rs_watch *watch);

#endif
