/* SPDX-License-Identifier: MIT */
/*
 * A finished run as one value: its plan, its course, and its results, in exact numbers. rs_collect()
 * fills it from a segment, record/load.h from a file, rs_run_merge() from others. All that a report
 * shows follows from it and from the reader's view options.
 */
#ifndef RS_STATS_RUN_H
#define RS_STATS_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "launch/launch.h"
#include "plan/plan.h"
#include "segment/layout.h"
#include "stats/machine.h"
#include "stats/value.h"

/* More calls than any thread makes: at 10 ns each they would take two weeks. */
#define RS_MAX_CALLS (UINT64_C(1) << 47)

/* No region: where calls began that are in none. */
#define RS_NO_REGION UINT16_MAX
static_assert(RS_MAX_REGIONS < RS_NO_REGION, "an index has 16 bits");

/* In place of an index of a process or thread: all of them. */
#define RS_ALL UINT32_MAX

/* In place of an event of the run, which is RS_EVENT_FIRST and its index in the plan, and of a rank. */
#define RS_NO_EVENT UINT32_MAX
#define RS_NO_RANK UINT32_MAX

/* ---- how it was measured ---- */

/* Calls that were reported as they happened, by one rule. */
struct rs_run_slow {
	char *region; /* a glob */
	char *condition; /* such as "time>1ms" */
	uint64_t calls; /* that were slow by it, reported or not */
};

/* An adapter of another marker API that the program got, or had use for. */
struct rs_run_marker {
	char *word; /* such as "likwid" */
	bool is_asked; /* by that word; else the program showed to use it */
	bool is_other; /* it was not loaded, since others were asked for */
	char *why; /* by what, and what hindered it; NULL: asked for, and nothing did */
	char *environment; /* variables as the program had them, a line each; "" for none */
};

/* What was asked for, beside the events. */
struct rs_run_how {
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
	const struct rs_run_marker *markers;
	size_t n_markers;
	const struct rs_run_slow *slow;
	size_t n_slow; /* 0: no call was to be reported */
	/* slow calls: reported, more than the limit of a second, lost on the way, and reported
	 * without a file to write to (rs_slow_counts) */
	uint64_t slow_lines;
	uint64_t slow_left_out;
	uint64_t slow_lost;
	uint64_t slow_unwritten;
	int slow_errno; /* of the first that could not be written; 0: it is not known */
};

/* ---- what marked ---- */

/* How a region by address came to its name. */
enum rs_region_place {
	RS_REGION_PLACE_NONE, /* it has one of its own */
	RS_REGION_PLACE_FOUND,
	RS_REGION_PLACE_NO_SYMBOL, /* the file has no symbol for it */
	RS_REGION_PLACE_MISSING, /* the file cannot be read */
	RS_REGION_PLACE_REPLACED, /* the file is another one by now */
	RS_REGION_PLACE_UNKNOWN, /* its object is unknown, or finding names took too long */
	RS_REGION_PLACE_N,
};

struct rs_run_region {
	char name[RS_NAME_BYTES]; /* NUL-terminated; any bytes: reports escape what they must */
	uint32_t flags;
	bool ready; /* false: an entry without a name, of no result */
	uint32_t work_of; /* these three as of struct rs_region: see rs_run_work_of() */
	uint64_t work_bytes;
	uint64_t work_flops;
	/* of a region by address, whose name was found out or made up when this was read */
	enum rs_region_place place;
	const char *object; /* path of the program or library that it is in; NULL: not known */
	const char *source; /* file and line where it begins, "a.c:12"; NULL: not known */
};

/* The counts of an adapter of another marker API, over all processes; any numbers, as of enum
 * rs_adapter_count. */
struct rs_run_adapter {
	char word[16];
	uint64_t loaded;
	uint64_t regions;
	uint64_t ignored;
	uint64_t unmatched;
	uint64_t refused;
	uint64_t memory;
	uint64_t chained;
};

struct rs_run_process {
	uint32_t entry; /* in the segment */
	bool is_running; /* when the launcher looked last */
	uint32_t pid; /* 0: its entry could not be read */
	uint32_t open_errno;
	/* of the run, which could not be opened or did not count; RS_NO_EVENT: none is known */
	uint32_t open_event;
	uint32_t inactive_event;
	uint64_t diag[RS_PROCESS_DIAG_N];
	double inside_ns; /* these two as of struct rs_process, whose ticks are ns here */
	uint64_t setup_ns;
	char name[16];
	uint32_t rank; /* of an MPI program; RS_NO_RANK: it is none */
	uint32_t n_merged; /* processes that rs_run_collapse() merged into this one; 0: none */
};

/* A thread slot: the threads that had it, one after the other. */
struct rs_run_thread {
	uint32_t process; /* index in the run */
	bool is_owned; /* false: its process has ended; another one may have that entry now */
	uint32_t tid; /* of the thread that has it, or had it last */
	char name[16]; /* of that thread */
	uint32_t n_threads; /* that ever had it */
	uint64_t lifetime_ns; /* a thread still attached is counted until the run's end */
	uint64_t unmarked_off_ns[RS_OFF_N]; /* as of struct rs_slot; together at most that */
};

/* ---- what was measured ---- */

/* The calls of a region whose times lie in one octave of the accumulator's clock. */
struct rs_octave {
	uint64_t low_ns; /* so long each of them took at least, overhead included */
	uint64_t weight; /* of these calls, as the histogram has them */
	uint64_t *sums; /* n_sums, one for each event of the plan that regions have: of what these
			   calls used, by weight, as far as they were counted */
	size_t n_sums;
};

/* Octaves of calls with and without a context switch. A result with more has too many clocks. */
#define RS_MOST_OCTAVES ((size_t)2 * RS_BLOCK_OCTAVES)

/* The identity of a process whose run was merged with others. */
struct rs_rank {
	uint32_t rank; /* of an MPI program; RS_NO_RANK: it is none */
	uint32_t pid;
	char host[RS_MACHINE_TEXT_BYTES];
};

/* The distribution of a region's total time over the processes that called it. */
struct rs_ranks {
	struct rs_value times; /* a call is one process */
	struct rs_rank lowest; /* the process with the least time */
	struct rs_rank highest;
};

/* What the markers of calls took. */
struct rs_overhead {
	/* as long double, which no sum of a program's numbers overflows */
	long double measured_ns; /* around measured calls */
	long double skipped_ns;
	bool unknown; /* of some measured calls no thread could learn it */
};

/* One region over some threads. */
struct rs_result {
	uint32_t region; /* these three are indexes in the run */
	uint32_t process; /* RS_ALL: of all */
	uint32_t thread; /* RS_ALL: of all */
	uint64_t n_threads; /* that called it; of a single slot: that ever had the slot */
	/* of one slot these are less than RS_MAX_CALLS, so that their sums fit 64 bits */
	uint64_t calls; /* measured, or skipped by sampling */
	uint64_t measured;
	uint64_t weight; /* calls that the measured ones represent: an estimate of calls */
	/* of enum rs_cell_diag. Of one slot OPEN holds all that never ended; merged, those that
	 * never will */
	uint64_t diag[RS_CELL_DIAG_N];
	uint64_t open; /* of threads that had not ended by themselves when this was read */
	uint64_t running; /* of these, calls that may still end */
	uint64_t pending; /* asynchronous calls started here less stopped here, modulo 2^64 */
	/* of one slot: what the markers of a measured and of a skipped call take, and in all in
	 * addition */
	double pair_ns;
	double skip_ns;
	double own_ns;
	struct rs_overhead overhead; /* of the markers of all calls */
	/* calls with work, their work, and the work outside of calls; sums stay at UINT64_MAX */
	uint64_t work_calls;
	uint64_t work_bytes;
	uint64_t work_flops;
	uint64_t work_unmatched;
	struct rs_ranks *ranks;
	size_t n_ranks; /* 1, or 0 if the result is not of a collapsed run */
	uint16_t *parents; /* regions in which calls began, each once, or RS_NO_REGION */
	size_t n_parents; /* 0: all calls were asynchronous */
	struct rs_value *values; /* RS_EVENT_FIRST + n_events of the run */
	size_t n_values;
	struct rs_octave *octaves; /* the longest times first; none where there are no events */
	size_t n_octaves;
	/* of the slowest measured call: values have what it took */
	uint64_t slowest_start_ns; /* after the run's begin */
	uint32_t slowest_tid;
	uint32_t slowest_pid;
	/* of a row: of the region under which this one stands; NULL: under none */
	const struct rs_result *parent;
};

struct rs_run {
	const char *label; /* what it is called, any bytes */
	int64_t started_s; /* when, in seconds of CLOCK_REALTIME; 0: unknown */
	struct rs_machine machine; /* on which */
	char *const *argv; /* the program; NULL-terminated */
	struct rs_run_how how;
	const struct rs_plan *plan;
	const struct rs_outcome *outcome; /* whose program started */

	bool is_measured; /* false: nothing could be read, and the members below are zeroed */
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t quantity_group[1 + RS_MAX_EVENTS]; /* of time, 0: none, and of each event */
	struct rs_run_region *regions; /* regions[0] is "(other)" */
	size_t n_regions;
	bool is_naming_cut; /* the search for names and lines of places ended too early */
	struct rs_run_adapter *adapters; /* those that left any count */
	size_t n_adapters;
	struct rs_run_process *processes; /* ascending by entry */
	size_t n_processes;
	struct rs_run_thread *threads; /* ascending by slot */
	size_t n_threads;
	struct rs_result *results; /* each a region of a thread slot; by thread, then as created */
	size_t n_results;
	uint64_t diag[RS_SEGMENT_DIAG_N];
	char load_error[512];
	size_t n_damaged; /* accumulators, slots and entries that made no sense */
	char damage[256]; /* the first of them, in words */

	struct rs_arena arena; /* owns all arrays and strings that are not borrowed */
};

/* The base of a region that has the calls of one work; RS_NO_REGION where the region is one of the
 * program's. */
static inline uint32_t rs_run_work_of(const struct rs_run *run, uint32_t region)
{
	uint32_t base = run->regions[region].work_of - 1;
	bool is_one = base < run->n_regions && base != region && run->regions[base].ready &&
		      run->regions[base].work_of == 0;
	return is_one ? base : RS_NO_REGION;
}

/* The region of the program whose calls those of a region are: messages name no other. */
static inline uint32_t rs_run_owner(const struct rs_run *run, uint32_t region)
{
	uint32_t base = rs_run_work_of(run, region);
	return base != RS_NO_REGION ? base : region;
}

/* How many values a result has. */
static inline uint32_t rs_run_n_values(const struct rs_run *run)
{
	return RS_EVENT_FIRST + run->n_events;
}

/* Convert the segment's number of a value: 0 is time, the others are events of the plan. */
static inline uint32_t rs_event_of_quantity(uint32_t quantity)
{
	return quantity > 0 ? RS_EVENT_FIRST + quantity - 1 : RS_EVENT_TIME;
}

/* Names of the events that every region has. */
extern const char *const rs_event_names[RS_EVENT_FIRST];

/* The event of the run with a number in the segment; RS_NO_EVENT: none has it, as for 0, time. */
uint32_t rs_run_event_of(const struct rs_run *run, uint32_t quantity);

static inline uint64_t rs_result_skipped(const struct rs_result *result)
{
	return result->calls - result->measured;
}

/* Whether the process that has a slot still ran: not one that has but the entry of a dead one. */
static inline bool rs_run_is_running(const struct rs_run *run, uint32_t thread)
{
	return run->threads[thread].is_owned &&
	       run->processes[run->threads[thread].process].is_running;
}

/* Count one damaged part; the first is kept in words. Returns false always. */
bool rs_run_damage(struct rs_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Finish a result of one slot, once its other numbers are set: what follows from them. */
void rs_run_complete_result(const struct rs_run *run, struct rs_result *result);

/* Say which processes still run, and which calls may so end. running: as the launcher found it, by
 * entries of the segment; only those of the run remain, by their indexes. */
void rs_run_set_running(struct rs_run *run, struct rs_running *running);

/* Release what the run owns. run: filled, zeroed, or NULL. */
void rs_run_finish(struct rs_run *run);

#endif
