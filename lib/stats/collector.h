/* SPDX-License-Identifier: MIT */
/*
 * Inside collecting: what collect.c (the tables), collect_list.c (the cells of a slot),
 * collect_cells.c (what is in one) and collect_histograms.c share while one segment is read.
 */
#ifndef RS_STATS_COLLECTOR_H
#define RS_STATS_COLLECTOR_H

#include "stats/collect.h"
#include "stats/histogram.h"
#include "stats/segment_reader.h"

/* The counts of time or of one event, as read. */
struct rs_read_counts {
	uint64_t octaves; /* a bit for each octave that has a block */
	bool is_spoiled; /* some of it made no sense */
	uint64_t total;
	uint64_t counts[RS_BLOCK_OCTAVES * RS_BLOCK_BUCKETS];
};

/* The first bucket, and the one behind the last. */
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
	struct rs_arena *arena; /* of out */
	struct rs_segment_reader reader;
	struct rs_ticks rate;
	double tick_ns; /* the length of a tick of the runtime's clock */
	uint64_t end_ticks;
	uint64_t *exit_ticks; /* of each process entry, 0 when unknown */
	uint32_t n_exit_ticks;

	/* for the cells */
	uint32_t slot; /* whose are read: its index in the segment, and that of out->threads */
	uint32_t thread;
	bool samples; /* the segment has RS_SEGMENT_SAMPLES: calls have weights */
	/* these three of the loaded cell: one of calls that had a context switch has on-CPU time
	 * as one event more */
	uint32_t n_events;
	uint32_t n_quantities; /* 1 + n_events */
	uint32_t cell_bytes;
	unsigned char *cell; /* cell_bytes: the loaded one, as read */
	uint64_t *claimed; /* n_quantities times RS_BLOCK_OCTAVES: its blocks, once claimed */
	struct rs_read_counts *runs; /* n_quantities: its counts */
	uint64_t *sums; /* RS_BLOCK_OCTAVES times n_events: what lies behind the counts of time */
	uint32_t *seen; /* a region: 1 + the last slot that had a cell of it */
	size_t capacity; /* of out->results */
	struct rs_raw **raw; /* of each cell, its values as measured calls have them */
};

/* The next cell is one of calls that had a context switch, or another. */
static inline void rs_collector_expect(struct rs_collector *collector, bool is_switched)
{
	const struct rs_run *out = collector->out;
	collector->n_events = out->n_events + is_switched;
	collector->n_quantities = 1 + collector->n_events;
	collector->cell_bytes = rs_cell_bytes(collector->n_events, out->n_groups);
}

/* Read the cells of collector->slot, from the offset of the first on, into collector->out.
 * False, with err filled: no memory. */
bool rs_collector_read_cells(struct rs_collector *collector, uint64_t first, struct rs_err *err);

/* ---- collect_cells.c ---- */

/* How a cell was read. */
enum rs_load {
	RS_LOAD_DONE,
	RS_LOAD_CHANGING, /* done, but the histograms are newer than the scalars */
	RS_LOAD_TORN, /* the program writes too fast: the scalars may be of several points in
		       * time */
	RS_LOAD_UNREADABLE,
	RS_LOAD_NO_MEMORY,
};

/* A value over the calls that measured ones represent, in ns or as counted. The part of calls
 * within others of their region is in all, and in total only once. */
struct rs_raw {
	double all;
	double total;
	double children; /* what nested regions had of all, by their own weights */
};

/* Add the loaded cell to the run, unless it makes no sense. main: the result of the region's
 * calls without a context switch, to which these with one are added; NULL: it is in the slot's
 * list. False: no memory. */
bool rs_collector_keep_cell(
	struct rs_collector *collector, enum rs_load load, struct rs_result *main);

/* Whether a number of the loaded cell is a time: time, or on-CPU time behind the events. */
static inline bool rs_collector_is_time(const struct rs_collector *collector, uint32_t quantity)
{
	return quantity == 0 || quantity > collector->out->n_events;
}

static inline const char *rs_collector_region(const struct rs_collector *collector, uint32_t region)
{
	return collector->out->regions[region].name;
}

/* ---- collect_histograms.c ---- */

/* Read all counts of the loaded cell, and the sums behind those of time, into collector. False: no
 * memory. */
bool rs_collector_read_histograms(struct rs_collector *collector);

/* Copy the counts of time or of an event onto the grid in the run's arena, less the overhead
 * inside each of these calls. A bucket's value is its middle. *clamped: how many took less than
 * that. False: no memory. */
bool rs_collector_copy_histogram(struct rs_collector *collector, struct rs_histogram *copy,
	uint32_t quantity, int64_t inside, uint64_t *clamped);

/* ---- accumulator.c ---- */

/* The numbers of an accumulator, the latest call included; raw values. */
struct rs_whole {
	uint64_t calls;
	uint64_t weights; /* the sum of their weights */
	const struct rs_rare *rare; /* its row, and the parts of that */
	const struct rs_rare_group *groups;
	const struct rs_rare_moments *extremes;
	struct rs_whole_quantity {
		uint64_t weights; /* of the calls for which it was counted */
		uint64_t sum; /* these over such calls, by weights */
		double square; /* sum of weight * (value - average)^2 */
		int64_t children;
		int64_t inside; /* overhead in each call */
		bool has_all; /* the histogram has all of them */
		bool exceeds; /* it has more, or what lies elsewhere */
	} quantities[RS_MAX_QUANTITIES];
};

/* Complete the loaded cell, with its counts and sums: the latest call is added where it is
 * missing. load: how these were read. False: it makes no sense. */
bool rs_accumulator_complete(
	struct rs_collector *collector, enum rs_load load, struct rs_whole *whole);

/* ---- collect_adapters.c ---- */

/* Read the adapters' counts in the segment into collector->out. False: no memory. */
bool rs_collector_read_adapters(struct rs_collector *collector);

/* ---- collect_work.c ---- */

/* The work of the calls of the current cell, beside what copy has. calls: measured ones.
 * False: no memory. */
bool rs_collector_copy_work(
	struct rs_collector *collector, struct rs_result *copy, uint64_t calls, enum rs_load load);

/* ---- collect_octaves.c ---- */

/* The sums of the loaded cell, and how many calls they are of, beside those that copy->octaves
 * has. False: no memory. */
bool rs_collector_copy_octaves(
	struct rs_collector *collector, struct rs_result *copy, const struct rs_whole *whole);

/* ---- estimate.c ---- */

/* The totals of all cells, once they are read: of all calls, skipped ones as well. False:
 * no memory. */
bool rs_collector_estimate(struct rs_collector *collector);

/* ---- collect_names.c ---- */

/* The names of regions by address, once the table of regions is read. False: no memory. */
bool rs_collector_name_places(struct rs_collector *collector);

#endif
