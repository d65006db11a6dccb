/* SPDX-License-Identifier: MIT */
/*
 * A segment filled by hand, byte by byte as lib/segment/layout.h says, for tests of what reads it.
 * It knows nothing of the runtime. Failures end the process with a message.
 */
#ifndef RS_TEST_STATS_BUILDER_H
#define RS_TEST_STATS_BUILDER_H

#include <stdbool.h>

#include "segment/segment.h"
#include "stats/collect.h"

/* Begin and end of a run in ticks, each of which is a ns. */
#define BUILDER_TICKS_ARE_NS(ticks)                                          \
	&(const struct rs_clock_point){0, 0}, &(const struct rs_clock_point) \
	{                                                                    \
		(ticks), (ticks)                                             \
	}

/* A test fills only these first bytes of the segment. */
#define BUILDER_BYTES (UINT64_C(64) << 20)

struct builder {
	struct rs_segment segment;
	char *base; /* the segment's first BUILDER_BYTES, mapped shared */
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t event_group[RS_MAX_EVENTS];
	uint64_t next; /* free data */
	bool samples; /* see builder_sample() */
};

/* event_group[n_events]: ascending from 0. */
void builder_init(struct builder *builder, uint32_t n_events, const uint32_t *event_group);
void builder_finish(struct builder *builder);

/* From now on calls are sampled. Before any is recorded. */
void builder_sample(struct builder *builder);

struct rs_region *builder_region_at(struct builder *builder, uint32_t region);
struct rs_process *builder_process_at(struct builder *builder, uint32_t process);
struct rs_slot *builder_slot_at(struct builder *builder, uint32_t slot);

/* Each adds one and returns its index. */
uint32_t builder_region(struct builder *builder, const char *name);
uint32_t builder_process(struct builder *builder, uint32_t pid);
uint32_t builder_slot(
	struct builder *builder, uint32_t process, uint32_t tid, uint64_t lifetime_ticks);

/* Take bytes of data, a multiple of 64; returns their offset. */
uint64_t builder_take(struct builder *builder, uint64_t bytes);

/* Add an empty accumulator at the end of the slot's list, of calls within no region. */
struct rs_cell *builder_cell(struct builder *builder, uint32_t slot, uint32_t region);

/* The current row of an accumulator, and its parts. */
struct rs_rare *builder_rare(const struct builder *builder, struct rs_cell *cell);
struct rs_rare_group *builder_groups(const struct builder *builder, struct rs_cell *cell);
struct rs_rare_moments *builder_extremes(const struct builder *builder, struct rs_cell *cell);

/* The offset of the first block of each statistic; the block for a value, NULL: none; and the count
 * of a value that was recorded. */
uint64_t *builder_blocks(const struct builder *builder, struct rs_cell *cell);
struct rs_block *builder_block(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value);
uint64_t *builder_count(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value);

/* The sums of events behind the counts of the octave that has a time: n_events. */
uint64_t *builder_sums(const struct builder *builder, struct rs_cell *cell, uint64_t time);

/* The known parts of an event's calls. */
struct rs_cell_event *builder_event(struct rs_cell *cell, uint32_t event);

/* One finished call. */
struct builder_call {
	const uint64_t *deltas; /* time, then every event */
	uint32_t not_counted; /* a bit for each group that was not on the PMU all the time */
	uint64_t enabled_ns; /* of every group */
	uint64_t running_ns;
	uint64_t children; /* the part of each delta that is not self */
	uint64_t inner; /* the part of each delta in calls of the same region */
	uint64_t weight; /* calls that it represents, an odd number; 0: one */
	uint64_t start_ticks;
	uint32_t pid;
	uint32_t tid;
};

/* The steps in which a call is recorded, as the layout says. */
enum builder_step {
	BUILDER_COUNTED = 1, /* the number of histograms that have the call before, time's first */
	BUILDER_SQUARED = 100, /* it is in the squares of events and in their sums */
	BUILDER_FOLDED = 101, /* ... and in those of time, and in the weights */
	BUILDER_STORED = 102, /* the call is the latest */
	BUILDER_RECORDED = 103, /* and is a call */
};

/* Record a call, or as far as one comes until a step: BUILDER_COUNTED + n is after n histograms more. */
void builder_record(struct builder *builder, struct rs_cell *cell, const struct builder_call *call);
void builder_record_until(struct builder *builder, struct rs_cell *cell,
	const struct builder_call *call, unsigned step);

/* Add n calls, all of values[1 + n_events], to an accumulator without calls. */
void builder_many(
	struct builder *builder, struct rs_cell *cell, uint64_t n, const uint64_t *values);

/* A call of time and nothing else. */
void builder_time(struct builder *builder, struct rs_cell *cell, uint64_t ticks);

#endif
