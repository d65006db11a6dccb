/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the segment: the input changes a valid segment. Changes hit fields of tables and
 * accumulators, not the gaps between them. Values are meaningful ones, such as offsets of other
 * objects and ends of ranges, and random ones.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "fuzz_document.h"
#include "fuzz_require.h"
#include "fuzz_shared.h"
#include "plan_example.h"
#include "segment/objects.h"
#include "stats/summary.h"
#include "stats/histogram.h"

#define N_SLOTS 4u
#define N_REGIONS 5u
#define N_CALLS 40u

/* A part of the segment that is changed, and restored from its copy. */
struct area {
	uint64_t offset;
	uint64_t bytes;
	char *copy;
};

static struct builder builder;
static struct plan_example plan;
static struct rs_outcome outcome;
static struct area areas[] = {
	{.offset = 0, .bytes = sizeof(struct rs_segment_header)},
	{.offset = RS_EVENTS_OFFSET, .bytes = 3 * sizeof(struct rs_segment_event)},
	{.offset = RS_REGIONS_OFFSET, .bytes = 8 * sizeof(struct rs_region)},
	{.offset = RS_OBJECTS_OFFSET, .bytes = 1024 + 2 * sizeof(struct rs_code_object)},
	{.offset = RS_PROCESSES_OFFSET, .bytes = 4 * sizeof(struct rs_process)},
	{.offset = RS_SLOTS_OFFSET, .bytes = 8 * sizeof(struct rs_slot)},
	{.offset = RS_DATA_OFFSET}, /* The accumulators, as far as they reach. */
};
#define N_AREAS (sizeof(areas) / sizeof(areas[0]))
static uint64_t accumulators[N_SLOTS * N_REGIONS]; /* Their offsets. */

/* Every second call has work. */
static void fill_work(struct rs_accumulator *accumulator)
{
	uint64_t offset = builder_take(&builder, sizeof(struct rs_work));
	struct rs_work *work = (void *)(builder.base + offset);
	work->copies[0] = (struct rs_work_sums){
		N_CALLS, N_CALLS / 2, 4096 * N_CALLS, 512 * N_CALLS};
	work->copies[1] = (struct rs_work_sums){N_CALLS - 1, N_CALLS / 2 - 1, 4096, 512};
	accumulator->work = (uint32_t)(offset / RS_OFFSET_UNIT);
}

static void fill_accumulator(uint32_t slot, uint32_t region)
{
	struct rs_accumulator *accumulator = fuzz_fill_accumulator(&builder, slot, region, N_CALLS);
	if (region > 0)
		fill_work(accumulator);
	accumulators[slot * N_REGIONS + region] = (uint64_t)((char *)accumulator - builder.base);
}

/* Give a region a name that is an address in this program, if a change sets that flag. */
static void fill_objects(void)
{
	char name[RS_NAME_BYTES];
	struct rs_objects *objects = (void *)(builder.base + RS_OBJECTS_OFFSET);
	rs_place_write(name, "loop", 77, 0x1234);
	builder_region(&builder, name);
	atomic_store(&objects->n_objects, 2);
	objects->objects[0].key = 77;
	strcpy(objects->objects[0].path, "/proc/self/exe");
	atomic_store(&objects->objects[0].state, RS_OBJECT_READY);
}

/* Make the valid segment, once. */
static void prepare(void)
{
	static const uint32_t event_group[] = {0, 0, 1};
	static const char *const names[] = {"render", "parse \xc3\xa9", "\x1b[31m", "a,b\"c\n"};
	if (builder.base)
		return;
	builder_init(&builder, 3, event_group);
	builder_sample(&builder);
	plan_example_init(&plan);
	outcome = (struct rs_outcome){.started = true, .pid = 70};
	outcome.begin = (struct rs_clock_point){1000, 5000};
	outcome.end = (struct rs_clock_point){2001000, 1005000};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		builder_region(&builder, names[i]);
	/* The last region records the first one's calls with this work. */
	struct rs_region *apart = builder_region_at(&builder, N_REGIONS - 1);
	apart->work_of = 1 + 1;
	apart->work_bytes = 8192;
	apart->work_flops = 1024;
	builder_process(&builder, 70);
	builder_process(&builder, 80);
	for (uint32_t slot = 0; slot < N_SLOTS; slot++)
		builder_slot(&builder, slot % 2, 71 + slot, 100000);
	for (uint32_t slot = 0; slot < N_SLOTS; slot++)
		for (uint32_t region = 0; region < N_REGIONS; region++)
			fill_accumulator(slot, region);
	fill_objects();
	areas[N_AREAS - 1].bytes = builder.next - RS_DATA_OFFSET;
	for (size_t i = 0; i < N_AREAS; i++) {
		areas[i].copy = malloc(areas[i].bytes);
		REQUIRE(areas[i].copy);
		memcpy(areas[i].copy, builder.base + areas[i].offset, areas[i].bytes);
	}
}

static void restore(void)
{
	for (size_t i = 0; i < N_AREAS; i++)
		memcpy(builder.base + areas[i].offset, areas[i].copy, areas[i].bytes);
}

static const uint64_t telling_values[] = {0, 1, 2, 3, 5, 58, 59, 63, 64, 127, 128, 4095, 4096,
	RS_MAX_SLOTS, RS_MAX_CALLS, RS_MAX_CALLS - 1, INT32_MAX, UINT32_MAX, UINT32_MAX - 1,
	INT64_MAX, UINT64_MAX, UINT64_MAX - 63, RS_DATA_OFFSET, RS_DATA_OFFSET - 64,
	RS_DATA_OFFSET / 64, RS_SEGMENT_BYTES, RS_SEGMENT_BYTES - 64, RS_SEGMENT_BYTES / 64 - 8,
	RS_SEGMENT_BYTES / 64, UINT64_C(1) << 63};
#define N_TELLING (sizeof(telling_values) / sizeof(telling_values[0]))

/* Kinds of changes. */
enum {
	CHANGE_RANDOM,
	CHANGE_TELLING,
	CHANGE_CELL_OFFSET,
	CHANGE_OCTAVE_OFFSET,
	CHANGE_BIT,
	CHANGE_FILL,
	CHANGE_COPY,
	CHANGE_ADD,
	N_CHANGES,
};

static void change_range(char *at, uint64_t room, uint8_t kind, uint64_t value)
{
	uint64_t bytes = 1 + value % 4096;
	bytes = bytes < room ? bytes : room;
	const struct area *source = &areas[value >> 16 & 1 ? N_AREAS - 1 : (value >> 17) % N_AREAS];
	uint64_t from = (value >> 20) % source->bytes;
	uint64_t left = source->bytes - from;
	if (kind == CHANGE_FILL)
		memset(at, (int)(value >> 40), bytes);
	else
		memmove(at, builder.base + source->offset + from, bytes < left ? bytes : left);
}

/* Apply one change: kind, width, area, choice of the first one (fuzz_run()), offset (4 bytes),
 * value (8 bytes). */
static void apply(const uint8_t *change)
{
	uint32_t offset;
	uint64_t value, old = 0;
	memcpy(&offset, change + 4, sizeof(offset));
	memcpy(&value, change + 8, sizeof(value));
	uint8_t kind = change[0] % N_CHANGES;
	/* Half of all changes are in the accumulators. */
	const struct area *area = &areas[change[2] < 128 ? N_AREAS - 1 : change[2] % N_AREAS];
	size_t width = change[1] % 4 == 0 ? 4 : 8;
	uint64_t start = offset % (area->bytes - 8) / width * width;
	char *at = builder.base + area->offset + start;
	if (kind == CHANGE_FILL || kind == CHANGE_COPY) {
		change_range(at, area->bytes - start, kind, value);
		return;
	}
	memcpy(&old, at, width);
	if (kind == CHANGE_TELLING)
		value = telling_values[value % N_TELLING];
	else if (kind == CHANGE_CELL_OFFSET)
		value = accumulators[value % (N_SLOTS * N_REGIONS)];
	else if (kind == CHANGE_OCTAVE_OFFSET)
		value = RS_DATA_OFFSET / 64 + value % (areas[N_AREAS - 1].bytes / 64);
	else if (kind == CHANGE_BIT)
		value = old ^ UINT64_C(1) << value % 64;
	else if (kind == CHANGE_ADD)
		value = old + (uint64_t)(int64_t)(int8_t)value;
	memcpy(at, &value, width);
}

static void check_histogram(const struct rs_histogram *histogram, uint64_t weight)
{
	uint64_t n = 0;
	for (size_t i = 0; i < histogram->n; i++) {
		const struct rs_bucket *bucket = &histogram->buckets[i];
		REQUIRE(bucket->low == rs_histogram_bucket(bucket->low, 0).low);
		REQUIRE(bucket->high == rs_histogram_bucket(bucket->low, 0).high);
		REQUIRE(i == 0 || bucket->low > bucket[-1].low);
		REQUIRE(bucket->count > 0);
		n += bucket->count;
	}
	REQUIRE(histogram->incomplete || n == weight);
}

static void check_collection(const struct rs_run *run)
{
	REQUIRE(run->n_regions <= RS_MAX_REGIONS);
	REQUIRE(run->n_threads <= RS_MAX_SLOTS);
	REQUIRE(run->n_processes <= RS_MAX_PROCESSES);
	REQUIRE(run->n_results <= areas[N_AREAS - 1].bytes / rs_accumulator_bytes(3, 2));
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *accumulator = &run->results[i];
		REQUIRE(accumulator->region < run->n_regions);
		REQUIRE(run->regions[accumulator->region].ready);
		REQUIRE(accumulator->thread < run->n_threads &&
			accumulator->process < run->n_processes);
		REQUIRE(accumulator->process == run->threads[accumulator->thread].process);
		REQUIRE(accumulator->measured < RS_MAX_CALLS &&
			rs_result_skipped(accumulator) < RS_MAX_CALLS);
		REQUIRE(accumulator->weight < RS_MAX_CALLS &&
			accumulator->weight >= accumulator->measured);
		REQUIRE(accumulator->work_calls < RS_MAX_CALLS);
		for (uint32_t v = 0; v < rs_run_n_values(run); v++) {
			const struct rs_value *value = &accumulator->values[v];
			bool is_off = v == RS_EVENT_BLOCKED || v == RS_EVENT_PREEMPTED;
			REQUIRE(is_off || (value->counted <= accumulator->measured &&
						  value->counted <= value->weight));
			REQUIRE(value->weight <= accumulator->weight);
			REQUIRE(is_off || (value->counted > 0) == (value->weight > 0));
			REQUIRE(value->min <= value->max && value->square >= 0);
			REQUIRE(value->running_ns <= value->enabled_ns);
			REQUIRE(!(value->variance < 0));
			check_histogram(&value->histogram, value->weight);
		}
	}
	REQUIRE((run->n_damaged == 0) == (run->damage[0] == '\0'));
}

static void report(const struct rs_summary *summary, bool csv)
{
	size_t bytes;
	char *text = fuzz_write_report(
		summary, rs_report_format_named(csv ? "csv" : "table"), &bytes);
	REQUIRE(!memchr(text, '\x1b', bytes) || csv);
	free(text);
}

static void sum_up(const struct rs_run *run, uint64_t choice)
{
	struct rs_summary_options options = {
		.per_process = choice % 3 == 1, .per_thread = choice % 3 == 2};
	struct rs_summary summary;
	struct rs_err err = {0};
	REQUIRE(rs_summary_init(&summary, &options, run, &err));
	fuzz_check_summary(&summary);
	report(&summary, choice % 2);
	if (choice % 4 == 0)
		fuzz_check_saved(&summary);
	rs_summary_finish(&summary);
}

void fuzz_run(const uint8_t *data, size_t bytes)
{
	static char *argv[] = {(char *)"program", NULL};
	struct rs_run run = {.label = "run", .argv = argv, .plan = &plan.plan, .outcome = &outcome};
	struct rs_err err = {0};
	prepare();
	for (size_t i = 0; i + FUZZ_CHANGE_BYTES <= bytes; i += FUZZ_CHANGE_BYTES)
		apply(data + i);
	if (!rs_collect(&run, builder.segment.fd, 3, 2, &outcome.begin, &outcome.end, &err)) {
		REQUIRE(err.text[0] != '\0');
		restore();
		return;
	}
	check_collection(&run);
	sum_up(&run, bytes > 3 ? data[3] : 0);
	rs_run_finish(&run);
	restore();
}
