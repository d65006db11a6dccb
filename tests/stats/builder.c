/* SPDX-License-Identifier: MIT */
/*
 * This file writes segments for tests. It is slow and simple, and follows only the text of the
 * layout.
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

struct rs_accumulator *builder_accumulator(struct builder *builder, uint32_t slot, uint32_t region)
{
	uint32_t bytes = rs_accumulator_bytes(builder->n_events, builder->n_groups);
	uint64_t offset = builder_take(builder, bytes);
	struct rs_accumulator *accumulator = at(builder, offset);
	accumulator->region = (uint16_t)region;
	accumulator->accumulator_units = rs_accumulator_units(bytes);
	accumulator->n_threads = 1;
	accumulator->parents[0] = RS_PARENT_NONE;
	_Atomic uint64_t *link = &builder_slot_at(builder, slot)->first_accumulator;
	while (*link != 0)
		link = &((struct rs_accumulator *)at(builder, *link))->next;
	*link = offset;
	return accumulator;
}

static struct rs_rare *rare_at(
	const struct builder *builder, struct rs_accumulator *accumulator, uint64_t row)
{
	return (void *)((char *)accumulator + rs_accumulator_rare_offset(builder->n_events,
						      builder->n_groups, (uint32_t)row));
}

static struct rs_rare_group *groups_of(struct rs_rare *rare)
{
	return (void *)(rare + 1);
}

static struct rs_rare_moments *extremes_of(const struct builder *builder, struct rs_rare *rare)
{
	return (void *)(groups_of(rare) + builder->n_groups);
}

struct rs_rare *builder_rare(const struct builder *builder, struct rs_accumulator *accumulator)
{
	return rare_at(builder, accumulator, accumulator->calls_word & 1);
}

struct rs_rare_group *builder_groups(
	const struct builder *builder, struct rs_accumulator *accumulator)
{
	return groups_of(builder_rare(builder, accumulator));
}

struct rs_rare_moments *builder_extremes(
	const struct builder *builder, struct rs_accumulator *accumulator)
{
	return extremes_of(builder, builder_rare(builder, accumulator));
}

uint64_t *builder_blocks(const struct builder *builder, struct rs_accumulator *accumulator)
{
	return (void *)((char *)accumulator + rs_accumulator_blocks_offset(builder->n_events));
}

/* These two return the octave of 2 * value + 1, and which of its 64 parts has it. */
static uint32_t octave_of(uint64_t value)
{
	return 63 - (uint32_t)__builtin_clzll(2 * value + 1);
}
static uint32_t part_of(uint64_t value)
{
	uint32_t octave = octave_of(value);
	uint64_t w = 2 * value + 1;
	return (octave > 6 ? w >> (octave - 6) : w << (6 - octave)) & 63;
}

static uint32_t sums_of(const struct builder *builder, uint32_t counter)
{
	return counter ? 0 : builder->n_events;
}

struct rs_block *builder_block(const struct builder *builder, struct rs_accumulator *accumulator,
	uint32_t counter, uint64_t value)
{
	uint64_t offset = builder_blocks(builder, accumulator)[counter];
	while (offset) {
		struct rs_block *block = at(builder, offset);
		if ((block->link & 0xff) == octave_of(value))
			return block;
		offset = block->link >> 8;
	}
	return NULL;
}

static void make_block(struct builder *builder, struct rs_accumulator *accumulator,
	uint32_t counter, uint64_t value)
{
	uint64_t *first = &builder_blocks(builder, accumulator)[counter];
	if (builder_block(builder, accumulator, counter, value))
		return;
	uint64_t bytes = 8 + 64 * 8 + sums_of(builder, counter) * 8;
	uint64_t offset = builder_take(builder, (bytes + 63) / 64 * 64);
	struct rs_block *block = at(builder, offset);
	block->link = *first << 8 | octave_of(value);
	*first = offset;
}

uint64_t *builder_count(const struct builder *builder, struct rs_accumulator *accumulator,
	uint32_t counter, uint64_t value)
{
	return &builder_block(builder, accumulator, counter, value)->counts[part_of(value)];
}

uint64_t *builder_sums(
	const struct builder *builder, struct rs_accumulator *accumulator, uint64_t time)
{
	return builder_block(builder, accumulator, 0, time)->sums;
}

static uint64_t weight_of(const struct builder_call *call)
{
	return call->weight > 0 ? call->weight : 1;
}

static bool is_counted(
	const struct builder *builder, const struct builder_call *call, uint32_t counter)
{
	return counter == 0 || !(call->not_counted >> builder->event_group[counter - 1] & 1);
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

/* Fold the latest call, up to a step. Return true if that completes it. */
static bool fold(struct builder *builder, struct rs_accumulator *accumulator, unsigned step)
{
	uint32_t uncounted = builder_rare(builder, accumulator)->latest_uncounted;
	uint64_t weight = builder->samples ? accumulator->latest_weight : 1;
	uint64_t time = (accumulator->latest_time - 1) / 2;
	if ((accumulator->calls_word >> 2 & 1) == (accumulator->time_sum & 1))
		return step < BUILDER_STORED;
	for (uint32_t i = 0; i <= builder->n_events; i++) {
		uint64_t w = *rs_accumulator_latest(accumulator, i);
		if (step < BUILDER_SQUARED && step - BUILDER_COUNTED == i)
			return true;
		if (!i || !(uncounted >> builder->event_group[i - 1] & 1))
			*builder_count(builder, accumulator, i, (w - 1) / 2) += weight;
	}
	if (step < BUILDER_SQUARED)
		return true;
	for (uint32_t e = 0; e < builder->n_events; e++) {
		uint64_t w = *rs_accumulator_latest(accumulator, 1 + e);
		*rs_accumulator_square(accumulator, builder->n_events, 1 + e) += w * w * weight;
		builder_sums(builder, accumulator, time)[e] += w * weight;
	}
	if (step < BUILDER_FOLDED)
		return true;
	accumulator->time_square += accumulator->latest_time * accumulator->latest_time * weight;
	if (builder->samples)
		accumulator->weights += weight;
	accumulator->time_sum += accumulator->latest_time * weight;
	return step < BUILDER_STORED;
}

/* Add one statistic of a call to a row, times the weight of the call. */
static void add_to_row(struct rs_rare_moments *extremes, const struct builder_call *call,
	uint64_t delta, bool counted)
{
	extremes->inner += call->inner * weight_of(call);
	if (!counted) {
		extremes->uncounted += delta * weight_of(call);
		return;
	}
	if (~delta > extremes->min_inverted)
		extremes->min_inverted = ~delta;
	if (delta > extremes->max)
		extremes->max = delta;
}

void builder_record_until(struct builder *builder, struct rs_accumulator *accumulator,
	const struct builder_call *call, unsigned step)
{
	uint64_t calls = accumulator->calls_word >> 2, row = accumulator->calls_word & 1;
	uint64_t weight = weight_of(call), flip = call->children ? 2 : 0;
	struct rs_rare *rare = rare_at(builder, accumulator, !row);
	struct rs_accumulator_children *children =
		(void *)((char *)accumulator + rs_accumulator_children_offset(builder->n_events));
	for (uint32_t i = 0; i <= builder->n_events; i++)
		make_block(builder, accumulator, i, call->deltas[i]);
	if (fold(builder, accumulator, step))
		return;
	memcpy(rare, rare_at(builder, accumulator, row),
		rs_rare_bytes(builder->n_events, builder->n_groups));
	rare->latest_uncounted = call->not_counted;
	for (uint32_t i = 0; i < builder->n_groups; i++) {
		struct rs_rare_group *group = &groups_of(rare)[i];
		group->uncounted += call->not_counted >> i & 1;
		group->uncounted_weights += (call->not_counted >> i & 1) * weight;
		group->enabled_ns += call->enabled_ns * weight;
		group->running_ns += call->running_ns * weight;
		group->unstable_ticks += call->deltas[0] * weight;
		group->answered_ticks += call->deltas[0] * weight;
	}
	struct rs_rare_moments *extremes = extremes_of(builder, rare);
	if (calls == 0 || call->deltas[0] > extremes[0].max)
		record_slowest(builder, rare, call);
	for (uint32_t i = 0; i <= builder->n_events; i++) {
		bool counted = is_counted(builder, call, i);
		uint64_t w = counted ? 2 * call->deltas[i] + 1 : 1;
		add_to_row(&extremes[i], call, call->deltas[i], counted);
		*rs_accumulator_latest(accumulator, i) = w;
		children[i].latest = 2 * call->children * weight;
		if (flip)
			children[i].sum = (children[i].sum + children[i].latest) ^ 1;
	}
	accumulator->latest_weight = weight;
	if (step < BUILDER_RECORDED)
		return;
	accumulator->calls_word = ((calls + 1) << 2 | (accumulator->calls_word & 2) | !row) ^ flip;
}

void builder_record(struct builder *builder, struct rs_accumulator *accumulator,
	const struct builder_call *call)
{
	builder_record_until(builder, accumulator, call, BUILDER_RECORDED);
}

void builder_time(struct builder *builder, struct rs_accumulator *accumulator, uint64_t ticks)
{
	uint64_t deltas[1 + RS_MAX_EVENTS] = {ticks};
	struct builder_call call = {.deltas = deltas, .enabled_ns = 1, .running_ns = 1};
	builder_record(builder, accumulator, &call);
}
