/* SPDX-License-Identifier: MIT */
/* Which calls are slow, see rules.h. */
#include "trace/rules.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/glob.h"

#define SAMPLE_CALLS 1024u
#define LEAST_CALLS 1000u /* a region with fewer calls has no 99.9th percentile */
#define INTERVAL_NS UINT64_C(50000000)
#define REST 20u /* the next reading is so many times later than this one took */
/* Most reads in one round, in case a program has written wrong lists. */
#define MOST_READS 2000000u

#define BUCKETS (RS_BLOCK_OCTAVES * RS_BLOCK_BUCKETS)

/* If the write fails, the threads keep more calls than are needed until the next one. */
static void write_condition(struct rs_trace_selection *selection)
{
	if (selection->is_changed && pwrite(selection->fd, &selection->rules,
					     sizeof(selection->rules), (off_t)RS_TRACE_OFFSET) > 0)
		selection->is_changed = false;
}

void rs_trace_selection_init(struct rs_trace_selection *selection, int fd, uint32_t n_events,
	const struct rs_trace_condition *condition)
{
	*selection = (struct rs_trace_selection){
		.fd = fd, .n_events = n_events, .condition = *condition};
	if (!condition->glob)
		return;
	/* Keeping all calls of new regions would fill the rings. */
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		selection->rules.above[r] = condition->above;
	selection->rules.keeps_inner = 1;
	selection->is_changed = true;
	write_condition(selection);
}

void rs_trace_selection_finish(struct rs_trace_selection *selection)
{
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		free(selection->counts[r]);
	*selection = (struct rs_trace_selection){.fd = -1};
}

struct reader {
	struct rs_trace_selection *selection;
	uint32_t n_reads;
};

static bool read_at(struct reader *reader, void *to, size_t bytes, uint64_t offset)
{
	return offset < RS_SEGMENT_BYTES && reader->n_reads++ < MOST_READS &&
	       pread(reader->selection->fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Add the counts of an accumulator's times, whose blocks begin at an offset. */
static void add_blocks(struct reader *reader, uint64_t *counts, uint64_t offset)
{
	struct rs_block block;
	for (uint32_t n = 0; offset && n < RS_BLOCK_OCTAVES; n++) {
		if (!read_at(reader, &block, sizeof(block), offset) ||
			rs_block_octave(block.link) >= RS_BLOCK_OCTAVES)
			return;
		uint64_t *octave = counts + rs_block_octave(block.link) * RS_BLOCK_BUCKETS;
		for (uint32_t b = 0; b < RS_BLOCK_BUCKETS; b++)
			octave[b] += block.counts[b];
		offset = rs_block_next(block.link);
	}
}

static void add_accumulator(
	struct reader *reader, const struct rs_accumulator *accumulator, uint64_t offset)
{
	struct rs_trace_selection *selection = reader->selection;
	uint64_t **counts = &selection->counts[accumulator->region], blocks;
	uint64_t twin = (uint64_t)accumulator->twin * RS_OFFSET_UNIT;
	if (!*counts)
		*counts = calloc(BUCKETS, sizeof(**counts));
	if (!*counts)
		return;
	if (read_at(reader, &blocks, sizeof(blocks),
		    offset + rs_accumulator_blocks_offset(selection->n_events)))
		add_blocks(reader, *counts, blocks);
	/* Calls with a context switch have on-CPU time as one more event. */
	if (twin && read_at(reader, &blocks, sizeof(blocks),
			    twin + rs_accumulator_blocks_offset(selection->n_events + 1)))
		add_blocks(reader, *counts, blocks);
}

static void add_slot(struct reader *reader, uint64_t offset)
{
	struct rs_accumulator accumulator;
	for (uint32_t n = 0; offset && n < RS_MAX_REGIONS; n++) {
		if (!read_at(reader, &accumulator, sizeof(accumulator), offset) ||
			accumulator.region >= RS_MAX_REGIONS)
			return;
		add_accumulator(reader, &accumulator, offset);
		offset = accumulator.next;
	}
}

static void read_accumulators(struct rs_trace_selection *selection)
{
	struct reader reader = {.selection = selection};
	struct rs_slot slot;
	uint32_t n = 0;
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++)
		if (selection->counts[r])
			memset(selection->counts[r], 0, BUCKETS * sizeof(uint64_t));
	if (!read_at(&reader, &n, sizeof(n), offsetof(struct rs_segment_header, n_slots)))
		return;
	for (uint32_t i = 0; i < n && i < RS_MAX_SLOTS; i++)
		if (read_at(&reader, &slot, sizeof(slot), RS_SLOTS_OFFSET + i * sizeof(slot)))
			add_slot(&reader, slot.first_cell);
}

/* Return a time in ticks that at least one call in 1,000 reaches, or 0. */
static uint64_t find_slow(const uint64_t *counts)
{
	uint64_t all = 0, above = 0;
	for (uint32_t b = 0; b < BUCKETS; b++)
		all += counts[b];
	if (all < LEAST_CALLS)
		return 0;
	uint32_t b = BUCKETS;
	while (b > 0 && above <= all / 1000)
		above += counts[--b];
	return rs_block_low(b / RS_BLOCK_BUCKETS, b % RS_BLOCK_BUCKETS);
}

void rs_trace_selection_judge(struct rs_trace_selection *selection)
{
	struct reader reader = {.selection = selection};
	struct rs_trace_rules *rules = &selection->rules;
	struct rs_region region;
	uint32_t n = 0;
	if (!read_at(&reader, &n, sizeof(n), offsetof(struct rs_segment_header, n_regions)))
		return;
	n = n < RS_MAX_REGIONS ? n : RS_MAX_REGIONS;
	for (uint32_t r = selection->n_judged; r < n; r++) {
		/* An entry that is not ready yet is judged later. */
		if (selection->is_judged[r] ||
			!read_at(&reader, &region, sizeof(region),
				RS_REGIONS_OFFSET + r * sizeof(region)) ||
			region.state != RS_REGION_READY)
			continue;
		region.name[RS_NAME_BYTES - 1] = '\0';
		rules->above[r] = rs_glob_matches(selection->condition.glob, region.name)
					  ? selection->condition.above
					  : UINT64_MAX;
		selection->is_judged[r] = selection->is_changed = true;
	}
	while (selection->n_judged < n && selection->is_judged[selection->n_judged])
		selection->n_judged++;
	write_condition(selection);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void rs_trace_selection_update(struct rs_trace_selection *selection)
{
	uint64_t begin_ns = now_ns();
	struct rs_trace_rules *rules = &selection->rules;
	if (begin_ns < selection->next_ns)
		return;
	selection->is_selective = true;
	read_accumulators(selection);
	rules->sample_calls = SAMPLE_CALLS;
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++) {
		uint64_t slow = selection->counts[r] ? find_slow(selection->counts[r]) : 0;
		rules->above[r] = slow;
		if (slow > selection->highest[r])
			selection->highest[r] = slow;
	}
	uint64_t took_ns = now_ns() - begin_ns;
	selection->next_ns = begin_ns +
			     (took_ns * REST > INTERVAL_NS ? took_ns * REST : INTERVAL_NS);
	/* If the write fails, the threads keep more calls than are needed. */
	if (pwrite(selection->fd, rules, sizeof(*rules), (off_t)RS_TRACE_OFFSET) < 0)
		selection->next_ns = begin_ns + INTERVAL_NS;
}
