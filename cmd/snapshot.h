/* SPDX-License-Identifier: MIT */
/*
 * What is known of a run at one point of time: at its end, or while it goes on.
 */
#ifndef RS_SNAPSHOT_H
#define RS_SNAPSHOT_H

#include "launch/launch.h"
#include "stats/run.h"
#include "stats/summary.h"

struct rs_one_run;
struct rs_options;

/* The members refer to each other, so a snapshot must not move. */
struct rs_snapshot {
	struct rs_outcome outcome;
	struct rs_run result;
	struct rs_summary summary;
};

/*
 * Read the segment and sum it up. snapshot->outcome is set already. earlier: a snapshot of the same
 * run, which makes this one faster, or NULL; it is borrowed until this function returns. If the
 * segment cannot be read, the snapshot has only the totals of the run. Return false and set err if
 * memory runs out. The caller releases snapshot in any case.
 */
bool rs_snapshot_make(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, struct rs_err *err);

/* Make a snapshot of a run under way, which replaces run->latest. Return it. Return NULL, and keep the
 * latest one, if memory runs out. */
struct rs_snapshot *rs_snapshot_next(struct rs_one_run *run, const struct rs_so_far *so_far);

/* Release the run's latest snapshot and that of the period before. */
void rs_snapshot_forget_all(struct rs_one_run *run);

/* Return the options of summaries. */
struct rs_summary_options rs_snapshot_options(const struct rs_options *options);

/* Write the report of the run so far to all outputs but those of periods. It is the `call` of struct
 * rs_tick; run is a struct rs_one_run. */
void rs_snapshot_report(void *run, const struct rs_so_far *so_far);

/* Release the members of a snapshot, which may be zeroed. */
void rs_snapshot_finish(struct rs_snapshot *snapshot);

/* Release a snapshot from calloc(3) and its members. snapshot may be NULL. */
void rs_snapshot_release(struct rs_snapshot *snapshot);

#endif
