/* SPDX-License-Identifier: MIT */
/*
 * A segment filled by hand, byte by byte as lib/segment/layout.h says, for tests of what reads it.
 * It knows nothing of the runtime. Failures end the process with a message.
 */
#ifndef RS_TEST_STATS_BUILDER_H
#define RS_TEST_STATS_BUILDER_H

#include <stdbool.h>

#include "segment/segment.h"

/* All that a test fills lies in the first so many bytes of the segment. */
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

/* Add an empty cell at the end of the slot's list, of calls within no region. */
struct rs_cell *builder_cell(struct builder *builder, uint32_t slot, uint32_t region);

/* The current moments of a cell; the current row, and its parts. */
struct rs_moments *builder_moments(const struct builder *builder, struct rs_cell *cell);
struct rs_rare *builder_rare(const struct builder *builder, struct rs_cell *cell);
struct rs_rare_group *builder_groups(const struct builder *builder, struct rs_cell *cell);
struct rs_rare_moments *builder_extremes(const struct builder *builder, struct rs_cell *cell);
uint32_t *builder_blocks(const struct builder *builder, struct rs_cell *cell, uint32_t quantity);

/* Where the table of blocks speaks of a value, and where the histogram counts it. */
uint32_t *builder_block(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value);
uint64_t *builder_count(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value);

/* The sums of events behind the counts of the block that has a time: n_events. */
uint64_t *builder_sums(const struct builder *builder, struct rs_cell *cell, uint64_t time);

/* One finished call. */
struct builder_call {
	const uint64_t *deltas; /* time, then every event */
	uint32_t not_counted; /* a bit for each group that was not on the PMU all the time */
	uint64_t enabled_ns; /* of every group */
	uint64_t running_ns;
	uint64_t children; /* what of each delta is not self */
	uint64_t inner; /* what of each delta calls of the same region took */
	uint64_t weight; /* calls that it stands for; 0: one */
	uint64_t start_ticks;
	uint32_t pid;
	uint32_t tid;
};

/* Record it as the layout says: moments to the other copy, the count of calls, histograms. */
void builder_record(struct builder *builder, struct rs_cell *cell, const struct builder_call *call);

/* A call of time and nothing else. */
void builder_time(struct builder *builder, struct rs_cell *cell, uint64_t ticks);

#endif
