/* SPDX-License-Identifier: MIT */
/*
 * A snapshot contains the results of a run at one point of time, while the run continues or at its
 * end.
 */
#ifndef RS_SNAPSHOT_H
#define RS_SNAPSHOT_H

#include "launch/launch.h"
#include "stats/run.h"
#include "stats/summary.h"

struct rs_one_run;
struct rs_options;

/* A snapshot. Its members point to each other, so it must not be moved. */
struct rs_snapshot {
	struct rs_outcome outcome;
	struct rs_run result;
	struct rs_summary summary;
};

/*
 * Read the segment and make a summary of it. The caller has set snapshot->outcome. earlier is a
 * previous snapshot of the same run, which saves time, or NULL. The function uses it only during
 * this call. If the segment cannot be read, the snapshot has only the totals of the run. The caller
 * releases snapshot, even after a failure. Return false and set err if memory runs out.
 */
bool rs_snapshot_make(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, struct rs_err *err);

/* Make a snapshot of a run that continues. Replace run->latest by it, and return it. If memory runs
 * out, keep the old snapshot and return NULL. */
struct rs_snapshot *rs_snapshot_next(struct rs_one_run *run, const struct rs_so_far *so_far);

/* Release the run's latest snapshot and the snapshot at the end of the previous period. */
void rs_snapshot_forget_all(struct rs_one_run *run);

/* Write the report of the run so far to all outputs, except those of periods. The launcher calls
 * this function (struct rs_tick). run is a struct rs_one_run. */
void rs_snapshot_report(void *run, const struct rs_so_far *so_far);

/* Release the members of a snapshot, which may be zeroed. */
void rs_snapshot_finish(struct rs_snapshot *snapshot);

/* Release a snapshot from calloc(3) and its members. snapshot may be NULL. */
void rs_snapshot_release(struct rs_snapshot *snapshot);

#endif
