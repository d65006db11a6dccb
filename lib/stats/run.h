/* SPDX-License-Identifier: MIT */
/*
 * A measured run: its plan, its outcome and its results. rs_collect() fills it from a segment,
 * record/record.h from a file, and rs_run_merge() from other runs. Reports are computed from a run
 * and the user's options for reports, and from nothing else. With sampling, each measured call has
 * a weight: the number of calls that it represents.
 */
#ifndef RS_STATS_RUN_H
#define RS_STATS_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "launch/launch.h"
#include "plan/plan.h"
#include "segment/adapters.h"
#include "segment/layout.h"
#include "stats/machine.h"
#include "stats/value.h"

/* No thread makes this many calls: if a call took 10 ns, they would take two weeks. */
#define RS_MAX_CALLS (UINT64_C(1) << 47)

/* The index that means "no region". Calls that begin outside of all regions have this parent. */
#define RS_NO_REGION UINT16_MAX
static_assert(RS_MAX_REGIONS < RS_NO_REGION, "an index has 16 bits");

/* The index that means all processes or all threads. */
#define RS_ALL UINT32_MAX

/* The index that means "no event" or "no rank". The index of an event is RS_EVENT_FIRST plus its
 * index in the plan. */
#define RS_NO_EVENT UINT32_MAX
#define RS_NO_RANK UINT32_MAX

/* ---- how the run was measured ---- */

/* One rule of --slow, which reports calls as they happen. */
struct rs_run_slow {
	char *region; /* glob that the name of the region matches */
	char *condition; /* condition of the rule, such as "time>1ms" */
	uint64_t calls; /* number of calls that the rule matches, whether reported or not */
};

/* An adapter for another marker API, such as LIKWID's, that was loaded or that the program could
 * use. */
struct rs_run_marker {
	char *word; /* name of the API, such as "likwid" */
	/* --markers named the API; false: the program itself shows that it uses the API */
	bool is_asked;
	bool is_other; /* the adapter was not loaded, since --markers named other APIs */
	/* The part of the program that uses the API, or the reason why the adapter could not be
	 * loaded. NULL: --markers named the API, and its adapter could be loaded. */
	char *why;
	/* environment variables that were set for the program, one on each line; "": none */
	char *environment;
};

/* Options of the run besides its events. */
struct rs_run_how {
	bool per_process; /* each thread slot was used by only one process */
	bool per_thread; /* each thread slot was used by only one thread */
	bool wait_all; /* the launcher waited for all processes that use markers */
	int64_t delay_ms; /* see struct rs_launch_options */
	bool raw; /* the overhead of markers is not subtracted */
	bool no_cpu_time; /* markers did not look for context switches (--no-cpu-time) */
	bool by_work; /* calls that did different work have different results */
	/* the share of --budget in millionths; 0: no share was given, or the merged runs had
	 * different shares */
	uint32_t budget_ppm;
	/* regionstat attached to a program that was already running, which may run longer than the
	 * measurement */
	bool attached;
	const struct rs_segment_region *samples; /* regions that --sample names */
	size_t n_samples;
	const char *const *only; /* globs of --only */
	size_t n_only; /* 0: all regions were measured */
	const struct rs_run_marker *markers;
	size_t n_markers;
	const struct rs_run_slow *slow;
	size_t n_slow; /* 0: there was no rule, so no call was reported */
	/* Counts of slow calls (see rs_slow_counts): calls that were reported, calls beyond the
	 * limit per second, calls lost before they were read, calls not written to the file. */
	uint64_t slow_lines;
	uint64_t slow_over_limit;
	uint64_t slow_lost;
	uint64_t slow_unwritten;
	/* errno of the first failure to write a slow call to the file; 0: unknown */
	int slow_errno;
};

/* ---- regions, adapters, processes and threads ---- */

/* If the program identifies a region by an address, this says how the region's name was found. */
enum rs_region_place {
	RS_REGION_PLACE_NONE, /* the region has a name of its own */
	RS_REGION_PLACE_FOUND,
	RS_REGION_PLACE_NO_SYMBOL, /* the file has no symbol for the address */
	RS_REGION_PLACE_MISSING, /* the file cannot be read */
	RS_REGION_PLACE_REPLACED, /* the file was replaced after the program had loaded it */
	/* the program or library is unknown, or the search took too long */
	RS_REGION_PLACE_UNKNOWN,
	RS_REGION_PLACE_N,
};

struct rs_run_region {
	char name[RS_NAME_BYTES]; /* any bytes, NUL-terminated; reports escape them */
	uint32_t flags;
	bool ready; /* false: the entry has no name and no results */
	/* as in struct rs_region: if work_of is not 0, this entry counts the calls of another
	 * region with this work; see rs_run_work_of() */
	uint32_t work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	/* how the name was found; RS_REGION_PLACE_NONE unless the region is an address */
	enum rs_region_place place;
	const char *object; /* path of the program or library; NULL: unknown */
	const char *source; /* file and line where the region begins, "a.c:12"; NULL: unknown */
};

/* Counts of an adapter for another marker API, summed over all processes. They are unchecked, since
 * the program can write any values into the segment. */
struct rs_run_adapter {
	char word[16];
	uint64_t counts[RS_ADAPTER_COUNT_N]; /* indexed by enum rs_adapter_count */
};

struct rs_run_process {
	uint32_t entry; /* index of the entry in the segment */
	bool is_running; /* the process was running at the launcher's last check */
	uint32_t pid; /* 0: the entry could not be read */
	uint32_t open_errno;
	/* the first event that could not be opened, and the first event that was opened but did not
	 * count; RS_NO_EVENT: none is known */
	uint32_t open_event;
	uint32_t inactive_event;
	uint64_t diag[RS_PROCESS_DIAG_N];
	/* inside_ns is the overhead between the two clock readings of an empty call: inside_ticks
	 * of struct rs_process in ns; setup_ns is as in that struct */
	double inside_ns;
	uint64_t setup_ns;
	char name[16];
	uint32_t rank; /* rank in an MPI program; RS_NO_RANK: the process is not part of one */
	/* number of processes that rs_run_collapse() merged into this one; 0: none */
	uint32_t n_merged;
};

/* A thread slot, which threads use one after the other. */
struct rs_run_thread {
	uint32_t process; /* index of its process in the run */
	uint32_t slot; /* index in the segment; not saved */
	bool is_owned; /* false: the process has ended, and another process may use its entry */
	uint32_t tid; /* the thread that uses the slot, or the last thread that used it */
	char name[16]; /* name of that thread */
	uint32_t n_threads; /* number of threads that have used the slot */
	/* sum of the lifetimes of these threads; if a thread still uses the slot, its lifetime ends
	 * with the run */
	uint64_t lifetime_ns;
	bool lacks_end; /* the end of a lifetime is a guess; not saved */
	/* Off-CPU time, both in regions and outside of them. The sum of these times is at most
	 * lifetime_ns. */
	uint64_t off_ns[RS_OFF_N];
};

/* ---- what was measured ---- */

/* Calls of one region that took between 2^k and 2^(k+1) ticks: an octave. */
struct rs_octave {
	uint64_t low_ns; /* least time of these calls, including the overhead */
	uint64_t weight; /* sum of the weights of these calls in the histogram */
	/* for each event of regions: the sum of its counts in these calls, each times the weight of
	 * the call. A call in which the event was not counted adds 0. */
	uint64_t *sums;
	size_t n_sums;
};

/* Highest number of octaves of the results of one machine, for calls with and without a context
 * switch. A merged result with more octaves comes from machines with different clocks. */
#define RS_MOST_OCTAVES ((size_t)2 * RS_BLOCK_OCTAVES)

/* A process of one of several runs that were merged. */
struct rs_rank {
	uint32_t rank; /* rank of an MPI program; RS_NO_RANK: the program has none */
	uint32_t pid;
	char host[RS_MACHINE_TEXT_BYTES];
};

/* The distribution of a region's total time over the processes that called it. */
struct rs_ranks {
	struct rs_value times; /* the total time of each process is stored as if it was one call */
	struct rs_rank lowest; /* the process with the least time */
	struct rs_rank highest;
};

/* The overhead of the markers of calls. The members are integers, so that sums do not depend on the
 * order of additions. They stay at UINT64_MAX if they overflow. */
struct rs_overhead {
	uint64_t measured_ns; /* overhead of measured calls */
	uint64_t fast_ns; /* measured_ns without the additional overhead of slow paths */
	uint64_t skipped_ns;
	bool unknown; /* true if the overhead of some measured calls could not be calibrated */
};

/* The statistics of one region over some threads. */
struct rs_result {
	uint32_t region; /* region, process and thread are indexes in the run */
	uint32_t process; /* RS_ALL: all processes */
	uint32_t thread; /* RS_ALL: all threads */
	/* Number of threads that called the region. In the result of one slot: number of threads
	 * that have used the slot. */
	uint64_t n_threads;
	/* In the result of one slot, `measured`, `weight` and the number of skipped calls are below
	 * RS_MAX_CALLS, so that their sums fit in 64 bits. */
	uint64_t calls; /* sum of the calls that were measured and those that sampling skipped */
	uint64_t measured;
	uint64_t weight; /* sum of the weights of the measured calls: an estimate of `calls` */
	/* Counts by enum rs_accumulator_diag. In the result of one slot, OPEN counts all calls that
	 * have not ended. In a row, it counts only those that can no longer end. */
	uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	/* number of open calls of threads that still existed when the segment was read */
	uint64_t open;
	uint64_t running; /* number of these calls that can still end */
	/* number of asynchronous calls that started on this slot minus number of those that stopped
	 * on it, modulo 2^64 */
	uint64_t pending;
	struct rs_overhead overhead; /* overhead of all calls */
	/* The number of calls that reported work, the sums of their bytes and floating-point
	 * operations, and how often work was reported outside of calls. The sums stay at UINT64_MAX
	 * if they overflow. */
	uint64_t work_calls;
	uint64_t work_bytes;
	uint64_t work_flops;
	uint64_t work_unmatched;
	struct rs_ranks *ranks;
	size_t n_ranks; /* 1 or 0; it is 0 if the run is not collapsed */
	/* regions in which calls of this region began, without duplicates; RS_NO_REGION: outside of
	 * all regions */
	uint16_t *parents;
	size_t n_parents; /* 0: all calls were asynchronous */
	/* array of RS_EVENT_FIRST + n_events elements, with n_events of the run */
	struct rs_value *values;
	size_t n_values;
	struct rs_octave *octaves; /* the longest times first; none if there are no events */
	size_t n_octaves;
	/* These members describe the slowest measured call. For each value, rs_value.slowest says
	 * how much it used. */
	uint64_t slowest_start_ns; /* begin of this call, in ns after the begin of the run */
	uint32_t slowest_tid;
	uint32_t slowest_pid;
	/* Set in a row only: the row of the parent region; NULL: there is none. */
	const struct rs_result *parent;
};

struct rs_run {
	const char *label; /* name of the run, any bytes */
	int64_t started_s; /* seconds of CLOCK_REALTIME; 0: unknown */
	struct rs_machine machine;
	char *const *argv; /* command of the program; NULL-terminated */
	struct rs_run_how how;
	const struct rs_plan *plan;
	/* outcome of the launched program; its member `started` is true */
	const struct rs_outcome *outcome;
	/* A run that an earlier rs_collect() filled from the same segment. Its names of regions are
	 * used again. NULL: there is none. rs_collect() borrows it until it returns. */
	const struct rs_run *earlier;

	/* number of runs that were merged into this one, where successive periods count as one run;
	 * 0: this run was not merged */
	uint64_t n_merged;
	bool is_measured; /* false: no results could be read, and the members below are zeroed */
	uint32_t n_events;
	uint32_t n_groups;
	/* group of each event, indexed by the number of the event in the segment; index 0 is time,
	 * which has no group */
	uint32_t counter_group[1 + RS_MAX_EVENTS];
	struct rs_run_region *regions; /* regions[0] is "(other)" */
	size_t n_regions;
	bool is_naming_cut; /* the search for names and lines ended at its time limit */
	struct rs_run_adapter *adapters; /* the adapters that have a count above 0 */
	size_t n_adapters;
	/* processes in the order of their entries in the segment */
	struct rs_run_process *processes;
	size_t n_processes;
	struct rs_run_thread *threads; /* threads in the order of their slots */
	size_t n_threads;
	/* one for each region that a thread slot has, in the order of threads */
	struct rs_result *results;
	size_t n_results;
	uint64_t diag[RS_SEGMENT_DIAG_N];
	char load_error[512];
	/* number of accumulators, slots and process entries that are damaged: the runtime cannot
	 * have written their contents */
	size_t n_damaged;
	char damage[256]; /* description of the first damaged part */

	struct rs_arena arena; /* owns all arrays and strings that are not borrowed */
};

/* With --by-work, the calls of a region that did the same work have a separate entry in the table
 * of regions. For such an entry, return the index of the region that was called. For any other
 * region return RS_NO_REGION. */
static inline uint32_t rs_run_work_of(const struct rs_run *run, uint32_t region)
{
	uint32_t base = run->regions[region].work_of - 1;
	bool is_one = base < run->n_regions && base != region && run->regions[base].ready &&
		      run->regions[base].work_of == 0;
	return is_one ? base : RS_NO_REGION;
}

/* Return the index of the region that was called: rs_run_work_of() for an entry of --by-work,
 * otherwise the region itself. Messages name only regions that this function returns. */
static inline uint32_t rs_run_owner(const struct rs_run *run, uint32_t region)
{
	uint32_t base = rs_run_work_of(run, region);
	return base != RS_NO_REGION ? base : region;
}

/* Return how many runs were merged into this run, or 1 if it was not merged. */
static inline uint64_t rs_run_n_merged(const struct rs_run *run)
{
	return run->n_merged > 0 ? run->n_merged : 1;
}

/* Return the number of values of a result. */
static inline uint32_t rs_run_n_values(const struct rs_run *run)
{
	return RS_EVENT_FIRST + run->n_events;
}

/* Convert the number that a value has in the segment to its index in rs_result.values. Number 0 is
 * time; the others are events of the plan. */
static inline uint32_t rs_event_of_counter(uint32_t counter)
{
	return counter > 0 ? RS_EVENT_FIRST + counter - 1 : RS_EVENT_TIME;
}

/* Names of the events that every region has. */
extern const char *const rs_event_names[RS_EVENT_FIRST];

/* Return the index of the event that has this number in the segment. Return RS_NO_EVENT if the
 * number is 0, which is time, or if the run has no such event. */
uint32_t rs_run_event_of(const struct rs_run *run, uint32_t counter);

static inline uint64_t rs_result_skipped(const struct rs_result *result)
{
	return result->calls - result->measured;
}

/* Return true if the process that uses a thread slot was running at the launcher's last check. If
 * that process has ended and another process has taken over its entry, return false. */
static inline bool rs_run_is_running(const struct rs_run *run, uint32_t thread)
{
	return run->threads[thread].is_owned &&
	       run->processes[run->threads[thread].process].is_running;
}

/* Count a damaged part of the segment, and store its description if it is the first one. Always
 * return false. */
bool rs_run_damage(struct rs_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Compute overhead.unknown of a result from the other members. */
void rs_run_complete_result(const struct rs_run *run, struct rs_result *result);

/* Mark the processes that still run, and compute how many of their open calls can still end.
 * `running` lists the running processes that the launcher found, by their entries in the segment.
 * Replace each entry in `running` by the index of the process in the run, and remove processes that
 * the run does not have. */
void rs_run_set_running(struct rs_run *run, struct rs_running *running);

/* Release what the run owns. run may be zeroed. */
void rs_run_finish(struct rs_run *run);

#endif
