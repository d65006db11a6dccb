/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the files that read a segment, the memory into which the program's runtime
 * writes what it measures. An accumulator holds the statistics of one region on one thread slot.
 * All files read private copies of its parts, so they read atomic members like others. collect.c
 * reads the tables of the segment, collect_list.c the list of accumulators of a thread
 * slot, collect_accumulators.c one accumulator, and collect_histograms.c its histograms.
 */
#ifndef RS_STATS_COLLECTOR_H
#define RS_STATS_COLLECTOR_H

#include "stats/collect.h"
#include "stats/histogram.h"
#include "stats/segment_reader.h"

/* The histogram of time or of one event of an accumulator, as it was read from the segment. */
struct rs_read_counts {
	uint64_t octaves; /* bit i is set if the histogram has a block of buckets for octave i */
	bool is_spoiled; /* the counts are damaged */
	uint64_t total;
	uint64_t counts[RS_BLOCK_OCTAVES * RS_BLOCK_BUCKETS];
};

/* Return the index of the first bucket that the histogram can have (begin), or the index after the
 * last such bucket (end). Both are 0 if the histogram has no block. */
static inline uint32_t rs_counts_begin(const struct rs_read_counts *run)
{
	uint32_t first = run->octaves ? (uint32_t)__builtin_ctzll(run->octaves) : 0;
	return first * RS_BLOCK_BUCKETS;
}
static inline uint32_t rs_counts_end(const struct rs_read_counts *run)
{
	uint32_t end = run->octaves ? 64 - (uint32_t)__builtin_clzll(run->octaves) : 0;
	return end * RS_BLOCK_BUCKETS;
}

/* Return the sum of the counts of an octave. */
static inline uint64_t rs_counts_of_octave(const struct rs_read_counts *run, uint32_t octave)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < RS_BLOCK_BUCKETS; i++)
		total += run->counts[octave * RS_BLOCK_BUCKETS + i];
	return total;
}

struct rs_collector_process {
	uint64_t exit_ticks; /* time when the process ended, in ticks; 0: unknown */
	uint32_t pid; /* 0: the process has ended, or is in another pid namespace */
};

struct rs_collector {
	struct rs_run *out;
	struct rs_arena *arena; /* the arena of `out` */
	struct rs_arena scratch; /* memory that is released after the collection */
	struct rs_segment_reader reader;
	struct rs_ticks rate;
	double tick_ns; /* length of a tick of the runtime's clock, in ns */
	uint64_t end_ticks;
	uint64_t counting_clock; /* see struct rs_segment_header */
	/* counts of table entries, from the segment's header, at most those that fit */
	uint32_t n_regions, n_processes, n_slots;
	struct rs_collector_process *processes; /* one for each entry of the table of processes */
	/* pid namespace of regionstat, as in struct rs_process; 0: unknown */
	uint64_t pid_namespace;

	/* The following members are the state of reading accumulators. */
	/* the current thread slot: `slot` is its index in the segment, `thread` its index in
	 * out->threads */
	uint32_t slot;
	uint32_t thread;
	bool samples; /* the segment has RS_SEGMENT_SAMPLES, so calls have weights */
	/* Sizes of the accumulator that is being read. If its calls had a context switch, n_events
	 * also counts on-CPU time. */
	uint32_t n_events;
	uint32_t n_counters; /* 1 + n_events */
	uint32_t accumulator_bytes;
	struct rs_accumulator *accumulator; /* copy of the accumulator that is being read */
	/* for each value and octave, the offset of the block in the segment; 0: the block is not
	 * claimed */
	uint64_t *claimed;
	struct rs_read_counts *runs; /* one histogram for each value */
	/* for each octave of time, n_events sums of events; the segment stores them after the
	 * counts of the octave's block */
	uint64_t *sums;
	/* for each region, 1 + the index of the last slot that has an accumulator of this region */
	uint32_t *seen;
	/* for each result, an array with the raw sums of its measured calls */
	struct rs_raw **raw;
	/* Overhead in ticks, from the accumulator of a slot's list that was read last. pair_ticks,
	 * skip_ticks, own_ticks and skip_own_ticks are those of struct rs_accumulator. fast_ticks
	 * is the overhead of each measured call on the fast path. */
	uint64_t pair_ticks, fast_ticks, skip_ticks, own_ticks, skip_own_ticks;
};

/* Set the sizes of the accumulator to read next. is_switched: its calls had a context switch. */
static inline void rs_collector_expect(struct rs_collector *collector, bool is_switched)
{
	const struct rs_run *out = collector->out;
	collector->n_events = out->n_events + is_switched;
	collector->n_counters = 1 + collector->n_events;
	collector->accumulator_bytes = rs_accumulator_bytes(collector->n_events, out->n_groups);
}

/* Read the accumulators of collector->slot into collector->out. first: the offset of the first
 * accumulator in the segment. */
void rs_collector_read_accumulators(struct rs_collector *collector, uint64_t first);

/* ---- collect_accumulators.c ---- */

/* How completely an accumulator was read. */
enum rs_load {
	RS_LOAD_DONE,
	RS_LOAD_CHANGING, /* all was read, but the histograms are newer than the other words */
	/* the program changed the accumulator during each try to read it, so the words may be from
	 * several points in time */
	RS_LOAD_TORN,
	RS_LOAD_UNREADABLE,
};

/* Sums of one value over measured calls: in ns for a time, in counts for an event. The value of
 * each call is multiplied by its weight. */
struct rs_raw {
	double all; /* sum over all measured calls */
	double total; /* the same sum without calls that are nested in a call of the same region */
	/* part of `all` that belongs to nested regions, multiplied by the weights of the nested
	 * calls */
	double children;
};

/* Add the loaded accumulator to the run, unless it is damaged. For an accumulator in a slot's list,
 * main is NULL. Otherwise the calls of the accumulator had a context switch, and main is the result
 * of their region; add the calls to it. */
void rs_collector_keep_accumulator(
	struct rs_collector *collector, enum rs_load load, struct rs_result *main);

/* Return true if value `counter` of the loaded accumulator is a time. Value 0 is time; on-CPU time
 * has the index after the last event. Times belong to no group and are always counted. */
static inline bool rs_collector_is_time(const struct rs_collector *collector, uint32_t counter)
{
	return counter == 0 || counter > collector->out->n_events;
}

static inline const char *rs_collector_region(const struct rs_collector *collector, uint32_t region)
{
	return collector->out->regions[region].name;
}

/* ---- collect_histograms.c ---- */

/* Read all histograms of the loaded accumulator into `runs`, and the sums of events by octave of
 * time into `sums`. */
void rs_collector_read_histograms(struct rs_collector *collector);

/* Copy the histogram of time or of an event to `copy`, with the buckets of buckets.h and memory
 * from the run's arena. A call in a bucket with the middle m moves to the bucket that contains m -
 * `inside`. inside: the overhead that each call contains, in ticks for time, in counts for an
 * event. Return how many calls were in buckets whose middle is below this overhead. */
uint64_t rs_collector_copy_histogram(struct rs_collector *collector, struct rs_histogram *copy,
	uint32_t counter, int64_t inside);

/* ---- accumulator.c ---- */

/* Sums over all calls of an accumulator, with the latest call added. Overhead is not yet
 * subtracted. */
struct rs_whole {
	uint64_t calls;
	uint64_t weights; /* sum of the weights of calls */
	/* an accumulator has two rows; these are the valid row and its parts */
	const struct rs_rare *rare;
	const struct rs_rare_group *groups;
	const struct rs_rare_moments *extremes;
	struct rs_whole_counter {
		/* sum of the weights of the calls for which the value was counted */
		uint64_t weights;
		uint64_t sum; /* sum over these calls, each value times the weight of its call */
		double square; /* sum of weight * (value - average)^2 */
		int64_t children;
		int64_t inside; /* overhead that each value contains */
		bool has_all; /* the histogram contains exactly these calls */
		bool is_incomplete; /* the histogram will never contain some of these calls */
		/* the histogram contains more than these calls, or its counts are damaged */
		bool exceeds;
	} counters[RS_MAX_COUNTERS];
};

/* Compute the sums of the loaded accumulator. First add the latest call to all words and histograms
 * that do not yet contain it. load: how the accumulator was read. Return false if it is damaged. */
bool rs_accumulator_complete(
	struct rs_collector *collector, enum rs_load load, struct rs_whole *whole);

/* ---- collect_work.c ---- */

/* Set in `copy` the work that the calls of the loaded accumulator reported. calls: the number of
 * its measured calls. */
void rs_collector_copy_work(
	struct rs_collector *collector, struct rs_result *copy, uint64_t calls, enum rs_load load);

/* Set copy->octaves to the sums of events that the loaded accumulator has for each octave of
 * time. */
void rs_collector_copy_octaves(
	struct rs_collector *collector, struct rs_result *copy, const struct rs_whole *whole);

/* ---- estimate.c ---- */

/* Estimate the totals of all calls, including those that sampling skipped. Call this after all
 * accumulators are read. */
void rs_collector_estimate(struct rs_collector *collector);

/* ---- collect_asleep.c ---- */

/* Return how long the slot's thread was off its CPU, in ns, between the last marker that looked up
 * the thread's off-CPU time and end_ticks, without pauses. The runtime adds this time to the slot
 * only at the thread's next look. Return 0 if the thread runs. Set *kind: after a voluntary switch,
 * all of this time counts as blocked, otherwise as preempted. */
uint64_t rs_collector_asleep_ns(const struct rs_collector *collector,
	const struct rs_collector_process *process, uint64_t end_ticks, const struct rs_slot *slot,
	enum rs_off_kind *kind);

/* ---- collect_names.c ---- */

/* Find names for the regions that are addresses. Call this after the table of regions is read. */
void rs_collector_name_places(struct rs_collector *collector);

/* ---- estimate.c, estimate_bounds.c: estimating the totals of sampled calls ---- */

/* One value of a region on one thread slot, while it is estimated. */
struct rs_estimate_part {
	double raw; /* sum over measured calls, before it is scaled to all calls */
	/* sum of the raw totals of nested calls, which the region's `children` contains */
	double nested;
	/* the same sum, with each raw total multiplied by the factor of its own region */
	double nested_total;
	double total;
	double self;
	double variance; /* how uncertain `total` is; 0: `total` is exact */
	double least; /* the smallest possible total */
	/* sum of the smallest possible totals of the regions that are nested only in this one */
	double nested_least;
	/* amount to subtract from `total` and `self`. It is above 0 if the parent or the thread's
	 * lifetime is smaller than the estimates, and below 0 if nested regions are larger. */
	double taken;
	double given; /* amount that nested regions lose, which is added to `self` */
};

/* One region on the current thread slot. It includes the results of its kinds of work
 * (--by-work). */
struct rs_estimate_node {
	bool is_estimated; /* some calls were not measured */
	bool nests; /* some calls are not asynchronous, so this region can be nested in others */
	double calls;
	double weights;
	/* 0: no region is nested in it; otherwise above the levels of nested regions */
	uint32_t level;
	double factor; /* calls / weights: multiplying raw sums by it scales them to all calls */
	struct rs_estimate_part *parts; /* one for each value */
};

struct rs_estimator {
	struct rs_collector *collector;
	const struct rs_run *out;
	uint32_t n_values;
	struct rs_estimate_node *nodes; /* one for each region */
	/* for each region, over all slots: the number of calls, and the sum of the weights of
	 * measured calls */
	double *calls;
	double *weights;
	/* for each value of each region: the amount that limits have subtracted on all earlier
	 * slots */
	double *owed;
	/* for each region: true if there is a slot on which none of the region's calls was
	 * measured */
	bool *is_scattered;
	size_t first; /* the slot has the results with first <= index < end in out->results */
	size_t end;
	double lifetime_ns; /* sum of the lifetimes of the threads of the slot; 0: unknown */
};

static inline uint32_t rs_estimator_owner(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_owner(estimator->out, result->region);
}

/* Return true if a result contains only the calls of its region that did the same work
 * (--by-work). */
static inline bool rs_estimator_is_of_work(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return rs_run_work_of(estimator->out, result->region) != RS_NO_REGION;
}

static inline struct rs_estimate_node *rs_estimator_node(
	const struct rs_estimator *estimator, const struct rs_result *result)
{
	return &estimator->nodes[rs_estimator_owner(estimator, result)];
}

/* Set the level of each region of the slot. */
void rs_estimate_find_levels(struct rs_estimator *estimator);

/* Limit the estimates of one value on a slot. The sum of all regions' times must not exceed the
 * lifetime of the slot's threads, and nested regions must not exceed their parent. If they do,
 * change totals in such a way that self values still add up: the self value of a parent gains what
 * its nested regions lose. */
void rs_estimate_bound(struct rs_estimator *estimator, uint32_t value);

#endif
