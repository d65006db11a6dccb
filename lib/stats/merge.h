/* SPDX-License-Identifier: MIT */
/*
 * From cells, one a region and thread slot, to the rows that a report shows: merged by region, or
 * split by process or by thread. Everything stays in the segment's units: ticks and counts.
 */
#ifndef RS_STATS_MERGE_H
#define RS_STATS_MERGE_H

#include "launch/launch.h"
#include "stats/arena.h"
#include "stats/collect.h"
#include "stats/cell_cost.h"
#include "stats/moments.h"
#include "stats/percentiles.h"

enum rs_merge_by {
	RS_MERGE_REGION,
	RS_MERGE_PROCESS, /* region and process entry */
	RS_MERGE_THREAD, /* region, process entry and thread slot */
};

#define RS_MERGE_ALL UINT32_MAX /* a row that is not split, of all processes or slots */

struct rs_merged_group {
	uint64_t counted;
	rs_u128 enabled_ns;
	rs_u128 running_ns;
	rs_u128 stable_ticks; /* to be added to both */
	rs_u128 told_ticks; /* how long the calls in enabled_ns took by the clock */
	rs_u128 missed_ticks; /* and those without a group, which should have been enabled */
};

struct rs_merged_quantity {
	struct rs_moments_sum moments;
	uint64_t n_histogram; /* weights in the histogram; 0: the quantiles are unknown */
	uint64_t p50;
	uint64_t p90;
	uint64_t p99;
	uint64_t second; /* no value but the greatest is more; where n_histogram is 2 at least */
	uint64_t *percentiles; /* one each of the options'; NULL: there are none */
};

/* The quantities that are parts of one event: for the distribution of their calls together. */
struct rs_merge_sum {
	uint32_t quantities[RS_MAX_EVENTS];
	uint32_t n;
};

struct rs_merge_options {
	enum rs_merge_by by;
	const struct rs_merge_sum *sums;
	size_t n_sums;
	const struct rs_percentiles *percentiles; /* NULL: none */
	const struct rs_outcome *outcome; /* says what still runs; NULL: nothing */
};

/* As of struct rs_octave, over all cells; of each block of the histogram. */
struct rs_merged_octave {
	uint64_t weights;
	rs_u128 *sums; /* n_events of the collection */
};

/* Off-CPU time of a kind, exactly: of all calls that ended, whichever were measured. */
struct rs_merged_off {
	rs_u128 total; /* in ticks */
	rs_u128 self;
	uint64_t calls; /* that had any */
};

/* What calls told of, exactly: of all that ended, whichever were measured. */
struct rs_merged_work {
	uint64_t calls; /* that told of any */
	uint64_t bytes; /* these two at most UINT64_MAX, where they stay */
	uint64_t flops;
};

struct rs_merged_row {
	uint32_t region;
	/* the region under which this one stands, whatever rows are split by: see rs_parents_make();
	 * one that has a row, or RS_NO_REGION */
	uint32_t parent;
	uint32_t process; /* index of the process entry; RS_MERGE_ALL */
	uint32_t slot; /* index; RS_MERGE_ALL */
	uint64_t calls; /* measured or skipped by sampling */
	uint64_t measured;
	uint64_t weights; /* calls that the measured ones represent: an estimate of calls */
	uint64_t n_threads;
	bool nests; /* any call was not asynchronous */
	uint64_t diag[RS_CELL_DIAG_N]; /* OPEN includes asynchronous calls never stopped */
	bool is_watched; /* these two are known */
	struct rs_merged_quantity cpu_time;
	struct rs_merged_off off[RS_OFF_N]; /* enum rs_off_kind */
	uint64_t pending; /* asynchronous calls started here less stopped here, modulo 2^64 */
	uint64_t running; /* calls that may still end; not in OPEN */
	struct rs_cost cost; /* of the markers of all calls */
	struct rs_merged_work work;
	rs_u128 lifetime_ticks; /* of the slots that have the region */
	struct rs_merged_group *groups; /* n_groups of the collection */
	struct rs_merged_quantity *quantities; /* time, then n_events */
	struct rs_merged_quantity *sums; /* n_sums of the options */
	struct rs_merged_octave *octaves; /* RS_BLOCKS of them; NULL where there are no events */
	const struct rs_cell_copy
		*slowest; /* the cell with the slowest call; NULL when none was measured */
};

struct rs_merge {
	struct rs_merged_row *rows; /* by region, in first-seen order, then by process or slot */
	size_t n_rows;
	struct rs_merged_row *works; /* the same of calls that did the same work, in rows as well */
	size_t n_works;
};

/*
 * Merge a collection. Regions that were never called and of which nothing is to be told are left
 * out. options: borrowed for the call. merge: filled on success, its arrays in arena; points into
 * collection.
 * False, with err filled: no memory.
 */
bool rs_merge_make(struct rs_merge *merge, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_merge_options *options,
	struct rs_err *err);

#endif
