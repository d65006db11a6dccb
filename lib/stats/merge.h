/* SPDX-License-Identifier: MIT */
/*
 * From cells, one a region and thread slot, to the rows that a report shows: merged by region, or
 * split by process or by thread.
 */
#ifndef RS_STATS_MERGE_H
#define RS_STATS_MERGE_H

#include "launch/launch.h"
#include "stats/arena.h"
#include "stats/collect.h"
#include "stats/cell_cost.h"

enum rs_merge_by {
	RS_MERGE_REGION,
	RS_MERGE_PROCESS, /* region and process entry */
	RS_MERGE_THREAD, /* region, process entry and thread slot */
};

#define RS_MERGE_ALL UINT32_MAX /* a row that is not split, of all processes or slots */
#define RS_MERGE_NO_ROW SIZE_MAX

struct rs_merge_options {
	enum rs_merge_by by;
	const struct rs_outcome *outcome; /* says what still runs; NULL: nothing */
};

/* The work of calls, exactly: of all that ended, measured or skipped. */
struct rs_merged_work {
	uint64_t calls; /* with any work */
	uint64_t bytes; /* these two at most UINT64_MAX, where they stay */
	uint64_t flops;
};

struct rs_merged_row {
	uint32_t region;
	/* the region under which this one stands, whatever rows are split by: see rs_parents_make();
	 * one that has a row, or RS_NO_REGION */
	uint32_t parent;
	size_t parent_row; /* of regions alone: that of parent, or RS_MERGE_NO_ROW */
	size_t n_parents; /* different regions, or none, in which its calls began */
	uint32_t process; /* index of the process entry; RS_MERGE_ALL */
	uint32_t slot; /* index; RS_MERGE_ALL */
	uint64_t calls; /* measured or skipped by sampling */
	uint64_t measured;
	uint64_t weights; /* calls that the measured ones represent: an estimate of calls */
	uint64_t n_threads;
	bool nests; /* any call was not asynchronous */
	uint64_t diag[RS_CELL_DIAG_N]; /* OPEN includes asynchronous calls never stopped */
	uint64_t pending; /* asynchronous calls started here less stopped here, modulo 2^64 */
	uint64_t running; /* calls that may still end; not in OPEN */
	struct rs_cost cost; /* of the markers of all calls */
	struct rs_merged_work work;
	struct rs_value *values; /* RS_EVENT_FIRST + n_events of the collection */
	struct rs_octave *octaves; /* the longest times first; none where there are no events */
	size_t n_octaves;
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
 * Merge a collection. Regions that were never called and have nothing to report are excluded.
 * options: borrowed for the call. merge: filled on success, its arrays in arena; points into
 * collection. False, with err filled: no memory.
 */
bool rs_merge_make(struct rs_merge *merge, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_merge_options *options,
	struct rs_err *err);

#endif
