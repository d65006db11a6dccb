/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the files that compute a summary. It has the state that these files share,
 * and the functions with which each file computes one part of the summary.
 */
#ifndef RS_STATS_BUILDER_H
#define RS_STATS_BUILDER_H

#include "stats/columns.h"
#include "stats/merge.h"
#include "stats/summary.h"
#include "metrics/metrics.h"

struct rs_builder {
	struct rs_summary *summary;
	const struct rs_summary_options *options;
	struct rs_arena *arena;
	const struct rs_run *run;
	struct rs_columns columns;
	/* one element for each region of the run; for its meaning, see bound_ns in struct
	 * rs_summary_region */
	const double *bounds_ns;
};

/* ---- regions.c ---- */

/* Allocate *n regions of the summary and fill them from rows[n_rows]. If a row belongs to one
 * process or thread, it points to this process or thread in the summary. */
void rs_builder_make_rows(struct rs_builder *builder, const struct rs_result *rows, size_t n_rows,
	struct rs_summary_region **regions, size_t *n);

/* Return the values from which the metrics of a region are computed. measured: the number of
 * measured calls of the region. If region is NULL, the values are those of the whole run. */
struct rs_metrics_source rs_builder_metrics_source(const struct rs_builder *builder,
	const struct rs_summary_region *region, uint64_t measured);

/* Set the rates of work from its sums. time: the time of the same calls. */
void rs_builder_set_rates(struct rs_summary_work *work, const struct rs_value *time);

/* ---- places.c: processes and threads that have rows of their own ---- */

/*
 * Set the processes, threads and ranks of the summary, each with a unique label. The kernel reuses
 * pids and thread ids over time and in other pid namespaces, so an id alone is not unique. If
 * several processes have the same pid, the first one has the label "PID", the second one "PID.2",
 * and so on. They are in the order of their first markers. Threads of one process that have the
 * same id are labelled in the same way.
 */
void rs_builder_name_places(struct rs_builder *builder, const struct rs_merge *merge);

/* Return the process or thread with this index, or NULL for RS_ALL. */
const struct rs_summary_process *rs_builder_process(
	const struct rs_summary *summary, uint32_t index);
const struct rs_summary_thread *rs_builder_thread(const struct rs_summary *summary, uint32_t index);

/* ---- whole.c ---- */

/* Compute summary->whole, the time of all threads together. The summary must have its merged
 * regions. rs_builder_make_places() computes the time of each thread or process. */
void rs_builder_make_whole(struct rs_builder *builder);
void rs_builder_make_places(struct rs_builder *builder, bool per_thread);

/* ---- glance.c: shares of regions ---- */

/* Fill summary->shares. The summary's `run`, `columns`, `merged` and `whole` must be set. */
void rs_glance_make(struct rs_summary *summary, struct rs_arena *arena);

/* ---- distribution.c: histograms with few enough steps to print ---- */

/*
 * Fill distribution with the distribution that the user asked for. wish is "REGION", "REGION:EVENT"
 * or "REGION:cpu-time"; names of regions and events may contain colons. If the whole wish is the
 * name of a region, choose that region. Otherwise choose the region with the shortest name that is
 * followed by a colon and an event or cpu-time. The summary must have its merged regions.
 */
void rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_summary *summary, const char *wish);

/* ---- long_calls.c: the few longest calls of a region, and their share of its time ---- */

/* Fill long_calls from the times of a region's calls. If no time is known, set all its members to
 * 0. cpu_time: the on-CPU time of the same calls; it is used only if its status is ok. */
void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time);

/* ---- marker_overhead.c: the overhead of markers, from the runtime's calibration ---- */

/* Set summary->total.overhead, the overhead of the whole run. user_ns, system_ns and
 * whole.lifetimes_ns must be set. */
void rs_marker_overhead_of_run(struct rs_summary *summary);

void rs_marker_overhead_of_row(struct rs_marker_overhead *cost, const struct rs_result *row);

/* Return an array with one element for each region of the run: its bound_ns, see struct
 * rs_summary_region. */
const double *rs_marker_overhead_find_bounds(const struct rs_builder *builder);

/* ---- tails.c: event counts of a row's slowest calls, compared with its other calls ---- */

/* Highest number of tails of a row: the slowest tenth and the slowest hundredth of its calls. */
#define RS_TAILS 2u

/*
 * Find the tails of a row: the slowest tenth and the slowest hundredth of its calls. The row has
 * one count of calls for each octave of time, so a tail consists of the octaves with the longest
 * times. Choose the number of octaves so that the tail's share of the calls is nearest to a tenth
 * (a hundredth). The row has no such tail if this share differs from a tenth (a hundredth) by more
 * than a factor of sqrt(10). It also has none if too few calls were measured. Fill tails[RS_TAILS],
 * the larger tail first. Return the number of tails.
 */
size_t rs_tails_find(struct rs_tail *tails, const struct rs_result *row);

/*
 * Return the counts of one event in a tail. counters[n]: the numbers of the event's parts in the
 * segment. event: the sum of all parts over all calls of the row.
 */
struct rs_tail_event rs_tail_of_event(const struct rs_tail *tail, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *counters, size_t n);

/* Set the tails of a region: compute the counts of each column, and choose the columns to report.
 * region->values must be set. row: the row from which region was made. */
void rs_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_columns *columns, const struct rs_result *row);

/* ---- metrics.c ---- */

struct rs_metrics_source {
	const struct rs_columns *columns;
	const struct rs_value *values; /* one for each column; values[0] is time */
	/* number of measured calls of the region; 0: the values are those of the whole run */
	uint64_t measured;
	const struct rs_metrics *usual; /* metrics that are shown beside their events */
	const struct rs_plan *plan; /* the plan has the metrics that the user asked for */
	/* indexed by enum rs_fact; if RS_FACT_CPU_TIME is unknown, formulas use the event
	 * task-clock */
	struct rs_formula_value facts[RS_FACT_N];
};

/*
 * Compute the metrics of a row and fill *metrics with an array in arena. First come those of
 * source->usual that have a value. Then come all metrics that the user asked for, even those
 * without a value.
 */
void rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source);

void rs_metrics_set_fact(struct rs_metrics_source *source, enum rs_fact fact, double value);

#endif
