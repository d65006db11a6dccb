/* SPDX-License-Identifier: MIT */
/*
 * The test's own writer of segments: slow, plain, and from the text of the layout alone.
 */
#include "builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void die(const char *what)
{
	perror(what);
	exit(99);
}

void builder_init(struct builder *builder, uint32_t n_events, const uint32_t *event_group)
{
	struct rs_segment_event events[RS_MAX_EVENTS] = {0};
	struct rs_err err = {0};
	*builder = (struct builder){.n_events = n_events, .next = RS_DATA_OFFSET};
	for (uint32_t i = 0; i < n_events; i++) {
		builder->event_group[i] = events[i].group = event_group[i];
		builder->n_groups = event_group[i] + 1;
	}
	struct rs_segment_config config = {
		.n_groups = builder->n_groups, .n_events = n_events, .events = events};
	if (!rs_segment_init(&builder->segment, &config, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(99);
	}
	builder->base = mmap(
		NULL, BUILDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, builder->segment.fd, 0);
	if (builder->base == MAP_FAILED)
		die("mmap");
}

void builder_sample(struct builder *builder)
{
	builder->samples = true;
	builder->segment.header->flags |= RS_SEGMENT_SAMPLES;
}

void builder_finish(struct builder *builder)
{
	if (builder->base)
		munmap(builder->base, BUILDER_BYTES);
	rs_segment_finish(&builder->segment);
	*builder = (struct builder){0};
}

static void *at(const struct builder *builder, uint64_t offset)
{
	return builder->base + offset;
}

struct rs_region *builder_region_at(struct builder *builder, uint32_t region)
{
	return at(builder, RS_REGIONS_OFFSET + region * sizeof(struct rs_region));
}

struct rs_process *builder_process_at(struct builder *builder, uint32_t process)
{
	return at(builder, RS_PROCESSES_OFFSET + process * sizeof(struct rs_process));
}

struct rs_slot *builder_slot_at(struct builder *builder, uint32_t slot)
{
	return at(builder, RS_SLOTS_OFFSET + slot * sizeof(struct rs_slot));
}

uint32_t builder_region(struct builder *builder, const char *name)
{
	uint32_t index = builder->segment.header->n_regions++;
	struct rs_region *region = builder_region_at(builder, index);
	region->name_bytes = (uint32_t)strlen(name);
	memcpy(region->name, name, region->name_bytes);
	region->hash = rs_name_hash(name, region->name_bytes);
	region->state = RS_REGION_READY;
	return index;
}

uint32_t builder_process(struct builder *builder, uint32_t pid)
{
	uint32_t index = builder->segment.header->n_processes++;
	struct rs_process *process = builder_process_at(builder, index);
	process->pid = pid;
	strcpy(process->name, "made-up");
	process->state = RS_PROCESS_ALIVE;
	return index;
}

uint32_t builder_slot(
	struct builder *builder, uint32_t process, uint32_t tid, uint64_t lifetime_ticks)
{
	uint32_t index = builder->segment.header->n_slots++;
	struct rs_slot *slot = builder_slot_at(builder, index);
	slot->process = process;
	slot->tid = tid;
	slot->n_threads = 1;
	slot->lifetime_ticks = lifetime_ticks;
	slot->state = RS_SLOT_OWNED;
	return index;
}

uint64_t builder_take(struct builder *builder, uint64_t bytes)
{
	uint64_t offset = builder->next;
	builder->next += bytes;
	if (builder->next > BUILDER_BYTES)
		die("builder: no data left");
	builder->segment.header->data_end = (builder->next + RS_EXTENT_BYTES - 1) /
					    RS_EXTENT_BYTES * RS_EXTENT_BYTES;
	return offset;
}

struct rs_cell *builder_cell(struct builder *builder, uint32_t slot, uint32_t region)
{
	uint32_t bytes = rs_cell_bytes(builder->n_events, builder->n_groups);
	uint64_t offset = builder_take(builder, bytes);
	struct rs_cell *cell = at(builder, offset);
	cell->region = (uint16_t)region;
	cell->cell_units = rs_cell_units(bytes);
	cell->n_threads = 1;
	cell->parents[0] = RS_PARENT_NONE;
	_Atomic uint64_t *link = &builder_slot_at(builder, slot)->first_cell;
	while (*link != 0)
		link = &((struct rs_cell *)at(builder, *link))->next;
	*link = offset;
	return cell;
}

static struct rs_moments *moments_at(
	const struct builder *builder, struct rs_cell *cell, uint64_t copy)
{
	return (void *)((char *)cell + rs_cell_moments_offset(builder->n_events, (uint32_t)copy));
}

static struct rs_rare *rare_at(const struct builder *builder, struct rs_cell *cell, uint64_t row)
{
	return (void *)((char *)cell +
			rs_cell_rare_offset(builder->n_events, builder->n_groups, (uint32_t)row));
}

static struct rs_rare_group *groups_of(struct rs_rare *rare)
{
	return (void *)(rare + 1);
}

static struct rs_rare_moments *extremes_of(const struct builder *builder, struct rs_rare *rare)
{
	return (void *)(groups_of(rare) + builder->n_groups);
}

struct rs_moments *builder_moments(const struct builder *builder, struct rs_cell *cell)
{
	return moments_at(builder, cell, cell->calls_and_row >> 1 & 1);
}

struct rs_rare *builder_rare(const struct builder *builder, struct rs_cell *cell)
{
	return rare_at(builder, cell, cell->calls_and_row & 1);
}

struct rs_rare_group *builder_groups(const struct builder *builder, struct rs_cell *cell)
{
	return groups_of(builder_rare(builder, cell));
}

struct rs_rare_moments *builder_extremes(const struct builder *builder, struct rs_cell *cell)
{
	return extremes_of(builder, builder_rare(builder, cell));
}

uint32_t *builder_blocks(const struct builder *builder, struct rs_cell *cell, uint32_t quantity)
{
	uint32_t offset = rs_cell_blocks_offset(builder->n_events, builder->n_groups);
	uint32_t *table = (void *)((char *)cell + offset);
	return table + quantity * RS_BLOCKS;
}

static uint64_t weight_of(const struct builder_call *call)
{
	return call->weight > 0 ? call->weight : 1;
}

/* One quantity of a call, as often as its weight says. */
static void add_to_moments(struct rs_moments *moments, struct rs_rare_moments *extremes,
	const struct builder_call *call, uint64_t delta, bool counted)
{
	uint64_t weight = weight_of(call);
	unsigned __int128 square = ((unsigned __int128)moments->square_high << 64) +
				   moments->square_low;
	moments->children += call->children * weight;
	extremes->inner += call->inner * weight;
	if (!counted) {
		extremes->uncounted += delta * weight;
		return;
	}
	square += (unsigned __int128)delta * delta * weight;
	moments->sum += delta * weight;
	if (~delta > extremes->min_inverted)
		extremes->min_inverted = ~delta;
	if (delta > extremes->max)
		extremes->max = delta;
	moments->square_low = (uint64_t)square;
	moments->square_high = (uint64_t)(square >> 64);
}

/* Block 57 holds the buckets of octaves 0 and 1, any other those of octave 58 less its number. */
static uint32_t block_of(uint64_t value)
{
	uint32_t octave = rs_bucket_of(value) / RS_OCTAVE_BUCKETS;
	return octave > 1 ? 58 - octave : 57;
}

uint32_t *builder_block(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value)
{
	return &builder_blocks(builder, cell, quantity)[block_of(value)];
}

uint64_t *builder_count(
	const struct builder *builder, struct rs_cell *cell, uint32_t quantity, uint64_t value)
{
	uint32_t bucket = rs_bucket_of(value), block = block_of(value);
	uint64_t unit = *builder_block(builder, cell, quantity, value);
	/* the entry of another block than 57 lies an octave before it */
	uint64_t *counts = at(builder, (unit + (block < 57 ? 8 : 0)) * RS_OFFSET_UNIT);
	return &counts[block < 57 ? bucket % RS_OCTAVE_BUCKETS : bucket];
}

static void add_to_histogram(struct builder *builder, struct rs_cell *cell, uint32_t quantity,
	uint64_t value, uint64_t weight)
{
	uint32_t *unit = builder_block(builder, cell, quantity, value);
	bool is_first = block_of(value) == 57;
	uint32_t sums = quantity ? 0 : (builder->n_events * 8 + 63) / 64 * 64;
	if (*unit == 0)
		*unit = (uint32_t)(builder_take(builder, (is_first ? 1024 : 512) + sums) /
				   RS_OFFSET_UNIT) -
			(is_first ? 0 : 8);
	*builder_count(builder, cell, quantity, value) += weight;
}

uint64_t *builder_sums(const struct builder *builder, struct rs_cell *cell, uint64_t time)
{
	/* behind the last count, of the largest value in the block */
	uint64_t largest = block_of(time) < 57 ? UINT64_MAX >> block_of(time) : 127;
	return builder_count(builder, cell, 0, largest) + 1;
}

static bool is_counted(
	const struct builder *builder, const struct builder_call *call, uint32_t quantity)
{
	return quantity == 0 || !(call->not_counted >> builder->event_group[quantity - 1] & 1);
}

static void record_slowest(
	struct builder *builder, struct rs_rare *rare, const struct builder_call *call)
{
	rare->start_ticks = call->start_ticks;
	rare->pid = call->pid;
	rare->tid = call->tid;
	for (uint32_t i = 0; i <= builder->n_events; i++)
		extremes_of(builder, rare)[i].slowest = is_counted(builder, call, i)
								? call->deltas[i]
								: UINT64_MAX;
}

void builder_record(struct builder *builder, struct rs_cell *cell, const struct builder_call *call)
{
	uint64_t calls = cell->calls_and_row >> 1, row = cell->calls_and_row & 1;
	uint64_t weight = weight_of(call);
	struct rs_moments *after = moments_at(builder, cell, (calls + 1) & 1);
	struct rs_rare *rare = rare_at(builder, cell, !row);
	memcpy(after, moments_at(builder, cell, calls & 1), rs_moments_bytes(builder->n_events));
	memcpy(rare, rare_at(builder, cell, row),
		rs_rare_bytes(builder->n_events, builder->n_groups));
	for (uint32_t i = 0; i < builder->n_groups; i++) {
		struct rs_rare_group *group = &groups_of(rare)[i];
		group->uncounted += call->not_counted >> i & 1;
		group->uncounted_weights += (call->not_counted >> i & 1) * weight;
		group->enabled_ns += call->enabled_ns * weight;
		group->running_ns += call->running_ns * weight;
		group->unstable_ticks += call->deltas[0] * weight;
		group->told_ticks += call->deltas[0] * weight;
	}
	struct rs_rare_moments *extremes = extremes_of(builder, rare);
	if (calls == 0 || call->deltas[0] > extremes[0].max)
		record_slowest(builder, rare, call);
	for (uint32_t i = 0; i <= builder->n_events; i++)
		add_to_moments(&after[i], &extremes[i], call, call->deltas[i],
			is_counted(builder, call, i));
	if (builder->samples)
		cell->weights[(calls + 1) & 1] = cell->weights[calls & 1] + weight;
	cell->calls_and_row = (calls + 1) << 1 | !row;
	for (uint32_t i = 0; i <= builder->n_events; i++)
		if (is_counted(builder, call, i))
			add_to_histogram(builder, cell, i, call->deltas[i], weight);
	for (uint32_t i = 1; i <= builder->n_events; i++)
		if (is_counted(builder, call, i))
			builder_sums(builder, cell, call->deltas[0])[i - 1] += call->deltas[i] *
									       weight;
}

void builder_time(struct builder *builder, struct rs_cell *cell, uint64_t ticks)
{
	uint64_t deltas[1 + RS_MAX_EVENTS] = {ticks};
	struct builder_call call = {.deltas = deltas, .enabled_ns = 1, .running_ns = 1};
	builder_record(builder, cell, &call);
}
