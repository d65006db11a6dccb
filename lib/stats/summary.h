/* SPDX-License-Identifier: MIT */
/*
 * The finished numbers: all that a report shows, computed. Reports format this and nothing else.
 */
#ifndef RS_STATS_SUMMARY_H
#define RS_STATS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "stats/counts.h"
#include "stats/percentiles.h"
#include "stats/run.h"
#include "stats/value.h"

/* No column of a summary. */
#define RS_NO_COLUMN SIZE_MAX

/* The result of a formula over values of one region or of the run. */
struct rs_metric {
	const char *name; /* "IPC", "frequency", "branch-miss rate" */
	const char *unit; /* "ratio", "GHz", "%" */
	size_t column; /* of the row beside which a table shows it; RS_NO_COLUMN: it has its own */
	double value; /* NAN: there is none */
	/* these are of metrics with rows of their own, which were asked for */
	enum rs_value_status status;
	bool is_apart; /* it has no value since its events were not counted together */
	bool lacks_cpu_time; /* the same, since on-CPU time is unknown */
	const struct rs_plan_metric *wanted;
};

/* The use of a column by a tail's calls. */
struct rs_tail_event {
	bool is_known; /* it was counted in all calls; else none of these exists */
	/* it is clearly more than the others had, and no chance: of as many calls picked at random next
	 * to none would have so much */
	bool is_more;
	uint64_t total; /* of the tail's calls: of those measured, by their weights */
	double avg; /* of one of them */
	double ratio; /* of that to the other calls' average; INFINITY where that is 0, NAN where both are */
};

/* The slowest of a region's calls, about a tenth or a hundredth, beside all others. */
struct rs_tail {
	double share; /* of the calls */
	uint64_t bound_ns; /* so long each of them took at least, and none of the others */
	uint64_t calls;
	size_t end; /* of the octaves that they lie in */
	bool is_scaled; /* calls and totals are estimates, of calls of which some were measured */
	struct rs_tail_event *events; /* one a column; that of time is not known */
	/* columns to report: what these calls clearly had more of, the largest ratio first; then
	 * instructions where these were equal. n_told is 0 where nothing stands out, or where the
	 * smaller tail has the same columns */
	size_t *told;
	size_t n_told;
};

struct rs_summary_column {
	const char *name; /* "time" or an event's name */
	const char *unit; /* "ns" or "count" */
	bool in_regions;
	bool in_totals;
	const char *help; /* one line: what it counts; NULL when nothing is known */
	bool is_part; /* one type of core's part of the last column before that is none */
};

/* The overhead of markers, which is subtracted from values, unless --raw. */
struct rs_own_cost {
	bool known; /* every thread that measured a call had learnt it */
	double call_ns; /* at least; of a call on average, measured or skipped by sampling */
	double pair_ns; /* a BEGIN and its END, around a measured call, on average */
	double total_ns; /* all of them; of the run with the first markers of threads */
	double share; /* of the run: total_ns of the program's CPU time; where that is unknown of
		       * the marked threads' time. In a region: part of the on-CPU time of its
		       * calls and total_ns together. 0 to 1; NAN when unknown */
};

/* The work of a region's calls, exactly, and what follows from it. */
struct rs_summary_work {
	uint64_t calls; /* with any work; 0: none, and the other members are not set */
	uint64_t bytes; /* these two UINT64_MAX where there were more */
	uint64_t flops;
	double gb_per_s; /* over the region's time, of all its threads; all three NAN when unknown */
	double gflop_per_s;
	double flop_per_byte;
};

/* One process: a program from its start or exec to its end or next exec. */
struct rs_summary_process {
	uint32_t index; /* of its entry */
	const char *label; /* its own within the report: "PID", "PID.2"; "?" where unknown */
	const char *name; /* as in /proc/PID/comm, any bytes; "" where unknown */
	bool has_rank; /* it is one of an MPI program */
	uint32_t rank;
};

/* One thread. */
struct rs_summary_thread {
	uint32_t index; /* of its slot */
	const struct rs_summary_process *process;
	const char *label; /* its own within its process: "TID", "TID.2"; "?" where unknown */
	const char *name; /* as in /proc/PID/task/TID/comm, any bytes; "" where unknown */
};

/* Half decades of time from 1 ns on; the last one has all that is longer. */
#define RS_SHAPE_STEPS 28u

/* No region of a summary; no share that is known. */
#define RS_NO_ROW SIZE_MAX
#define RS_NO_SHARE UINT32_MAX

/* The longest 2 % of a region's calls, one at least. */
struct rs_long_calls {
	double calls; /* part of the region's calls; 0: none are known */
	double time; /* part of its time */
	uint64_t bound_ns; /* each of them took at least so long */
	bool is_off_cpu; /* most of their time is off the CPU */
};

/* One region: of all processes and threads, or of one. */
struct rs_summary_region {
	const char *name;
	const char *parent; /* the region under which it stands in a tree; NULL: under none */
	const struct rs_summary_process *process; /* NULL: all */
	const struct rs_summary_thread *thread; /* NULL: all */
	uint64_t calls;
	uint64_t n_threads;
	uint64_t diag[RS_CELL_DIAG_N]; /* why calls are missing, and the like */
	const struct rs_ranks *ranks; /* NULL: the run is not a sum of merged runs */
	struct rs_own_cost own_cost;
	struct rs_summary_work work;
	/* of a row of works: the region of the calls, and the work of each; NULL: of a region.
	 * is_other: calls with further works, for which there was no place */
	const char *work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	bool is_other_work;
	uint64_t running; /* calls that may still end */
	/* one a column; on-CPU and off-CPU time are not supported where the kernel does not have
	 * them */
	struct rs_value *values;
	struct rs_metric *metrics;
	size_t n_metrics;
	uint64_t slowest_start_ns; /* after the program's start */
	uint32_t slowest_pid;
	uint32_t slowest_tid;
	struct rs_value *slowest; /* one a column, in total; NULL when none was measured */
	double slowest_ratio; /* its time over p90; NAN where there is none, or of a few calls */
	bool slowest_matters; /* that is much, and of all the time */
	struct rs_tail *tails; /* the larger first */
	size_t n_tails;
	bool is_apart; /* its calls were all asynchronous: they lie outside of the nesting, and what
			  they took is others' as well */
	bool is_short; /* on average a call is shorter than the markers around it */
	struct rs_long_calls long_calls;
	const double *shape; /* where its calls' time is, by how long they took: RS_SHAPE_STEPS
				parts of it, 0 to 1; NULL: not known */
	/* these two are of merged regions alone */
	size_t n_parents; /* different regions, or none, in which its calls began */
	size_t parent_row; /* of merged: that of parent, or RS_NO_ROW */
};

/* The self values of all merged regions in one column as parts of the whole. The whole of time is
 * the lives of the threads that marked, that of an event the count of the whole run. */
struct rs_shares {
	uint32_t
		*thousandths; /* one a merged region, or RS_NO_SHARE; with outside they make 1000 */
	uint32_t outside; /* in no region; RS_NO_SHARE where it is not known: then they are parts
			     of their sum */
	uint32_t overhead; /* of markers, of time; as outside */
};

/* The totals of a column by the threads that called a region; those are rows of regions. */
struct rs_spread {
	size_t n; /* threads; 0: the others are not set */
	size_t lowest;
	size_t median; /* the lower one of two */
	size_t highest;
	double imbalance; /* the highest over their average; NAN where that is 0 */
};

/* A part of a distribution: the calls with values from low to high. */
struct rs_distribution_step {
	uint64_t low; /* in the column's unit */
	uint64_t high;
	uint64_t calls; /* by weights, where calls are sampled */
	double sum; /* of their values */
};

/* The distribution of one column of one region over all threads. */
struct rs_distribution {
	const char *wish; /* as it was asked for; borrowed */
	const char *region; /* NULL: there is none such */
	size_t column;
	const struct rs_value *value; /* NULL: the region was never called */
	struct rs_distribution_step *steps; /* without a gap */
	size_t n_steps; /* 0: no call was counted whole */
	uint64_t calls; /* of all steps */
	uint64_t most; /* of one */
	double sum; /* of all steps */
	double most_sum; /* of one */
};

/* One thread, or all of one process, that marked. */
struct rs_summary_place {
	const struct rs_summary_process *process;
	const struct rs_summary_thread *thread; /* NULL: all of the process */
	uint64_t calls;
	uint64_t lifetime_ns;
	bool has_cpu; /* the next ones, which add up to lifetime_ns, are known */
	uint64_t cpu_ns;
	uint64_t off_ns[RS_OFF_N];
	const char
		*busiest; /* the region with most CPU time of its own, or most time; NULL: none */
};

/* The time of the threads that marked: lifetimes are the sum of all regions' self time, overhead and
 * unmarked, unless an estimate goes beyond it. */
struct rs_summary_whole {
	uint64_t lifetimes_ns; /* from each one's first marker to its end */
	uint64_t n_threads;
	uint64_t overhead_ns; /* of markers, in no region; 0 where it is below 1 % of lifetimes */
	uint64_t unmarked_ns; /* in no region, without that */
	bool has_cpu; /* of all of it it is known how much was on a CPU */
	uint64_t unmarked_off_ns[RS_OFF_N]; /* what of it was not; has_cpu, as the next ones */
	uint64_t cpu_ns; /* of regions, overhead and unmarked together */
	uint64_t off_ns[RS_OFF_N];
};

struct rs_summary {
	const struct rs_run *run; /* what it was made from; borrowed */
	const char *label; /* of the run; borrowed, as is argv */
	char *const *argv;
	int exit_status; /* as regionstat passes it on */
	int term_signal; /* that killed the program; 0: none */
	bool timed_out;
	struct rs_summary_column *columns; /* the first are those of enum rs_event_index */
	size_t n_columns;
	struct rs_percentiles percentiles; /* to be shown beside the usual ones */
	uint64_t elapsed_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t own_setup_ns; /* first markers of threads: they open the counters */
	struct rs_summary_region total; /* the whole run, without a name: values[0] is elapsed time;
					   overhead is with own_setup_ns; and metrics */
	struct rs_summary_region *regions; /* in first-seen order */
	size_t n_regions;
	/* calls of the same work, beside their regions: rows as those, with --by-work */
	struct rs_summary_region *works;
	size_t n_works;
	struct rs_summary_region *merged; /* one each, of all processes and threads: regions itself
					     where they are not split; in the same order */
	size_t n_merged;
	struct rs_summary_whole whole;
	struct rs_shares *shares; /* one a column */
	struct rs_summary_place *places; /* rows are of these; none where they are of all */
	size_t n_places;
	struct rs_spread *spreads; /* n_columns a merged region; NULL: rows are not of threads */
	struct rs_distribution *distributions; /* that the options wish for */
	size_t n_distributions;
	struct rs_summary_process *processes; /* those of regions that are not of all */
	size_t n_processes;
	/* all that are ranks of an MPI program, ascending by rank; where regions are split, those of
	 * processes alone */
	struct rs_summary_process *ranks;
	size_t n_ranks;
	struct rs_summary_thread *threads;
	size_t n_threads;
	struct rs_summary_process *running; /* that still ran when the launcher stopped waiting */
	size_t n_running;
	const struct rs_counts
		*counts; /* what accumulators say beside values; NULL: nothing was measured */
	struct rs_metrics *usual; /* that are shown beside their events; owned */
	void *arena; /* owns all strings and arrays above that are not borrowed */
};

/* How the reader wants to see it. */
struct rs_summary_options {
	bool per_process; /* one region row a process instead of one for all */
	bool per_thread; /* one a thread slot */
	struct rs_percentiles percentiles;
	const char *const *distributions; /* "REGION" or "REGION:EVENT"; borrowed */
	size_t n_distributions;
};

/*
 * Compute the summary of a run. run: borrowed; must outlive the summary. Where nothing was measured
 * there are only its totals. summary: filled on success; release with rs_summary_finish().
 * False, with err filled: no memory, or a run whose parts do not fit together.
 */
bool rs_summary_init(struct rs_summary *summary, const struct rs_summary_options *options,
	const struct rs_run *run, struct rs_err *err);

/* Release what the summary owns. summary: filled, zeroed, or NULL. */
void rs_summary_finish(struct rs_summary *summary);

#endif
