/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing traces: arbitrary data in the rings of two threads, in their slots and in the list of
 * regions, which a program may write there. The launcher takes the calls at any time, and makes a
 * file of the calls that make sense. The file is whole and within its limit.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "builder.h"
#include "fuzz_require.h"
#include "plan_example.h"
#include "trace/timeline.h"

#define N_EVENTS 3u
#define N_SLOTS 2u
#define NESTED_TICKS 64u

static struct builder builder;
static struct plan_example plan;
static struct rs_outcome outcome;
static struct rs_run run;

static uint64_t ring(uint32_t slot)
{
	return RS_DATA_OFFSET + slot * rs_trace_bytes(N_EVENTS);
}

static struct rs_trace *trace_of(uint32_t slot)
{
	return (void *)(builder.base + ring(slot));
}

static uint64_t *cell_of(uint32_t slot, uint64_t number)
{
	return (uint64_t *)(void *)(trace_of(slot) + 1) + number * rs_trace_cell_words(N_EVENTS);
}

static void prepare(void)
{
	static const uint32_t event_group[] = {0, 0, 1};
	static struct rs_run_region regions[2] = {{.name = "a\x1b\n"}, {.name = "b"}};
	if (builder.base)
		return;
	builder_init(&builder, N_EVENTS, event_group);
	plan_example_init(&plan);
	for (uint32_t r = 0; r < 2; r++)
		builder_region(&builder, regions[r].name);
	builder_process(&builder, 70);
	for (uint32_t s = 0; s < N_SLOTS; s++)
		builder_slot(&builder, 0, 71 + s, 100000);
	run = (struct rs_run){
		.plan = &plan.plan, .outcome = &outcome, .regions = regions, .n_regions = 2};
}

static uint64_t now(void)
{
	return rs_clock_point_now(builder.segment.header->clock).ticks;
}

/* Add a call that makes sense to both rings. */
static void add_call(uint32_t slot, const uint8_t *change, uint64_t value)
{
	struct rs_trace *trace = trace_of(slot);
	uint64_t recent = trace->n_recent % RS_TRACE_RECENT, kept = trace->n_kept % RS_TRACE_KEPT;
	uint64_t end = now(), begin = outcome.begin.ticks + value % (end - outcome.begin.ticks + 1);
	uint64_t words[RS_TRACE_EVENTS] = {[RS_TRACE_BEGIN] = begin,
		[RS_TRACE_END] = change[3] % 2 ? end : begin + (end - begin) / 2,
		[RS_TRACE_TIME] = (end - begin) << 1,
		[RS_TRACE_FROM] = change[4] % NESTED_TICKS,
		[RS_TRACE_IDS] = 71 + slot + ((uint64_t)(change[5] % 3) << RS_TRACE_REGION_SHIFT) +
				 ((uint64_t)(change[6] % 3) << RS_TRACE_PARENT_SHIFT) +
				 ((uint64_t)change[7] << RS_TRACE_FLAG_SHIFT),
		[RS_TRACE_NUMBER] = trace->n_recent};
	trace->pid = 70;
	memcpy(cell_of(slot, recent), words, sizeof(words));
	memcpy(cell_of(slot, RS_TRACE_RECENT + kept), words, sizeof(words));
	trace->n_recent++;
	trace->n_kept++;
}

/* Apply one change: kind, slot, word, and others, then a value of 8 bytes. */
static void apply(const uint8_t *change, struct rs_timeline *timeline)
{
	uint32_t slot = change[1] % N_SLOTS, word = change[2];
	struct rs_slot *entry = builder_slot_at(&builder, slot);
	uint64_t value;
	memcpy(&value, change + 8, sizeof(value));
	switch (change[0] % 8) {
	case 0:
		rs_timeline_tick(timeline);
		break;
	case 1: /* a word of the last cells, before or behind the end */
		cell_of(slot,
			(change[3] % 2 ? RS_TRACE_RECENT : 0) +
				(trace_of(slot)->n_recent + change[4] % 4) %
					RS_TRACE_RECENT)[word % rs_trace_cell_words(N_EVENTS)] =
			value;
		break;
	case 2:
		((uint64_t *)(void *)trace_of(slot))[word % (sizeof(struct rs_trace) / 8)] = value;
		break;
	case 3:
		entry->trace = word % 4 ? ring(word % 4 - 1) : value;
		break;
	case 4:
		entry->tid = (uint32_t)value;
		memcpy(entry->name, change, sizeof(value));
		break;
	case 5:
		builder.segment.header->n_slots = word % 2 ? (uint32_t)value : N_SLOTS;
		builder.segment.header->n_regions = word % 2 ? (uint32_t)value : 2;
		break;
	default:
		add_call(slot, change, value);
	}
}

/* Check that the file has whole packets, and that the compressed ones can be read. */
static void check_file(const struct rs_protobuf *file, uint64_t most_bytes)
{
	static unsigned char packets[1 << 22];
	REQUIRE(file->n > 0 && file->n <= most_bytes);
	for (size_t at = 0; at < file->n;) {
		size_t bytes = 0, key_bytes = 0;
		REQUIRE(file->bytes[at++] == 0x0a); /* a packet */
		for (unsigned shift = 0, byte = 0x80; byte & 0x80; shift += 7) {
			REQUIRE(at < file->n);
			byte = (unsigned char)file->bytes[at++];
			bytes |= (size_t)(byte & 0x7f) << shift;
		}
		REQUIRE(bytes <= file->n - at);
		const unsigned char *packet = (const unsigned char *)file->bytes + at;
		if (bytes > 2 && packet[0] == 0x92 && packet[1] == 0x03) { /* compressed_packets */
			for (key_bytes = 2; packet[key_bytes] & 0x80;)
				key_bytes++;
			uLongf n = sizeof(packets);
			REQUIRE(uncompress(packets, &n, packet + key_bytes + 1,
					bytes - key_bytes - 1) == Z_OK);
		}
		at += bytes;
	}
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	struct rs_err err = {0};
	struct rs_protobuf file = {0};
	uint64_t most_bytes = RS_TIMELINE_LEAST_BYTES;
	prepare();
	struct rs_trace_condition condition = {
		.glob = bytes > 0 && data[0] & 0x80 ? "b" : NULL, .above = 1000};
	for (uint32_t s = 0; s < N_SLOTS; s++) {
		memset(trace_of(s), 0, sizeof(struct rs_trace));
		builder_slot_at(&builder, s)->trace = ring(s);
		builder_slot_at(&builder, s)->tid = 71 + s;
		for (uint64_t i = 0; i < 64; i++) {
			memset(cell_of(s, i), 0, 8 * rs_trace_cell_words(N_EVENTS));
			memset(cell_of(s, RS_TRACE_RECENT + i), 0,
				8 * rs_trace_cell_words(N_EVENTS));
		}
	}
	builder.segment.header->n_slots = N_SLOTS;
	builder.segment.header->n_regions = 2;
	struct rs_timeline *timeline = rs_timeline_create(
		&builder.segment, most_bytes, &condition, &err);
	REQUIRE(timeline);
	outcome.begin = rs_clock_point_now(builder.segment.header->clock);
	for (size_t i = 0; i + FUZZ_CHANGE_BYTES <= bytes; i += FUZZ_CHANGE_BYTES)
		apply(data + i, timeline);
	outcome.end = rs_clock_point_now(builder.segment.header->clock);
	if (!rs_timeline_make(timeline, &run, "fuzz.pftrace", &file, &err))
		fuzz_fail(err.text);
	check_file(&file, most_bytes);
	rs_protobuf_finish(&file);
	rs_timeline_destroy(timeline);
}
