/* SPDX-License-Identifier: MIT */
/*
 * Tests of saving runs as JSON and loading them again: numbers up to the limits of their types,
 * names of any bytes, and the default label. A document of the first version has all its keys.
 * cli/command_report.py checks that a saved run gives the same reports.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "record/document.h"
#include "record/record.h"
#include "report/report.h"
#include "stats/histogram.h"

TestSuite(record, .init = fixture_start, .fini = fixture_finish);

/* Return the document of a run as a loader expects it. */
static char *save(const struct rs_run *run, size_t *bytes)
{
	char *text = NULL;
	struct rs_arena arena = {0};
	FILE *stream = open_memstream(&text, bytes);
	cr_assert_not_null(stream);
	putc('{', stream);
	rs_run_save(run, &arena, stream);
	rs_arena_finish(&arena);
	fputs("\"rows\":[]}\n", stream);
	cr_assert_eq(fclose(stream), 0);
	return text;
}

static void load(struct rs_run *run, const char *text, size_t bytes)
{
	struct rs_err err = {{0}};
	cr_assert(rs_run_load(run, NULL, text, bytes, &err), "%s\n%s", err.text, text);
}

Test(record, exact_numbers)
{
	struct rs_run run;
	size_t bytes;
	/* a value whose square has 121 bits, in ticks and in counts */
	const uint64_t huge = (UINT64_C(1) << 60) + (UINT64_C(1) << 50) + 25;
	struct rs_accumulator *accumulator = add_accumulator("huge", 70, 71);
	struct builder_call call = CALL(huge, huge, 500, 7);
	builder_record(&builder, accumulator, &call);
	accumulator->own_ticks = INT64_MAX;
	accumulator->pending = UINT64_MAX; /* stopped here, started on another slot */
	totals[0] = (struct rs_total){true, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1};
	summarize();
	char *text = save(&run_record, &bytes);
	cr_expect(strstr(text, "\"pending\":-1,"));
	cr_expect(strstr(text, "\"sum\":1154047404513689625,"));
	load(&run, text, bytes);
	const struct rs_result *copy = &run.results[0];
	cr_expect_eq(copy->overhead.measured_ns, UINT64_C(1) << 62); /* 2 ticks are 1 ns */
	cr_expect_eq(copy->pending, UINT64_MAX);
	cr_expect_eq(copy->values[RS_EVENT_TIME].max, (huge + 1) / 2);
	cr_expect_eq(copy->values[rs_event_of_counter(1)].max, huge);
	cr_expect_eq(copy->values[rs_event_of_counter(1)].histogram.n, 1);
	/* the middle of its bucket, whose width is 1/64 of it */
	cr_expect_eq(copy->values[rs_event_of_counter(1)].histogram.buckets[0].low,
		rs_histogram_bucket((UINT64_C(1) << 60) + (UINT64_C(1) << 53) - 1, 1).low);
	cr_expect_eq(copy->values[rs_event_of_counter(1)].slowest, huge);
	cr_expect_eq(run.outcome->totals[0].value, UINT64_MAX);
	cr_expect_eq(run.outcome->totals[0].running_ns, UINT64_MAX - 1);
	cr_expect_eq(run.outcome->begin.monotonic_ns, outcome.begin.monotonic_ns);
	cr_expect_eq(run.outcome->end.monotonic_ns, outcome.end.monotonic_ns);
	rs_run_finish(&run);
	free(text);
}

static char *write_csv(const struct rs_run *record)
{
	const struct rs_summary_options by_process = {.per_process = true};
	const struct rs_report_options all = {.separator = ",", .header = true, .verbose = true};
	struct rs_summary of_processes;
	struct rs_err err;
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	cr_assert_not_null(stream);
	cr_assert(rs_summary_init(&of_processes, &by_process, record, &err), "%s", err.text);
	cr_assert(rs_report_write(rs_report_csv, &of_processes, &all, stream));
	cr_assert_eq(fclose(stream), 0);
	rs_summary_finish(&of_processes);
	return text;
}

/* Arrays of a document have no gaps. Entries of the segment have gaps where one was damaged. */
Test(record, processes_without_an_entry)
{
	struct rs_running_process running[] = {{5, 80, true}, {9, 90, false}};
	struct rs_run run;
	size_t bytes;
	for (uint32_t process = 5; process < 8; process += 2) {
		uint64_t deltas[] = {100 * process, 2, 3, 4};
		struct builder_call call = call_of(deltas);
		uint32_t slot = builder_slot(&builder, process, 70 + process, 100000);
		builder_record(&builder,
			builder_accumulator(&builder, slot, builder_region(&builder, "parse")),
			&call);
	}
	builder_record(&builder, add_accumulator("render", 70, 71),
		&(struct builder_call){.deltas = (uint64_t[]){700, 2, 3, 4}});
	outcome.running = (struct rs_running){running, 2};
	summarize();
	char *text = save(&run_record, &bytes), *live = write_csv(&run_record);
	load(&run, text, bytes);
	char *again = write_csv(&run);
	cr_expect_str_eq(again, live);
	rs_run_finish(&run);
	free(text);
	free(live);
	free(again);
}

/* Expect each member of an object with its value in another one, which may have more members. */
static void expect_part(json_t *part, const json_t *whole, const char *key)
{
	const char *name;
	json_t *value;
	size_t i;
	json_object_foreach(part, name, value)
		expect_part(value, json_object_get(whole, name), name);
	json_array_foreach(part, i, value) expect_part(value, json_array_get(whole, i), key);
	cr_expect_eq(json_array_size(part), json_array_size(whole), "%s", key);
	cr_expect(whole && (json_is_object(part) || json_is_array(part) || json_equal(part, whole)),
		"%s", key);
}

/* schema-1.json has all keys and words of version 0.1.0. Later keys are missing there. */
Test(record, documents_of_schema_1)
{
	struct rs_run run;
	struct rs_run_origin origin;
	struct rs_err err = {{0}};
	size_t bytes;
	json_t *golden = json_load_file(RS_GOLDEN_DIRECTORY "/schema-1.json", 0, NULL);
	char *text = json_dumps(golden, 0);
	cr_assert(text);
	cr_assert(rs_run_load(&run, &origin, text, strlen(text), &err), "%s", err.text);
	cr_expect_str_eq(origin.version, "0.1.0");
	cr_expect_eq(origin.place.id, 80);
	cr_expect_eq(origin.place.command, 1);
	cr_expect_eq(origin.place.round, 2);
	cr_expect_eq(origin.place.seed, 81);
	cr_expect(origin.place.is_varied && origin.place.is_fixed);
	cr_expect_eq(origin.place.environment_bytes, 82);
	cr_expect_eq(origin.place.path_bytes, 83);
	/* no run has the first two, and the third one is now the version of this regionstat */
	json_object_del(golden, "$comment");
	json_object_del(golden, "series");
	json_object_del(golden, "regionstat");
	char *again = save(&run, &bytes);
	json_t *saved = json_loads(again, 0, NULL);
	expect_part(golden, saved, "the document");
	json_decref(saved);
	json_decref(golden);
	rs_run_finish(&run);
	free(again);
	free(text);
}

Test(record, labels)
{
	struct rs_arena arena = {0};
	/* date -u -d @1795355108 */
	cr_expect_str_eq(
		rs_record_default_label(&arena, 1795355108, 4242), "2026-11-22T13:45:08Z-4242");
	cr_expect_str_eq(rs_record_default_label(&arena, 0, 1), "1970-01-01T00:00:00Z-1");
	rs_arena_finish(&arena);
}

Test(record, machine)
{
	struct rs_machine machine;
	rs_machine_find(&machine);
	cr_expect(machine.kernel[0] && machine.architecture[0] && machine.cpus > 0);
}
