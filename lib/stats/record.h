/* SPDX-License-Identifier: MIT */
/*
 * A finished run as one value: its plan, its course, and its measurements, in exact numbers. All
 * that a report shows follows from it and from the reader's view options. So a run that was saved
 * and read again (record/save.h, record/load.h) looks the same as at once.
 */
#ifndef RS_STATS_RECORD_H
#define RS_STATS_RECORD_H

#include "launch/launch.h"
#include "plan/plan.h"
#include "stats/collect.h"
#include "stats/machine.h"

/* Calls that were reported as they happened, by one rule. */
struct rs_record_slow {
	char *region; /* a glob */
	char *condition; /* such as "time>1ms" */
	uint64_t calls; /* that were slow by it, reported or not */
};

/* An adapter of another marker API that the program got, or had use for. */
struct rs_record_marker {
	char *word; /* such as "likwid" */
	bool is_asked; /* by that word; else the program showed to use it */
	bool is_other; /* it was not loaded, since others were asked for */
	char *why; /* by what, and what hindered it; NULL: asked for, and nothing did */
	char *environment; /* variables as the program had them, a line each; "" for none */
};

/* How it was measured: what was asked for, beside the events. */
struct rs_record_how {
	bool per_process; /* no slot was used by a second process */
	bool per_thread; /* no slot was used by a second thread */
	bool wait_all; /* the launcher waited for all processes that mark */
	int64_t delay_ms; /* as in struct rs_launch_options */
	bool raw; /* the markers' overhead is not subtracted */
	bool by_work; /* calls of different work are kept apart */
	const struct rs_segment_region *samples; /* regions that were named beforehand */
	size_t n_samples;
	const char *const *only; /* globs of the regions that were wanted */
	size_t n_only; /* 0: all were */
	const struct rs_record_marker *markers;
	size_t n_markers;
	const struct rs_record_slow *slow;
	size_t n_slow; /* 0: no call was to be reported */
	/* slow calls: reported, more than the limit of a second, lost on the way, and reported
	 * without a file to write to (rs_slow_counts) */
	uint64_t slow_lines;
	uint64_t slow_left_out;
	uint64_t slow_lost;
	uint64_t slow_unwritten;
	int slow_errno; /* of the first that could not be written; 0: it is not known */
};

struct rs_record {
	const char *label; /* what the run is called, any bytes */
	int64_t started_s; /* when, in seconds of CLOCK_REALTIME; 0: unknown */
	struct rs_machine machine; /* on which */
	char *const *argv; /* the program; NULL-terminated */
	struct rs_record_how how;
	const struct rs_plan *plan;
	const struct rs_collection *collection; /* NULL: it could not be read */
	const struct rs_outcome *outcome; /* whose program started */
};

#endif
