/* SPDX-License-Identifier: MIT */
/*
 * A summary holds every number that a report shows. The code of reports only formats these numbers.
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
	/* index of the column beside which a table shows the metric; RS_NO_COLUMN: the metric has a
	 * row of its own */
	size_t column;
	double value; /* NAN: no value */
	/* The following members are set only if the user asked for the metric. */
	enum rs_value_status status;
	bool is_apart; /* value is NAN, since the events of the formula were not counted together */
	bool lacks_cpu_time; /* value is NAN, since on-CPU time is unknown */
	const struct rs_plan_metric *wanted;
};

/* Counts of one event in the calls of a tail, which are the slowest calls of a region. */
struct rs_tail_event {
	/* the event was counted in all measured calls of the region; if false, the other members
	 * are not set */
	bool is_known;
	/* The tail's calls had clearly higher counts than the other calls. Chance does not explain
	 * the difference: the same number of calls, picked at random, would hardly reach the tail's
	 * sum. */
	bool is_more;
	/* sum over the tail's calls; each measured call is multiplied by its weight */
	uint64_t total;
	double avg; /* average count of a call in the tail */
	/* avg divided by the average of the other calls; INFINITY if only the latter is 0, NAN if
	 * both averages are 0 */
	double ratio;
};

/* A tail: the slowest calls of a region, about a tenth or a hundredth of all. Reports compare them
 * with the other calls. */
struct rs_tail {
	double share; /* share of the region's calls */
	uint64_t bound_ns; /* least time of the tail's calls; all other calls took less */
	uint64_t calls;
	/* the tail consists of octaves 0 to end - 1 of struct rs_result, which have the longest
	 * times */
	size_t end;
	bool is_scaled; /* calls and totals are estimates, since not all calls were measured */
	struct rs_tail_event *events; /* one for each column; that of time has is_known = false */
	/* Indexes of the columns to report, the largest ratio first. They are the events that
	 * clearly occurred more often in the tail. Instructions are added if their average was
	 * about equal in the tail and outside of it. n_shown is 0 if no event was clearly more
	 * frequent, or if the smaller tail reports the same columns. */
	size_t *shown;
	size_t n_shown;
};

struct rs_summary_column {
	const char *name; /* "time", or the name of an event */
	const char *unit;
	bool in_regions;
	bool in_totals;
	const char *help; /* what the event counts, in one line; NULL: unknown */
	/* the column counts on one type of core; the last column before it with is_part = false has
	 * the sum over all types */
	bool is_part;
	bool is_ns; /* the values are times */
};

/* The overhead of markers. It is subtracted from values unless --raw is given. */
struct rs_marker_overhead {
	bool known; /* each thread that has measured a call has also calibrated the overhead */
	/* lower bound of the average overhead of a call, whether measured or skipped by sampling */
	double call_ns;
	double pair_ns; /* average overhead of the BEGIN and the END of a measured call */
	/* sum of all overhead; for the run, it includes overhead_setup_ns of struct rs_summary */
	double total_ns;
	/* part of total_ns in slow paths of markers: first calls, and calls after context switches;
	 * sampling skips neither of them */
	double slow_ns;
	/* From 0 to 1; NAN: unknown. For the run: total_ns divided by the program's CPU time, or by
	 * the time of the marked threads if the CPU time is unknown. For a region: total_ns divided
	 * by the sum of total_ns and the on-CPU time of the region's calls. */
	double share;
};

/* The bytes and floating-point operations that a region's calls reported, and rates computed from
 * them. The sums are exact. */
struct rs_summary_work {
	uint64_t calls; /* number of calls that reported work; 0: the other members are not set */
	uint64_t bytes; /* bytes and flops stay at UINT64_MAX if they overflow */
	uint64_t flops;
	/* the first two are sums divided by the time of the region on all threads; each of the
	 * three is NAN if it is unknown */
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
	/* unique in its process: "TID", "TID.2"; "several threads": they used one slot; "?":
	 * unknown */
	const char *label;
	const char *name; /* text of /proc/PID/task/TID/comm, any bytes; "": unknown or several */
};

/* `shape` divides the times of calls into this many half decades. Each begins at sqrt(10) times the
 * begin of the previous one. The first begins at 1 ns; the last also contains all longer calls. */
#define RS_SHAPE_STEPS 28u

/* The index that means "no row", and the share that means "unknown". */
#define RS_NO_ROW SIZE_MAX
#define RS_NO_SHARE UINT32_MAX

/* The longest calls of a region: 2 % of its calls, at least one. If far fewer calls take nearly as
 * much time, the struct describes only those. */
struct rs_long_calls {
	/* number of these calls as a share of all calls; 0: no such calls are known */
	double calls;
	double time; /* time of these calls as a share of the region's time */
	double time_of_part; /* the same of the longest 2 % of the calls, at least one */
	uint64_t bound_ns; /* least time of such a call */
	bool is_off_cpu; /* most of the time of these calls is off the CPU */
};

/* One row of a report: one region, merged over all processes and threads, or over one of them. */
struct rs_summary_region {
	uint32_t index; /* index of the region in the run */
	const char *name;
	const char *parent; /* parent in the tree of regions; NULL: none */
	const struct rs_summary_process *process; /* NULL: all processes */
	const struct rs_summary_thread *thread; /* NULL: all threads */
	uint64_t calls;
	uint64_t n_threads;
	/* counts of lost calls and other faults, indexed by enum rs_accumulator_diag */
	uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	/* times of processes; NULL: the run is not a sum of merged runs */
	const struct rs_ranks *ranks;
	struct rs_marker_overhead overhead;
	struct rs_summary_work work;
	/* In rows of --by-work, work_of is the name of the region that was called. Each call of the
	 * row reported the work in work_bytes and work_flops. If is_other_work is true, the calls
	 * of the row did different kinds of other work, for which there were no further
	 * accumulators. */
	const char *work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	bool is_other_work;
	uint64_t running; /* number of open calls that can still end */
	/* One for each column. The status of on-CPU and off-CPU time is not-supported if the kernel
	 * does not provide them. */
	struct rs_value *values;
	struct rs_metric *metrics;
	size_t n_metrics;
	/* begin of the slowest call, in ns after the start of the program */
	uint64_t slowest_start_ns;
	uint32_t slowest_pid;
	uint32_t slowest_tid;
	/* one for each column; its `total` is the value of the slowest call; NULL: no call was
	 * measured */
	struct rs_value *slowest;
	/* time of the slowest call as a multiple of p90; NAN: unknown, or too few calls */
	double slowest_ratio;
	/* the slowest call took much longer than p90, and a large part of the region's time */
	bool slowest_matters;
	struct rs_tail *tails; /* the larger tail first */
	size_t n_tails;
	/* All calls were asynchronous. They are not nested, so their time is also in other
	 * regions. */
	bool is_apart;
	/* If an average call is shorter than the overhead of a BEGIN and END: this overhead in ns.
	 * Otherwise 0. Times below this bound are unknown. */
	double bound_ns;
	struct rs_long_calls long_calls;
	/* for each of RS_SHAPE_STEPS half decades: the time of calls of this length as a share of
	 * the region's time; NULL: unknown */
	const double *shape;
	/* The following members are set in merged regions only. n_parents is the number of other
	 * regions in which calls of this region began; "outside of all regions" counts as one. */
	size_t n_parents;
	size_t parent_row; /* index of the parent in `merged`, or RS_NO_ROW */
	/* The rows of this region in rs_summary.regions: first_row <= index < end_row. These rows
	 * are adjacent, in the order of `merged`, and each one has a merged region. */
	size_t first_row, end_row;
};

/* For one column, the self value of each merged region as a share of a whole. For time, the whole
 * is the sum of the lifetimes of all threads that marked; for on-CPU or off-CPU time, it is that
 * part of this sum. For an event, it is the count of the run. */
struct rs_shares {
	uint64_t whole; /* in the unit of the column; 0: unknown */
	/* one for each merged region, which can be RS_NO_SHARE; the sum of all of these, `outside`
	 * and `overhead` is 1000 */
	uint32_t *thousandths;
	/* share of the value in no region; RS_NO_SHARE: it is unknown, and not in the sum */
	uint32_t outside;
	/* share of the markers' overhead, for time and on-CPU time; RS_NO_SHARE: not in the sum */
	uint32_t overhead;
	/* the value in no region, in the unit of the column; 0 if it is unknown */
	uint64_t unmarked;
};

/* How evenly threads share the value of one region in one column. `lowest` and `highest` are
 * indexes in rs_summary.regions. */
struct rs_spread {
	size_t n; /* number of threads; 0: the other members are not set */
	size_t lowest;
	size_t highest;
	uint64_t median; /* for an even number of threads, the average of the middle two */
	double imbalance; /* the highest value divided by the average; NAN if the average is 0 */
};

/* A step of a distribution: the calls with values from low to high. */
struct rs_distribution_step {
	uint64_t low; /* lower bound, in the unit of the column */
	uint64_t high;
	uint64_t calls; /* number of these calls; if calls were sampled, the sum of their weights */
	double sum; /* sum of the values of these calls */
};

/* The distribution of one column of one region over all threads. */
struct rs_distribution {
	const char *wish; /* "REGION" or "REGION:EVENT" as the user gave it; borrowed */
	const char *region; /* NULL: there is no such region, or its event has no distribution */
	bool lacks_event; /* region is NULL because of the event */
	size_t column;
	const struct rs_summary_region *row; /* NULL: the region was never called */
	struct rs_distribution_step *steps; /* each step begins where the one before it ends */
	/* number of steps; 0: in no call was the event counted from begin to end */
	size_t n_steps;
	uint64_t calls; /* number of calls in all steps */
	uint64_t most; /* number of calls in the step that has the most calls */
	double sum; /* sum of values in all steps */
	double most_sum; /* sum of values in the step with the largest sum */
};

/* Time of one thread that called markers, or of all such threads of a process. */
struct rs_summary_place {
	const struct rs_summary_process *process;
	const struct rs_summary_thread *thread; /* NULL: all threads of the process */
	uint64_t calls;
	uint64_t lifetime_ns;
	bool has_cpu; /* cpu_ns and off_ns are known; they add up to lifetime_ns */
	uint64_t cpu_ns;
	uint64_t unmarked_cpu_ns; /* the part of cpu_ns in no region */
	uint64_t off_ns[RS_OFF_N];
	/* region with the most on-CPU self time; if on-CPU time is unknown, the region with the
	 * most self time; NULL: none */
	const char *busiest;
};

/* Time of all threads that called markers. The sum of all regions' self time, overhead and unmarked
 * time equals the lifetimes of these threads, unless estimates exceed them. */
struct rs_summary_whole {
	/* sum of the times from the first marker of each thread to its end */
	uint64_t lifetimes_ns;
	uint64_t n_threads;
	/* overhead of markers, which belongs to no region; 0 if it is below 1 % of lifetimes_ns */
	uint64_t overhead_ns;
	uint64_t unmarked_ns; /* time in no region, without overhead */
	bool has_cpu; /* on-CPU time is known for all regions */
	/* off-CPU part of unmarked_ns; this and the next two members are valid only if has_cpu is
	 * true */
	uint64_t unmarked_off_ns[RS_OFF_N];
	uint64_t cpu_ns; /* on-CPU time of regions, overhead and unmarked time together */
	uint64_t off_ns[RS_OFF_N];
};

struct rs_summary {
	const struct rs_run *run; /* borrowed */
	const char *label; /* label of the run; label and argv are borrowed */
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
	/* CPU time of all threads in their first markers, which open the counters, and at their
	 * ends */
	uint64_t overhead_setup_ns;
	/* The whole run, with `name` NULL. values[0] is the elapsed time; `overhead` includes
	 * overhead_setup_ns. */
	struct rs_summary_region total;
	struct rs_summary_region *regions; /* regions in the order of their first use */
	size_t n_regions;
	/* With --by-work: rows of calls that did the same work. */
	struct rs_summary_region *works;
	size_t n_works;
	/* One for each region, merged over all processes and threads, in the order of `regions`. It
	 * points to `regions` if rows are not split. */
	struct rs_summary_region *merged;
	size_t n_merged;
	struct rs_summary_whole whole;
	struct rs_shares *shares; /* one for each column */
	/* the processes or threads by which rows are split; none if rows are not split */
	struct rs_summary_place *places;
	size_t n_places;
	struct rs_distribution *distributions; /* distributions that the user asked for */
	size_t n_distributions;
	struct rs_summary_process *processes; /* the processes by which rows are split */
	size_t n_processes;
	/* Processes of an MPI program, ascending by rank. If rows are split, the list contains only
	 * processes that have rows. */
	struct rs_summary_process *ranks;
	size_t n_ranks;
	struct rs_summary_thread *threads;
	size_t n_threads;
	/* processes that still ran when the launcher stopped waiting */
	struct rs_summary_process *running;
	size_t n_running;
	/* counts of calls and faults from all accumulators; NULL: nothing was measured */
	const struct rs_counts *counts;
	struct rs_metrics *usual; /* metrics that are shown beside their events; owned */
	struct rs_arena arena; /* owns all strings and arrays above that are not borrowed */
};

/* The user's options for a report. */
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
 * and set err if memory runs out or parts of the run contradict each other.
 */
bool rs_summary_init(struct rs_summary *summary, const struct rs_summary_options *options,
	const struct rs_run *run, struct rs_err *err);

/* Return how evenly threads share a merged region in one column. Rows must be split by threads.
 * arena: scratch memory. */
struct rs_spread rs_spread_of(
	const struct rs_summary *summary, size_t region, size_t column, struct rs_arena *arena);

/* Release what the summary owns. summary may be zeroed. */
void rs_summary_finish(struct rs_summary *summary);

/* The results of a run at one point of time, while it continues or at its end. Its members point to
 * each other, so it must not be moved. */
struct rs_snapshot {
	struct rs_outcome outcome;
	struct rs_run run;
	struct rs_summary summary;
};

/* Release the members of a snapshot, which may be zeroed. The second function also frees the
 * snapshot, which may be NULL. */
void rs_snapshot_finish(struct rs_snapshot *snapshot);
void rs_snapshot_release(struct rs_snapshot *snapshot);

#endif
