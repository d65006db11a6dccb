/* SPDX-License-Identifier: MIT */
/*
 * A summary: all numbers that a report shows. Reports only format them.
 */
#ifndef RS_STATS_SUMMARY_H
#define RS_STATS_SUMMARY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/counts.h"
#include "stats/percentiles.h"
#include "stats/run.h"
#include "stats/value.h"

/* The index that means "no column". */
#define RS_NO_COLUMN SIZE_MAX

/* The result of a formula over values of a region or of the run. */
struct rs_metric {
	const char *name;
	const char *unit;
	/* column beside which a table shows the metric; RS_NO_COLUMN: in a row of its own */
	size_t column;
	double value; /* NAN: no value */
	/* The other members are set for metrics that the user asked for. */
	enum rs_value_status status;
	bool is_apart; /* no value, since its events were not counted together */
	bool lacks_cpu_time; /* no value, since on-CPU time is unknown */
	const struct rs_plan_metric *wanted;
};

/* How much the calls of a tail used of an event. */
struct rs_tail_event {
	/* the event was counted in all calls; otherwise the other members are not set */
	bool is_known;
	/* the tail's calls had clearly more than the others, and chance does not explain it: as
	 * many calls picked at random would hardly have so much */
	bool is_more;
	uint64_t total; /* total of the tail's calls: that of measured calls by their weights */
	double avg; /* average of these calls */
	/* ratio of avg to the average of the other calls; INFINITY if that is 0, NAN if both are */
	double ratio;
};

/* The slowest calls of a region, about a tenth or a hundredth, compared with the other calls. */
struct rs_tail {
	double share; /* share of the region's calls */
	uint64_t bound_ns; /* least time of the tail's calls; all other calls took less */
	uint64_t calls;
	size_t end; /* the tail has the octaves 0 to end - 1, those of the longest times */
	bool is_scaled; /* calls and totals are estimates, since not all calls were measured */
	struct rs_tail_event *events; /* for each column; that of time is not known */
	/* Columns to report, the largest ratio first: events of which the tail clearly had more.
	 * Instructions are added if they were equal. n_shown is 0 if nothing stands out or the
	 * smaller tail reports the same columns. */
	size_t *shown;
	size_t n_shown;
};

struct rs_summary_column {
	const char *name; /* "time", or the name of an event */
	const char *unit;
	bool in_regions;
	bool in_totals;
	const char *help; /* what the event counts, in one line; NULL: unknown */
	/* the part of one type of core; its sum is the last column before it that is not a part */
	bool is_part;
};

/* The overhead of markers. It is subtracted from values unless --raw is given. */
struct rs_marker_overhead {
	bool known; /* every thread that measured calls has calibrated the overhead */
	double call_ns; /* lower bound for an average call, measured or skipped by sampling */
	double pair_ns; /* average of a BEGIN and END around a measured call */
	double total_ns; /* all overhead; that of the run includes the first markers of threads */
	/* from 0 to 1, NAN: unknown. Of the run: total_ns as a share of the program's CPU time, or
	 * of the marked threads' time if that is unknown. Of a region: total_ns as a share of
	 * total_ns and the on-CPU time of its calls. */
	double share;
};

/* The work of a region's calls, which is exact, and rates of it. */
struct rs_summary_work {
	uint64_t calls; /* calls that reported work; 0: the other members are not set */
	uint64_t bytes; /* bytes and flops stay at UINT64_MAX if they overflow */
	uint64_t flops;
	/* rates over the time of the region on all threads; all three are NAN if unknown */
	double gb_per_s;
	double gflop_per_s;
	double flop_per_byte;
};

/* One process: a program from its start or exec to its end or next exec. */
struct rs_summary_process {
	uint32_t index; /* index in the run */
	const char *label; /* unique in the report: "PID", "PID.2"; "?": unknown */
	const char *name; /* text of /proc/PID/comm, any bytes; "": unknown */
	bool has_rank; /* the process belongs to an MPI program */
	uint32_t rank;
};

struct rs_summary_thread {
	uint32_t index; /* index of its slot */
	const struct rs_summary_process *process;
	const char *label; /* unique in its process: "TID", "TID.2"; "?": unknown */
	const char *name; /* text of /proc/PID/task/TID/comm, any bytes; "": unknown */
};

/* Half decades of time from 1 ns on; the last one also has all longer calls. */
#define RS_SHAPE_STEPS 28u

/* The index that means "no row", and the share that means "unknown". */
#define RS_NO_ROW SIZE_MAX
#define RS_NO_SHARE UINT32_MAX

/* The longest 2 % of a region's calls, at least one. */
struct rs_long_calls {
	double calls; /* share of these calls among all calls; 0: no such calls are known */
	double time; /* share of these calls in the region's time */
	uint64_t bound_ns; /* least time of such a call */
	bool is_off_cpu; /* most of their time is off the CPU */
};

/* One region over all processes and threads, or over one of them. */
struct rs_summary_region {
	uint32_t index; /* index of the region in the run */
	const char *name;
	const char *parent; /* parent in the tree of regions; NULL: none */
	const struct rs_summary_process *process; /* NULL: all processes */
	const struct rs_summary_thread *thread; /* NULL: all threads */
	uint64_t calls;
	uint64_t n_threads;
	uint64_t diag[RS_ACCUMULATOR_DIAG_N]; /* counts of missing calls and the like */
	const struct rs_ranks *ranks; /* NULL: the run is not a sum of merged runs */
	struct rs_marker_overhead overhead;
	struct rs_summary_work work;
	/* In rows of work: the region of the calls, and the work of each call; otherwise NULL.
	 * is_other_work: calls with further works, for which there was no accumulator. */
	const char *work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	bool is_other_work;
	uint64_t running; /* open calls that may still end */
	/* One for each column. On-CPU and off-CPU time are not-supported if the kernel does not
	 * tell them. */
	struct rs_value *values;
	struct rs_metric *metrics;
	size_t n_metrics;
	uint64_t slowest_start_ns; /* after the start of the program */
	uint32_t slowest_pid;
	uint32_t slowest_tid;
	/* for each column: the value of the slowest call as total; NULL: no call was measured */
	struct rs_value *slowest;
	/* time of the slowest call as a multiple of p90; NAN: unknown, or too few calls */
	double slowest_ratio;
	/* the slowest call took much longer than p90, and much of all the time */
	bool slowest_matters;
	struct rs_tail *tails; /* the larger tail first */
	size_t n_tails;
	/* All calls were asynchronous. They are outside the nesting, so their time is also in other
	 * regions. */
	bool is_apart;
	bool is_short; /* on average, calls are shorter than the markers around them */
	struct rs_long_calls long_calls;
	/* for each of RS_SHAPE_STEPS half decades, the share of the time in calls of that length;
	 * NULL: unknown */
	const double *shape;
	/* These two are set in merged regions only. */
	/* number of different regions in which calls began; no region counts as one */
	size_t n_parents;
	size_t parent_row; /* index of parent in merged, or RS_NO_ROW */
};

/* Return the time of a pair of markers in ns if the calls of a region are shorter, else 0. Times of
 * its calls below this are unknown. */
static inline double rs_summary_bound_ns(const struct rs_summary_region *region)
{
	bool is_known = region->is_short && isfinite(region->overhead.pair_ns);
	return is_known ? ceil(region->overhead.pair_ns) : 0;
}

/* The self values of all merged regions in one column, as shares of the whole. The whole of time is
 * the lifetimes of the threads that marked; that of an event is the count of the run. */
struct rs_shares {
	/* for each merged region, or RS_NO_SHARE; they, outside and overhead add up to 1000 */
	uint32_t *thousandths;
	/* share of time in no region; RS_NO_SHARE: unknown, so the regions alone add up to 1000 */
	uint32_t outside;
	/* share of the markers' overhead, for time only; RS_NO_SHARE: as for outside */
	uint32_t overhead;
	uint64_t unmarked; /* the value whose share is outside; 0 if that is unknown */
};

/* How threads share a region in one column. Members are indexes of rows in regions. */
struct rs_spread {
	size_t n; /* number of threads; 0: the others are not set */
	size_t lowest;
	size_t median; /* the lower of two */
	size_t highest;
	double imbalance; /* highest divided by the average; NAN if the average is 0 */
};

/* A step of a distribution: the calls with values from low to high. */
struct rs_distribution_step {
	uint64_t low; /* lower bound, in the unit of the column */
	uint64_t high;
	uint64_t calls; /* number of calls; sum of their weights if calls were sampled */
	double sum; /* sum of the values of these calls */
};

/* The distribution of one column of one region over all threads. */
struct rs_distribution {
	const char *wish; /* text that the user gave; borrowed */
	const char *region; /* NULL: there is no such region */
	size_t column;
	const struct rs_value *value; /* NULL: the region was never called */
	struct rs_distribution_step *steps; /* without gaps */
	/* number of steps; 0: the event was counted for the full length of no call */
	size_t n_steps;
	uint64_t calls; /* number of calls in all steps */
	uint64_t most; /* number of calls in the largest step */
	double sum; /* sum of values in all steps */
	double most_sum; /* sum of values in the step with the largest sum */
};

/* One thread that marked, or all such threads of a process. */
struct rs_summary_place {
	const struct rs_summary_process *process;
	const struct rs_summary_thread *thread; /* NULL: all threads of the process */
	uint64_t calls;
	uint64_t lifetime_ns;
	bool has_cpu; /* cpu_ns and off_ns are known; they add up to lifetime_ns */
	uint64_t cpu_ns;
	uint64_t off_ns[RS_OFF_N];
	/* region with most on-CPU self time, or most self time if that is unknown; NULL: none */
	const char *busiest;
};

/* The time of the threads that marked. Their lifetimes are the sum of all regions' self time,
 * overhead and unmarked time, unless estimates exceed them. */
struct rs_summary_whole {
	/* sum of the times from the first marker of each thread to its end */
	uint64_t lifetimes_ns;
	uint64_t n_threads;
	/* overhead of markers, in no region; 0 if it is below 1 % of lifetimes */
	uint64_t overhead_ns;
	uint64_t unmarked_ns; /* time in no region, without overhead */
	bool has_cpu; /* on-CPU time is known for all regions */
	/* off-CPU part of unmarked_ns; set if has_cpu is, as are the next two */
	uint64_t unmarked_off_ns[RS_OFF_N];
	uint64_t cpu_ns; /* on-CPU time of regions, overhead and unmarked time together */
	uint64_t off_ns[RS_OFF_N];
};

struct rs_summary {
	const struct rs_run *run; /* borrowed */
	const char *label; /* label of the run; borrowed, as argv is */
	char *const *argv;
	int exit_status; /* exit status that regionstat returns */
	int term_signal; /* signal that killed the program; 0: none */
	bool timed_out;
	struct rs_summary_column *columns; /* the first ones are those of enum rs_event_index */
	size_t n_columns;
	struct rs_percentiles percentiles; /* percentiles that the user asked for */
	uint64_t elapsed_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t overhead_setup_ns; /* first markers of threads, which open the counters */
	/* the whole run, without a name; values[0] is elapsed time, and overhead includes
	 * overhead_setup_ns */
	struct rs_summary_region total;
	struct rs_summary_region *regions; /* regions in the order of their first use */
	size_t n_regions;
	/* With --by-work: rows of calls that did the same work. */
	struct rs_summary_region *works;
	size_t n_works;
	/* one for each region over all processes and threads, in the same order; it is regions if
	 * rows are not split */
	struct rs_summary_region *merged;
	size_t n_merged;
	struct rs_summary_whole whole;
	struct rs_shares *shares; /* one for each column */
	/* processes or threads that rows are split by; none if rows are not split */
	struct rs_summary_place *places;
	size_t n_places;
	/* n_columns for each merged region; NULL: rows are not split by threads */
	struct rs_spread *spreads;
	struct rs_distribution *distributions; /* distributions that the user asked for */
	size_t n_distributions;
	struct rs_summary_process *processes; /* processes that rows are split by */
	size_t n_processes;
	/* Processes of an MPI program, ascending by rank. If rows are split, only those that have
	 * rows. */
	struct rs_summary_process *ranks;
	size_t n_ranks;
	struct rs_summary_thread *threads;
	size_t n_threads;
	/* processes that still ran when the launcher stopped waiting */
	struct rs_summary_process *running;
	size_t n_running;
	const struct rs_counts *counts; /* counts of accumulators; NULL: nothing was measured */
	struct rs_metrics *usual; /* metrics that are shown beside their events; owned */
	struct rs_arena arena; /* owns all strings and arrays above that are not borrowed */
};

/* How the reader wants to see the run. */
struct rs_summary_options {
	bool per_process; /* one row for each region and process */
	bool per_thread; /* one row for each region and thread slot */
	struct rs_percentiles percentiles;
	const char *const *distributions; /* "REGION" or "REGION:EVENT"; borrowed */
	size_t n_distributions;
};

/*
 * Compute the summary of a run. The run must outlive the summary. If nothing was measured, the
 * summary only has the totals of the run. Release summary with rs_summary_finish(). Return false
 * and set err if memory runs out or parts of the run do not fit together.
 */
bool rs_summary_init(struct rs_summary *summary, const struct rs_summary_options *options,
	const struct rs_run *run, struct rs_err *err);

/* Release what the summary owns. summary may be zeroed or NULL. */
void rs_summary_finish(struct rs_summary *summary);

#endif
