/* SPDX-License-Identifier: MIT */
/*
 * The trace of a run (--trace): a file of limited size for Perfetto, with a timeline of calls. While
 * the program runs, the launcher takes calls out of the segment. After the run it writes the file.
 */
#ifndef RS_TRACE_TIMELINE_H
#define RS_TRACE_TIMELINE_H

#include "base/err.h"
#include "segment/segment.h"
#include "stats/interval.h"
#include "stats/run.h"
#include "trace/protobuf.h"
#include "trace/rules.h"

/* How often calls are taken, if they come fast. A thread's ring has room for that many calls at 1 per
 * 80 ns. */
#define RS_TIMELINE_TICK_MS 1u

#define RS_TIMELINE_LEAST_BYTES UINT64_C(65536)

struct rs_timeline;

/* Return a timeline for a new segment, whose flags include RS_SEGMENT_TRACES. The file will have at
 * most most_bytes, which is at least RS_TIMELINE_LEAST_BYTES. With a condition, it has only the calls that
 * meet it, those within them and those around them. Release it with rs_timeline_destroy(). Return NULL and set err if memory runs out. */
struct rs_timeline *rs_timeline_create(const struct rs_segment *segment, uint64_t most_bytes,
	const struct rs_trace_condition *condition, struct rs_err *err);
void rs_timeline_destroy(struct rs_timeline *timeline);

/* Take the calls since the last tick. Return true if the next tick must follow soon. */
bool rs_timeline_tick(struct rs_timeline *timeline);

/* Return true if only some calls are kept from now on: which ones, rs_timeline_set_rules() says. */
bool rs_timeline_is_selective(const struct rs_timeline *timeline);

/* If only some calls are kept, find out from the run so far which ones are slow. */
void rs_timeline_set_rules(struct rs_timeline *timeline, const struct rs_summary *summary);

/* Add the counters of the next interval. Return false if memory runs out. */
bool rs_timeline_add_interval(struct rs_timeline *timeline, const struct rs_interval *interval);

/* Return the number of regions in all intervals so far, each with its counters. */
size_t rs_timeline_points(const struct rs_timeline *timeline);

/* Merge each two intervals. Return false if memory runs out. */
bool rs_timeline_double_intervals(struct rs_timeline *timeline);

/* Make the content of the file after the run. path names it in messages. The caller releases file in
 * any case. Return false and set err if memory runs out or the counters do not fit. */
bool rs_timeline_make(struct rs_timeline *timeline, const struct rs_run *run, const char *path,
	struct rs_protobuf *file, struct rs_err *err);

#endif
