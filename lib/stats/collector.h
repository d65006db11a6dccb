/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the files that read a segment: collect.c (tables), collect_list.c (the
 * accumulators of a slot), collect_accumulators.c (one accumulator) and collect_histograms.c.
 */
#ifndef RS_STATS_COLLECTOR_H
#define RS_STATS_COLLECTOR_H

#include "stats/collect.h"
#include "stats/histogram.h"
#include "stats/segment_reader.h"

/* Counts of time or of one event, as they were read. */
struct rs_read_counts {
	uint64_t octaves; /* a bit for each octave that has a block */
	bool is_spoiled; /* the counts made no sense */
	uint64_t total;
	uint64_t counts[RS_BLOCK_OCTAVES * RS_BLOCK_BUCKETS];
};

/* Return the first bucket, and the one after the last bucket. */
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

struct rs_collector {
	struct rs_run *out;
	struct rs_arena *arena; /* arena of out */
	struct rs_arena scratch; /* for what only the collection needs */
	struct rs_segment_reader reader;
	struct rs_ticks rate;
	double tick_ns; /* length of a tick of the runtime's clock */
	uint64_t end_ticks;
	uint32_t n_regions, n_processes, n_slots; /* as the header says */
	uint64_t *exit_ticks; /* for each process entry, 0: unknown */
	uint32_t n_exit_ticks;

	/* state of reading accumulators */
	/* index of the current slot in the segment; thread is its index in out->threads */
	uint32_t slot;
	uint32_t thread;
	bool samples; /* the segment has RS_SEGMENT_SAMPLES, so calls have weights */
	/* Sizes of the loaded accumulator. If its calls had a context switch, on-CPU time is one
	 * event more. */
	uint32_t n_events;
	uint32_t n_counters; /* 1 + n_events */
	uint32_t accumulator_bytes;
	struct rs_accumulator *accumulator; /* the loaded one */
	/* for each value and octave, the offset of its block once that is claimed */
	uint64_t *claimed;
	struct rs_read_counts *runs; /* for each value, its counts */
	uint64_t *sums; /* for each octave, n_events sums that lie behind the counts of time */
	uint32_t *seen; /* for each region, 1 + the last slot with an accumulator of it */
	size_t capacity; /* capacity of out->results */
	struct rs_raw **raw; /* for each result, its values over measured calls */
	/* overhead of the accumulator in a slot's list that was read last, in ticks: of a measured
	 * call, of a skipped call, and further overhead in total */
	uint64_t pair_ticks, skip_ticks, own_ticks;
};

/* Set the sizes of the next accumulator. is_switched: its calls had a context switch. */
static inline void rs_collector_expect(struct rs_collector *collector, bool is_switched)
{
	const struct rs_run *out = collector->out;
	collector->n_events = out->n_events + is_switched;
	collector->n_counters = 1 + collector->n_events;
	collector->accumulator_bytes = rs_accumulator_bytes(collector->n_events, out->n_groups);
}

/* Read the accumulators of collector->slot into collector->out. first is the offset of the first
 * one. */
void rs_collector_read_accumulators(struct rs_collector *collector, uint64_t first);

/* ---- collect_accumulators.c ---- */

/* How an accumulator was read. */
enum rs_load {
	RS_LOAD_DONE,
	RS_LOAD_CHANGING, /* complete, but the histograms are newer than the other words */
	RS_LOAD_TORN, /* the program writes too fast, so words may be of several points in time */
	RS_LOAD_UNREADABLE,
};

/* A value over measured calls, times their weights, in ns or as counted. Calls nested in calls of
 * the same region are in all, but not in total. */
struct rs_raw {
	double all;
	double total;
	double children; /* part of all that nested regions used, by the weights of their calls */
};

/* Add the loaded accumulator to the run, unless it makes no sense. main is NULL for an accumulator
 * in a slot's list. Otherwise the calls had a context switch and are added to main, the result of
 * their region. */
void rs_collector_keep_accumulator(
	struct rs_collector *collector, enum rs_load load, struct rs_result *main);

/* Return true if a value of the loaded accumulator is a time: time itself, or on-CPU time behind
 * the events. */
static inline bool rs_collector_is_time(const struct rs_collector *collector, uint32_t counter)
{
	return counter == 0 || counter > collector->out->n_events;
}

static inline const char *rs_collector_region(const struct rs_collector *collector, uint32_t region)
{
	return collector->out->regions[region].name;
}

/* ---- collect_histograms.c ---- */

/* Read all counts of the loaded accumulator, and the sums behind those of time. */
void rs_collector_read_histograms(struct rs_collector *collector);

/* Copy the counts of time or of an event to the grid of buckets.h, in the run's arena. Each value
 * is the middle of its bucket, less the overhead inside each call. Return the number of calls below
 * this overhead. */
uint64_t rs_collector_copy_histogram(struct rs_collector *collector, struct rs_histogram *copy,
	uint32_t counter, int64_t inside);

/* ---- accumulator.c ---- */

/* Sums of an accumulator, including the latest call, before overhead is subtracted. */
struct rs_whole {
	uint64_t calls;
	uint64_t weights; /* sum of the weights of calls */
	const struct rs_rare *rare; /* row of the accumulator that is valid, and its parts */
	const struct rs_rare_group *groups;
	const struct rs_rare_moments *extremes;
	struct rs_whole_counter {
		uint64_t weights; /* weights of the calls for which the value was counted */
		uint64_t sum; /* sum over these calls, by weight */
		double square; /* sum of weight * (value - average)^2 */
		int64_t children;
		int64_t inside; /* overhead inside each call */
		bool has_all; /* the histogram has exactly these calls */
		bool is_incomplete; /* the histogram lacks some of them for good */
		bool exceeds; /* the histogram has more calls, or its counts make no sense */
	} counters[RS_MAX_COUNTERS];
};

/* Complete the loaded accumulator and its histograms: add the latest call to words that lack it.
 * load says how they were read. Return false if they make no sense. */
bool rs_accumulator_complete(
	struct rs_collector *collector, enum rs_load load, struct rs_whole *whole);

/* ---- collect_adapters.c ---- */

/* Read the counts of all adapters into collector->out. */
void rs_collector_read_adapters(struct rs_collector *collector);

/* ---- collect_work.c ---- */

/* Add the work of the loaded accumulator to copy. calls: its measured calls. */
void rs_collector_copy_work(
	struct rs_collector *collector, struct rs_result *copy, uint64_t calls, enum rs_load load);

/* ---- collect_octaves.c ---- */

/* Add the sums of the loaded accumulator by octave of time to copy->octaves. */
void rs_collector_copy_octaves(
	struct rs_collector *collector, struct rs_result *copy, const struct rs_whole *whole);

/* ---- estimate.c ---- */

/* Estimate the totals of all calls, also skipped ones, once all accumulators are read. */
void rs_collector_estimate(struct rs_collector *collector);

/* ---- collect_names.c ---- */

/* Give names to regions that are addresses, once the table of regions is read. */
void rs_collector_name_places(struct rs_collector *collector);

#endif
