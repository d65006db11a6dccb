/* SPDX-License-Identifier: MIT */
/*
 * A segment that tests fill byte by byte, as lib/segment/layout.h describes it, to test what reads
 * it. It does not use the runtime. On a failure it prints a message and ends the process.
 */
#ifndef RS_TEST_STATS_BUILDER_H
#define RS_TEST_STATS_BUILDER_H

#include <stdbool.h>

#include "segment/segment.h"
#include "stats/collect.h"

/* Tests fill only so many bytes of the segment. */
#define BUILDER_BYTES (UINT64_C(64) << 20)

struct builder {
	struct rs_segment segment;
	char *base; /* the first BUILDER_BYTES of the segment, mapped shared */
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t event_group[RS_MAX_EVENTS];
	uint64_t next; /* offset of free data */
	bool samples; /* see builder_sample() */
};

/* Create a segment. event_group[n_events] is ascending from 0. */
void builder_init(struct builder *builder, uint32_t n_events, const uint32_t *event_group);
void builder_finish(struct builder *builder);

/* Sample calls from now on. Call this before any call is recorded. */
void builder_sample(struct builder *builder);

struct rs_region *builder_region_at(struct builder *builder, uint32_t region);
struct rs_process *builder_process_at(struct builder *builder, uint32_t process);
struct rs_slot *builder_slot_at(struct builder *builder, uint32_t slot);

/* Each of these functions adds an entry and returns its index. */
uint32_t builder_region(struct builder *builder, const char *name);
uint32_t builder_process(struct builder *builder, uint32_t pid);
uint32_t builder_slot(
	struct builder *builder, uint32_t process, uint32_t tid, uint64_t lifetime_ticks);

/* Take bytes of data, a multiple of 64, and return their offset. */
uint64_t builder_take(struct builder *builder, uint64_t bytes);

/* Add an empty accumulator to the end of a slot's list. Its calls are outside all regions. */
struct rs_accumulator *builder_accumulator(struct builder *builder, uint32_t slot, uint32_t region);

/* Return the current row of an accumulator, and its parts. */
struct rs_rare *builder_rare(const struct builder *builder, struct rs_accumulator *accumulator);
struct rs_rare_group *builder_groups(
	const struct builder *builder, struct rs_accumulator *accumulator);
struct rs_rare_moments *builder_extremes(
	const struct builder *builder, struct rs_accumulator *accumulator);

/* Return the offset of the first block of each statistic; the block for a value, or NULL; and the
 * count of a value that was recorded. */
uint64_t *builder_blocks(const struct builder *builder, struct rs_accumulator *accumulator);
struct rs_block *builder_block(const struct builder *builder, struct rs_accumulator *accumulator,
	uint32_t counter, uint64_t value);
uint64_t *builder_count(const struct builder *builder, struct rs_accumulator *accumulator,
	uint32_t counter, uint64_t value);

/* Return the n_events sums that lie behind the counts of the octave that has a time. */
uint64_t *builder_sums(
	const struct builder *builder, struct rs_accumulator *accumulator, uint64_t time);

/* One finished call. */
struct builder_call {
	const uint64_t *deltas; /* time, then each event */
	uint32_t not_counted; /* a bit for each group that was not on the PMU all the time */
	uint64_t enabled_ns; /* of each group */
	uint64_t running_ns;
	uint64_t children; /* part of each delta that nested regions used */
	uint64_t inner; /* part of each delta in calls of the same region */
	uint64_t weight; /* odd number of calls that it represents; 0: one */
	uint64_t start_ticks;
	uint32_t pid;
	uint32_t tid;
};

/* Steps in which a call is recorded, in the order of the layout. */
enum builder_step {
	/* the histogram of time has the call before; one more for each further histogram */
	BUILDER_COUNTED = 1,
	BUILDER_SQUARED = 100, /* squares and sums of events have the call before */
	BUILDER_FOLDED = 101, /* squares and sums of time and the weights have it too */
	BUILDER_STORED = 102, /* the new call is the latest one */
	BUILDER_RECORDED = 103, /* the number of calls includes it */
};

/* Record a call, or stop at a step. BUILDER_COUNTED + n: stop after n further histograms. */
void builder_record(struct builder *builder, struct rs_accumulator *accumulator,
	const struct builder_call *call);
void builder_record_until(struct builder *builder, struct rs_accumulator *accumulator,
	const struct builder_call *call, unsigned step);

/* Record a call that has only time. */
void builder_time(struct builder *builder, struct rs_accumulator *accumulator, uint64_t ticks);

#endif
