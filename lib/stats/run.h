/* SPDX-License-Identifier: MIT */
/*
 * A finished run: its plan, its course and its results, in exact numbers. rs_collect() fills it
 * from a segment, record/load.h from a file, rs_run_merge() from other runs. All that a report
 * shows follows from the run and the reader's view options.
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

/* More calls than any thread makes: at 10 ns each they would take two weeks. */
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

/* ---- how it was measured ---- */

/* One rule of --slow, which reports calls as they happen. */
struct rs_run_slow {
	char *region; /* glob that the name of the region matches */
	char *condition; /* condition of the rule, such as "time>1ms" */
	uint64_t calls; /* slow calls, whether reported or not */
};

/* An adapter of another marker API that was loaded, or that the program could use. */
struct rs_run_marker {
	char *word; /* name of the API, such as "likwid" */
	bool is_asked; /* --markers named it; otherwise the program shows that it uses the API */
	bool is_other; /* not loaded, since --markers named others */
	/* what in the program uses the API, or what hindered the adapter; NULL: --markers named it
	 * and nothing hindered it */
	char *why;
	char *environment; /* variables that were set for the program, a line each; "": none */
};

/* Options of the run besides its events. */
struct rs_run_how {
	bool per_process; /* no slot was used by a second process */
	bool per_thread; /* no slot was used by a second thread */
	bool wait_all; /* the launcher waited for all processes that mark */
	int64_t delay_ms; /* see struct rs_launch_options */
	bool raw; /* the overhead of markers is not subtracted */
	bool by_work; /* calls that did different work are kept apart */
	bool attached; /* the program was started without regionstat, and may run on */
	const struct rs_segment_region *samples; /* regions that --sample names */
	size_t n_samples;
	const char *const *only; /* globs of --only */
	size_t n_only; /* 0: all regions were measured */
	const struct rs_run_marker *markers;
	size_t n_markers;
	const struct rs_run_slow *slow;
	size_t n_slow; /* 0: no rule, so no call was reported */
	/* Counts of slow calls: reported, beyond the limit per second, lost before they were read,
	 * and reported but not written to the file (rs_slow_counts). */
	uint64_t slow_lines;
	uint64_t slow_over_limit;
	uint64_t slow_lost;
	uint64_t slow_unwritten;
	int slow_errno; /* errno of the first call that could not be written; 0: unknown */
};

/* ---- what marked ---- */

/* How the name of a region that is an address was found. */
enum rs_region_place {
	RS_REGION_PLACE_NONE, /* the region has a name of its own */
	RS_REGION_PLACE_FOUND,
	RS_REGION_PLACE_NO_SYMBOL, /* the file has no symbol for the address */
	RS_REGION_PLACE_MISSING, /* the file cannot be read */
	RS_REGION_PLACE_REPLACED, /* the file was replaced since */
	RS_REGION_PLACE_UNKNOWN, /* the object is unknown, or the search took too long */
	RS_REGION_PLACE_N,
};

struct rs_run_region {
	char name[RS_NAME_BYTES]; /* any bytes, NUL-terminated; reports escape them */
	uint32_t flags;
	bool ready; /* false: the entry has no name and no results */
	/* this and the next two members are those of struct rs_region; see rs_run_work_of() */
	uint32_t work_of;
	uint64_t work_bytes;
	uint64_t work_flops;
	/* how the name was found, if the region is an address */
	enum rs_region_place place;
	const char *object; /* path of the program or library; NULL: unknown */
	const char *source; /* file and line where the region begins, "a.c:12"; NULL: unknown */
};

/* Counts of an adapter of another marker API over all processes. Any values are possible. */
struct rs_run_adapter {
	char word[16];
	uint64_t counts[RS_ADAPTER_COUNT_N]; /* by enum rs_adapter_count */
};

struct rs_run_process {
	uint32_t entry; /* index of the entry in the segment */
	bool is_running; /* the process was running at the launcher's last check */
	uint32_t pid; /* 0: the entry could not be read */
	uint32_t open_errno;
	/* first event that could not be opened, and first one that did not count; RS_NO_EVENT: none
	 * is known */
	uint32_t open_event;
	uint32_t inactive_event;
	uint64_t diag[RS_PROCESS_DIAG_N];
	/* inside_ns and setup_ns have the meaning of struct rs_process, but in ns instead of
	 * ticks */
	double inside_ns;
	uint64_t setup_ns;
	char name[16];
	uint32_t rank; /* rank in an MPI program; RS_NO_RANK: not in one */
	uint32_t n_merged; /* processes that rs_run_collapse() merged into this one; 0: none */
};

/* A thread slot, which threads use one after the other. */
struct rs_run_thread {
	uint32_t process; /* index in the run */
	uint32_t slot; /* index in the segment; not saved */
	bool is_owned; /* false: the process has ended, and another one may have its entry */
	uint32_t tid; /* thread that uses the slot or used it last */
	char name[16]; /* name of that thread */
	uint32_t n_threads; /* number of threads that have used the slot */
	uint64_t lifetime_ns; /* a thread that is still attached counts until the end of the run */
	/* Off-CPU time in no region, as in struct rs_slot. The sum is at most lifetime_ns. */
	uint64_t unmarked_off_ns[RS_OFF_N];
};

/* ---- what was measured ---- */

/* Calls of a region whose times lie in one octave of the accumulator's clock. */
struct rs_octave {
	uint64_t low_ns; /* least time of these calls, overhead included */
	uint64_t weight; /* weight of these calls in the histogram */
	/* for each event of regions: what these calls used, by weight, as far as it was counted */
	uint64_t *sums;
	size_t n_sums;
};

/* Octaves of calls with and without a context switch. A result with more has too many clocks. */
#define RS_MOST_OCTAVES ((size_t)2 * RS_BLOCK_OCTAVES)

/* The identity of a process whose run was merged with others. */
struct rs_rank {
	uint32_t rank; /* rank of an MPI program; RS_NO_RANK: the program has none */
	uint32_t pid;
	char host[RS_MACHINE_TEXT_BYTES];
};

/* The distribution of a region's total time over the processes that called it. */
struct rs_ranks {
	struct rs_value times; /* a call is one process */
	struct rs_rank lowest; /* the process with the least time */
	struct rs_rank highest;
};

/* The overhead of calls. Integers, so that sums do not depend on the order; they saturate. */
struct rs_overhead {
	uint64_t measured_ns; /* around measured calls */
	uint64_t skipped_ns;
	bool unknown; /* no thread could calibrate the overhead of some measured calls */
};

/* One region over some threads. */
struct rs_result {
	uint32_t region; /* region, process and thread are indexes in the run */
	uint32_t process; /* RS_ALL: all processes */
	uint32_t thread; /* RS_ALL: all threads */
	/* threads that called it; in the result of one slot: threads that have used the slot */
	uint64_t n_threads;
	/* In the result of one slot these are below RS_MAX_CALLS, so that their sums fit in 64
	 * bits. */
	uint64_t calls; /* measured calls and calls skipped by sampling */
	uint64_t measured;
	uint64_t weight; /* calls that the measured ones represent: an estimate of calls */
	/* by enum rs_accumulator_diag. OPEN: in the result of one slot, all calls that have not
	 * ended; in a row, those that never will end */
	uint64_t diag[RS_ACCUMULATOR_DIAG_N];
	uint64_t open; /* open calls of threads that had not ended when the segment was read */
	uint64_t running; /* number of these calls that may still end */
	/* asynchronous calls that started on this slot minus those that stopped on it, modulo
	 * 2^64 */
	uint64_t pending;
	struct rs_overhead overhead; /* overhead of all calls */
	/* Calls that reported work, their work, and work that was reported outside of calls. A sum
	 * that reaches UINT64_MAX stays there. */
	uint64_t work_calls;
	uint64_t work_bytes;
	uint64_t work_flops;
	uint64_t work_unmatched;
	struct rs_ranks *ranks;
	size_t n_ranks; /* 1, or 0 if the run is not collapsed */
	/* regions in which calls began, without duplicates; RS_NO_REGION: outside of all */
	uint16_t *parents;
	size_t n_parents; /* 0: all calls were asynchronous */
	struct rs_value *values; /* RS_EVENT_FIRST + n_events of the run */
	size_t n_values;
	struct rs_octave *octaves; /* the longest times first; none if there are no events */
	size_t n_octaves;
	/* The slowest measured call; what it used is in rs_value.slowest of each value. */
	uint64_t slowest_start_ns; /* after the begin of the run */
	uint32_t slowest_tid;
	uint32_t slowest_pid;
	/* In a row: the row of the parent region; NULL: none. */
	const struct rs_result *parent;
};

struct rs_run {
	const char *label; /* name of the run, any bytes */
	int64_t started_s; /* seconds of CLOCK_REALTIME; 0: unknown */
	struct rs_machine machine;
	char *const *argv; /* command of the program; NULL-terminated */
	struct rs_run_how how;
	const struct rs_plan *plan;
	const struct rs_outcome *outcome; /* outcome of the run, whose `started` is true */
	/* an earlier collection of the same segment, which has found names already; NULL: none;
	 * borrowed during rs_collect() */
	const struct rs_run *earlier;

	uint64_t n_merged; /* runs that were merged into this one; 0: it is none */
	bool is_measured; /* false: nothing could be read, and the members below are zeroed */
	uint32_t n_events;
	uint32_t n_groups;
	/* group of each event, by its number in the segment; 0 is time, which has none */
	uint32_t counter_group[1 + RS_MAX_EVENTS];
	struct rs_run_region *regions; /* regions[0] is "(other)" */
	size_t n_regions;
	bool is_naming_cut; /* the search for names and lines ended at its time limit */
	struct rs_run_adapter *adapters; /* adapters with any count */
	size_t n_adapters;
	/* processes in the order of their entries in the segment */
	struct rs_run_process *processes;
	size_t n_processes;
	struct rs_run_thread *threads; /* threads in the order of their slots */
	size_t n_threads;
	/* one for each region of a thread slot, in the order of threads */
	struct rs_result *results;
	size_t n_results;
	uint64_t diag[RS_SEGMENT_DIAG_N];
	char load_error[512];
	size_t n_damaged; /* number of accumulators, slots and entries that made no sense */
	char damage[256]; /* description of the first one */

	struct rs_arena arena; /* owns all arrays and strings that are not borrowed */
};

/* Return the region whose calls of one work this region has, or RS_NO_REGION if it is a region of
 * its own. */
static inline uint32_t rs_run_work_of(const struct rs_run *run, uint32_t region)
{
	uint32_t base = run->regions[region].work_of - 1;
	bool is_one = base < run->n_regions && base != region && run->regions[base].ready &&
		      run->regions[base].work_of == 0;
	return is_one ? base : RS_NO_REGION;
}

/* Return the region of the program that the calls of this region belong to. Messages name only such
 * regions. */
static inline uint32_t rs_run_owner(const struct rs_run *run, uint32_t region)
{
	uint32_t base = rs_run_work_of(run, region);
	return base != RS_NO_REGION ? base : region;
}

/* Return the number of runs that a run is the sum of. */
static inline uint64_t rs_run_n_merged(const struct rs_run *run)
{
	return run->n_merged > 0 ? run->n_merged : 1;
}

/* Return the number of values of a result. */
static inline uint32_t rs_run_n_values(const struct rs_run *run)
{
	return RS_EVENT_FIRST + run->n_events;
}

/* Convert the segment's number of a value to its index in a result. 0 is time, the others are
 * events of the plan. */
static inline uint32_t rs_event_of_counter(uint32_t counter)
{
	return counter > 0 ? RS_EVENT_FIRST + counter - 1 : RS_EVENT_TIME;
}

/* Names of the events that every region has. */
extern const char *const rs_event_names[RS_EVENT_FIRST];

/* Return the event of the run that has this number in the segment, or RS_NO_EVENT. Time, 0, is not
 * an event. */
uint32_t rs_run_event_of(const struct rs_run *run, uint32_t counter);

static inline uint64_t rs_result_skipped(const struct rs_result *result)
{
	return result->calls - result->measured;
}

/* Return true if the process that uses a slot still ran. A process that only has the entry of a
 * dead one does not count. */
static inline bool rs_run_is_running(const struct rs_run *run, uint32_t thread)
{
	return run->threads[thread].is_owned &&
	       run->processes[run->threads[thread].process].is_running;
}

/* Count a damaged part, and keep the description of the first one. Always return false. */
bool rs_run_damage(struct rs_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Find if the overhead of a result is unknown, from its other numbers. */
void rs_run_complete_result(const struct rs_run *run, struct rs_result *result);

/* Set which processes still run, and which calls may still end. running is what the launcher found,
 * by entries of the segment. Processes that the run does not have are removed from it, and the
 * others refer to indexes in the run. */
void rs_run_set_running(struct rs_run *run, struct rs_running *running);

/* Release what the run owns. run may be zeroed or NULL. */
void rs_run_finish(struct rs_run *run);

#endif
