/* SPDX-License-Identifier: MIT */
/*
 * The trace of a run (--trace) is a file of limited size for Perfetto. It contains a timeline of
 * calls. While the program runs, the launcher takes calls out of the segment. After the run it
 * writes the file.
 */
#ifndef RS_TRACE_TIMELINE_H
#define RS_TRACE_TIMELINE_H

#include "base/err.h"
#include "trace/counters.h"
#include "trace/rings.h"
#include "trace/rules.h"

/* Interval of ticks while calls come fast. The ring of a thread has room for the calls of one
 * interval if a call begins every 80 ns. */
#define RS_TIMELINE_TICK_MS 1u

#define RS_TIMELINE_LEAST_BYTES UINT64_C(65536)

struct rs_timeline {
	uint64_t most_bytes; /* limit of the size of the file */
	struct rs_trace_rings rings;
	/* While selection.is_selective is true, threads keep only some of their calls. The caller
	 * must then call rs_timeline_set_rules(). */
	struct rs_trace_selection selection;
	struct rs_traced_calls calls;
	/* a ring of recent calls, which is used while threads do not keep every call */
	struct rs_traced_calls recent;
	struct rs_trace_counters counters; /* the caller adds each interval of the run */
};

/* Return a timeline for a new segment whose flags include RS_SEGMENT_TRACES. The file will have at
 * most most_bytes, which must be at least RS_TIMELINE_LEAST_BYTES. If there is a condition, the
 * file contains only the calls that meet it, the calls within them, and the calls that contain
 * them. The caller releases the timeline with rs_timeline_destroy(). Return NULL and set err if
 * memory runs out. */
struct rs_timeline *rs_timeline_create(const struct rs_segment *segment, uint64_t most_bytes,
	const struct rs_trace_condition *condition, struct rs_err *err);
void rs_timeline_destroy(struct rs_timeline *timeline);

/* Take the calls since the last tick out of the rings. Return true if the next tick must follow
 * soon. */
bool rs_timeline_tick(struct rs_timeline *timeline);

/* If threads do not keep every call, decide from the summary of the run so far which calls are
 * slow. */
void rs_timeline_set_rules(struct rs_timeline *timeline, const struct rs_summary *summary);

/* Make the contents of the file after the run. path is used in messages only. The caller releases
 * file, even after a failure. Return false and set err if memory runs out or the counters do not
 * fit. */
bool rs_timeline_make(struct rs_timeline *timeline, const struct rs_run *run, const char *path,
	struct rs_protobuf *file, struct rs_err *err);

#endif
