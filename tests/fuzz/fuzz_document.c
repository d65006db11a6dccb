/* SPDX-License-Identifier: MIT */
/*
 * This file makes the document of a valid run, and changes it: see fuzz_document.h.
 */
#include "fuzz_document.h"

#include <jansson.h>
#include <string.h>

#include "builder.h"
#include "fuzz_require.h"
#include "fuzz_shared.h"
#include "metrics/metrics.h"
#include "plan_example.h"
#include "record/record.h"

#define N_SLOTS 2u
#define N_CALLS 20u
#define CHANGE_BYTES 8u

static json_t *base; /* The document, without the parts that are not read. */
static char *base_text;
static size_t base_bytes;

/* Fill metrics[3]: a metric of events, one of work, and one that is not possible. */
static void fill_metrics(struct rs_metrics *rules, struct rs_plan_metric *metrics)
{
	static const char file[] =
		"metrics:\n"
		"  - {name: ipc, label: IPC of all, formula: instructions / cycles}\n"
		"  - {name: rate, formula: bytes / time, unit: GB/s}\n"
		"  - {name: never, formula: 'max(page-faults, cycles) / calls', unit: count}\n";
	struct rs_err err;
	REQUIRE(rs_metrics_add_text(rules, "file", file, &err) && rules->n == 3);
	metrics[0] = (struct rs_plan_metric){.rule = rules->rules[0], .positions = {2, 1}};
	metrics[1] = (struct rs_plan_metric){.rule = rules->rules[1]};
	metrics[2] = (struct rs_plan_metric){
		.rule = rules->rules[2], .reason = (char *)"it is for other CPUs\n  this is none"};
}

/* Calls of the first region have work. The third region records its calls with one amount of
 * work. */
static void fill_work(struct rs_run *run)
{
	run->regions[3].work_of = 1 + 1;
	run->regions[3].work_bytes = 4096;
	run->regions[3].work_flops = UINT64_MAX;
	for (size_t i = 0; i < run->n_results; i++) {
		struct rs_result *accumulator = &run->results[i];
		accumulator->work_calls = accumulator->region == 2 ? 0 : accumulator->measured;
		accumulator->work_bytes = accumulator->work_calls * 4096;
		accumulator->work_flops = accumulator->work_calls * 3;
		accumulator->work_unmatched = 1;
	}
}

/* Make the valid run, once. */
static void prepare(void)
{
	static const uint32_t event_group[] = {0, 0, 1};
	static char *argv[] = {(char *)"program", (char *)"a \xff", NULL};
	static struct rs_total totals[PLAN_EXAMPLE_EVENTS] = {{true, 5000, 100, 50}};
	static const struct rs_run_slow slow[] = {{(char *)"render", (char *)"time>1ms", 3},
		{(char *)"*:*", (char *)"page-faults>=10", 0}};
	const struct rs_segment_region sample = {"render", 4};
	struct rs_running_process running = {.index = 1, .pid = 80};
	struct rs_outcome outcome = {.started = true,
		.pid = 70,
		.begin = {1000, 5000},
		.end = {2001000, 1005000},
		.running = {&running, 1},
		.totals = totals};
	struct builder builder = {0};
	struct plan_example plan;
	struct rs_metrics rules = {0};
	struct rs_plan_metric metrics[3];
	struct rs_run run = {.label = "run",
		.argv = argv,
		.how = {.samples = &sample,
			.n_samples = 1,
			.slow = slow,
			.n_slow = 2,
			.slow_lines = 2,
			.slow_over_limit = 1},
		.plan = &plan.plan,
		.outcome = &outcome};
	struct rs_summary summary;
	struct rs_err err;
	if (base)
		return;
	builder_init(&builder, 3, event_group);
	builder_sample(&builder);
	plan_example_init(&plan);
	fill_metrics(&rules, metrics);
	plan.plan.metrics = metrics;
	plan.plan.n_metrics = 3;
	builder_region(&builder, "render");
	builder_region(&builder, "not \xff UTF-8");
	builder_region(&builder, "render");
	builder_process(&builder, 70);
	builder_process(&builder, 80);
	for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
		builder_slot(&builder, slot % 2, 71 + slot, 100000);
		for (uint32_t region = 1; region < 4; region++)
			fuzz_fill_accumulator(&builder, slot, region, N_CALLS);
	}
	REQUIRE(rs_collect(&run, builder.segment.fd, 3, 2, &outcome.begin, &outcome.end, &err));
	rs_run_set_running(&run, &outcome.running);
	fill_work(&run);
	run.regions[2].place = RS_REGION_PLACE_FOUND;
	run.regions[2].object = "/usr/lib/\xff.so";
	run.regions[2].source = "a.c:12";
	REQUIRE(rs_summary_init(&summary, &(struct rs_summary_options){0}, &run, &err));
	base_text = fuzz_write_report(&summary, rs_report_format_named("json"), &base_bytes);
	base = json_loadb(base_text, base_bytes, 0, NULL);
	REQUIRE(base);
	REQUIRE(strstr(base_text, "IPC of all") && strstr(base_text, "time>1ms"));
	json_object_del(base, "rows");
	json_object_del(base, "messages");
	json_object_set_new(base, "series",
		json_pack("{s:i, s:i, s:i, s:I, s:b, s:i, s:i, s:b}", "id", 7, "command", 1,
			"round", 3, "seed", (json_int_t)1 << 62, "varied", 1, "environment_bytes",
			100, "path_bytes", 2, "fixed_addresses", 1));
	rs_summary_finish(&summary);
	rs_run_finish(&run);
	rs_metrics_finish(&rules);
	builder_finish(&builder);
}

/* Return the value that replaces another one. */
static json_t *telling_value(uint8_t choice, const json_t *old)
{
	static const json_int_t integers[] = {0, 1, 2, -1, 3, 7, 8, 15, 16, 32, 63, 64, 4095, 4096,
		16384, 65535, 65536, INT32_MAX, UINT32_MAX, (json_int_t)1 << 47, INT64_MAX,
		INT64_MIN};
	static const char *const strings[] = {"", "18446744073709551615", "18446744073709551616",
		"340282366920938463463374607431768211455", "ns", "count", "ok", "not-supported",
		"\x1b[31m", "instructions"};
	static const size_t n_integers = sizeof(integers) / sizeof(integers[0]);
	static const size_t n_strings = sizeof(strings) / sizeof(strings[0]);
	size_t n = choice;
	if (n < n_integers)
		return json_integer(integers[n]);
	n -= n_integers;
	if (n < n_strings)
		return json_string(strings[n]);
	switch ((n - n_strings) % 7) {
	case 0:
		return json_null();
	case 1:
		return json_true();
	case 2:
		return json_array();
	case 3:
		return json_object();
	case 4:
		return json_real(0.5);
	case 5:
		return json_deep_copy(base);
	default: /* A value near to the old one. */
		return json_integer((
			json_int_t)((uint64_t)json_integer_value(old) + (choice & 1 ? 1u : -1ull)));
	}
}

/* Change the value at the end of a walk. Each step of the walk selects a member. */
static void change(json_t *at, const uint8_t *walk, size_t steps, uint8_t choice)
{
	for (size_t i = 0; i < steps; i++) {
		bool is_last = i + 1 == steps;
		if (json_is_array(at) && json_array_size(at) > 0) {
			size_t index = walk[i] % json_array_size(at);
			json_t *member = json_array_get(at, index);
			if (!is_last && (json_is_array(member) || json_is_object(member)))
				at = member;
			else if (choice >= 250)
				json_array_remove(at, index);
			else
				json_array_set_new(at, index, telling_value(choice, member));
			is_last |= at != member;
		} else if (json_is_object(at) && json_object_size(at) > 0) {
			void *iterator = json_object_iter(at);
			for (size_t n = walk[i] % json_object_size(at); n > 0; n--)
				iterator = json_object_iter_next(at, iterator);
			json_t *member = json_object_iter_value(iterator);
			if (!is_last && (json_is_array(member) || json_is_object(member)))
				at = member;
			else if (choice >= 250)
				json_object_del(at, json_object_iter_key(iterator));
			else
				json_object_iter_set_new(
					at, iterator, telling_value(choice, member));
			is_last |= at != member;
		} else {
			return;
		}
		if (is_last)
			return;
	}
}

char *fuzz_write_report(
	const struct rs_summary *summary, const struct rs_report_format *format, size_t *bytes)
{
	const struct rs_report_options options = {
		.width = 80, .all = true, .verbose = true, .separator = ",", .header = true};
	char *text = NULL;
	FILE *stream = open_memstream(&text, bytes);
	REQUIRE(stream);
	REQUIRE(rs_report_write(format->write, summary, &options, stream));
	REQUIRE(fclose(stream) == 0);
	return text;
}

void fuzz_check_saved(const struct rs_summary *summary)
{
	struct rs_run run;
	struct rs_err err = {0};
	size_t bytes;
	char *text = fuzz_write_report(summary, rs_report_format_named("json"), &bytes);
	if (!rs_run_load(&run, NULL, text, bytes, &err))
		fuzz_fail(err.text);
	REQUIRE(run.n_results == summary->run->n_results);
	rs_run_finish(&run);
	free(text);
}

/* Change bytes of the text: two bytes of position, one byte of value. */
static char *change_text(const uint8_t *data, size_t bytes, size_t *n)
{
	char *text = malloc(base_bytes + 1);
	REQUIRE(text);
	memcpy(text, base_text, base_bytes);
	*n = base_bytes;
	for (size_t i = 0; i + 3 <= bytes; i += 3) {
		size_t at = ((size_t)data[i] << 8 | data[i + 1]) * base_bytes >> 16;
		if (data[i + 2] == 0)
			*n = at + 1; /* Cut the text off. */
		else
			text[at] = (char)data[i + 2];
	}
	return text;
}

char *fuzz_document(const uint8_t *data, size_t bytes, size_t *n)
{
	prepare();
	if (bytes > 0 && data[0] >= 0xf0)
		return change_text(data + 1, bytes - 1, n);
	json_t *document = json_deep_copy(base);
	for (size_t i = 0; i + CHANGE_BYTES <= bytes; i += CHANGE_BYTES)
		change(document, data + i, CHANGE_BYTES - 2, data[i + CHANGE_BYTES - 1]);
	char *text = json_dumps(document, JSON_COMPACT);
	REQUIRE(text);
	*n = strlen(text);
	json_decref(document);
	return text;
}
