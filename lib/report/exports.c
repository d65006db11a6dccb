/* SPDX-License-Identifier: MIT */
/*
 * This file writes runs in the formats of other tools. walk() visits each region and event, and
 * each format has a callback for walk().
 */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "record/json.h"
#include "report/comparison.h"
#include "report/html.h"

#define DIGITS 12
#define RUN "(run)" /* name of the whole run, which is an entry like a region */

/* ---- visiting regions and events ---- */

/* One event of one region over all runs. */
struct exported {
	const struct rs_comparison_page *page;
	const char *region; /* escaped name of the region; RUN for the whole run */
	const struct rs_compared_event *event;
	size_t region_index, event_index;
	struct rs_level level; /* average per call: its median over the runs, and the interval */
	struct rs_arena *arena;
};

typedef void rs_export_row(void *context, const struct exported *row);

static void walk(const struct rs_comparison_writer *writer, rs_export_row *give, void *context)
{
	for (size_t p = 0; p < writer->report->n; p++) {
		const struct rs_comparison_page *page = &writer->report->pages[p];
		const struct rs_comparison *comparison = &page->comparison;
		for (size_t r = 0; r < comparison->n_regions; r++) {
			const struct rs_compared_region *region = &comparison->regions[r];
			const char *name = region->is_run
						   ? RUN
						   : rs_arena_name(writer->arena, region->name);
			for (size_t e = 0; e < comparison->n_events; e++) {
				struct exported row = {page, name, &comparison->events[e], r, e,
					rs_comparison_difference(comparison, e, r)->whole.old,
					writer->arena};
				if (rs_is_amount(row.event->kind) && !isnan(row.level.median) &&
					rs_comparison_is_wanted(writer->options, region))
					give(context, &row);
			}
		}
	}
}

/* ---- Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format/ ---- */

static void give_bencher(void *context, const struct exported *row)
{
	if (!json_object_get(context, row->region))
		rs_json_set(context, row->region, json_object());
	/* Bencher's built-in measure of time is `latency`, in ns. */
	const char *measure = strcmp(row->event->name, "time") == 0 ? "latency" : row->event->name;
	rs_json_set(json_object_get(context, row->region), rs_arena_shown(row->arena, measure),
		json_pack("{s:f, s:f, s:f}", "value", row->level.median, "lower_value",
			row->level.low, "upper_value", row->level.high));
}

void rs_export_bencher(struct rs_comparison_writer *writer)
{
	json_t *document = json_object();
	walk(writer, give_bencher, document);
	rs_json_write_line(document, DIGITS, writer->stream);
}

/* ---- https://github.com/benchmark-action/github-action-benchmark, customSmallerIsBetter ---- */

static void give_smaller(void *context, const struct exported *row)
{
	const char *name = rs_arena_format(
		row->arena, "%s %s", row->region, rs_arena_shown(row->arena, row->event->name));
	char range[64];
	snprintf(range, sizeof(range), "%.3g", (row->level.high - row->level.low) / 2);
	rs_json_append(context, json_pack("{s:s, s:o, s:f, s:s}", "name", name, "unit",
					rs_json_shown(row->event->unit), "value", row->level.median,
					"range", range));
}

void rs_export_smaller_is_better(struct rs_comparison_writer *writer)
{
	json_t *document = json_array();
	walk(writer, give_smaller, document);
	rs_json_write_line(document, DIGITS, writer->stream);
}

/* ---- Google Benchmark: docs/user_guide.md, "Output Formats" ---- */

/* For the event time, add one entry for each run. Other events become counters of these entries. */
static void give_google(void *context, const struct exported *row)
{
	const struct rs_comparison *comparison = &row->page->comparison;
	if (strcmp(row->event->name, "time") != 0)
		return;
	size_t n_runs = rs_side_n_runs(&row->page->old);
	for (size_t k = 0; k < n_runs; k++) {
		const struct rs_point *point = rs_comparison_point(
			comparison, row->event_index, row->region_index, k);
		if (!isfinite(rs_point_get(point, RS_MEASURE_AVG)))
			continue;
		json_t *entry = json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:I, s:f, s:f, s:s}",
			"name", row->region, "run_name", row->region, "run_type", "iteration",
			"repetitions", (json_int_t)n_runs, "repetition_index", (json_int_t)k,
			"threads", 1, "iterations",
			(json_int_t)fmax(point->values[RS_MEASURE_CALLS], 0), "real_time",
			rs_point_get(point, RS_MEASURE_AVG), "cpu_time", 0.0, "time_unit", "ns");
		for (size_t e = 0; e < comparison->n_events; e++) {
			const struct rs_point *other = rs_comparison_point(
				comparison, e, row->region_index, k);
			double value = rs_point_get(other, RS_MEASURE_AVG);
			const struct rs_compared_event *event = &comparison->events[e];
			if (e == row->event_index || !rs_is_amount(event->kind) || !isfinite(value))
				continue;
			rs_json_set(entry,
				strcmp(event->name, "cpu-time") == 0
					? "cpu_time"
					: rs_arena_shown(row->arena, event->name),
				json_real(value));
		}
		rs_json_append(context, entry);
	}
}

void rs_export_google_benchmark(struct rs_comparison_writer *writer)
{
	const struct rs_series_run *run = rs_side_run(&writer->report->pages[0].old, 0);
	json_t *benchmarks = json_array();
	walk(writer, give_google, benchmarks);
	rs_json_write_line(
		json_pack("{s:{s:o, s:o, s:i, s:b, s:[], s:s}, s:o}", "context", "host_name",
			rs_json_shown(run->machine.host), "executable", rs_json_shown(run->command),
			"num_cpus", (int)run->machine.cpus, "cpu_scaling_enabled", 0, "caches",
			"library_build_type", "release", "benchmarks", benchmarks),
		DIGITS, writer->stream);
}

/* ---- Go: https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md ---- */

/* Write a name, but escape spaces, which Go's format does not allow. */
static void write_go_name(const char *name, FILE *stream)
{
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f)
			fprintf(stream, "\\x%02x", (unsigned)(unsigned char)*name);
		else
			putc(*name, stream);
}

static void give_go(void *context, const struct exported *row)
{
	const struct rs_comparison *comparison = &row->page->comparison;
	FILE *stream = context;
	if (strcmp(row->event->name, "time") != 0)
		return;
	for (size_t k = 0; k < rs_side_n_runs(&row->page->old); k++) {
		const struct rs_point *point = rs_comparison_point(
			comparison, row->event_index, row->region_index, k);
		double calls = rs_point_get(point, RS_MEASURE_CALLS);
		if (!(calls > 0))
			continue;
		fputs("BenchmarkRegion/", stream);
		write_go_name(row->region, stream);
		fprintf(stream, " %.0f %.9g ns/op", calls, rs_point_get(point, RS_MEASURE_AVG));
		for (size_t e = 0; e < comparison->n_events; e++) {
			double value = rs_point_get(
				rs_comparison_point(comparison, e, row->region_index, k),
				RS_MEASURE_AVG);
			if (e == row->event_index || !rs_is_amount(comparison->events[e].kind) ||
				!isfinite(value))
				continue;
			fprintf(stream, " %.9g ", value);
			write_go_name(comparison->events[e].name, stream);
			fputs(strcmp(comparison->events[e].unit, "ns") == 0 ? "-ns/op" : "/op",
				stream);
		}
		putc('\n', stream);
	}
}

void rs_export_go_benchmark(struct rs_comparison_writer *writer)
{
	const struct rs_series_run *run = rs_side_run(&writer->report->pages[0].old, 0);
	bool is_arm = strcmp(run->machine.architecture, "aarch64") == 0;
	fprintf(writer->stream, "goos: linux\ngoarch: %s\npkg: regionstat\ncpu: %s\n",
		is_arm ? "arm64" : "amd64", rs_text_shown(run->machine.processor).text);
	walk(writer, give_go, writer->stream);
}

/* ---- JUnit XML: https://github.com/windyroad/JUnit-Schema (Ant), Jenkins' junit-10.xsd ---- */

/* The runs of a report: how long they took together, and when the first one began. */
struct junit_runs {
	double elapsed_ns;
	int64_t started_s;
};

static void add_runs(struct junit_runs *runs, const struct rs_side *side)
{
	const struct rs_series_run *run;
	for (size_t i = 0; (run = rs_side_run(side, i)); i++) {
		if (runs->started_s == 0 || run->started_s < runs->started_s)
			runs->started_s = run->started_s;
		for (size_t k = 0; k < run->samples.n; k++) {
			const struct rs_sample *sample = &run->samples.items[k];
			if (!sample->region && strcmp(sample->event.name, "time") == 0)
				runs->elapsed_ns += fmax(
					rs_point_get(&sample->point, RS_MEASURE_TOTAL), 0);
		}
	}
}

/* Write one test for each rule, skipped if its result is unknown. All attributes and elements are
 * those that both schemas allow. The time is that of the runs, because a rule takes no time. XML
 * escapes text as HTML does. */
void rs_export_junit(struct rs_comparison_writer *writer)
{
	FILE *stream = writer->stream;
	const struct rs_comparison_report *report = writer->report;
	const struct rs_comparison_page *first = &report->pages[0];
	const char *host = rs_side_run(&first->new, 0)->machine.host;
	struct junit_runs runs = {0};
	size_t n_failed = 0, n_skipped = 0;
	char timestamp[32] = "1970-01-01T00:00:00";
	struct tm tm;
	if (first->old.series != first->new.series || first->old.command != first->new.command)
		add_runs(&runs, &first->old);
	for (size_t i = 0; i < report->n; i++)
		add_runs(&runs, &report->pages[i].new);
	if (gmtime_r(&(time_t){(time_t)runs.started_s}, &tm))
		strftime(timestamp, sizeof(timestamp), "%Y-%m-%dT%H:%M:%S", &tm);
	for (size_t i = 0; i < report->n_gates; i++) {
		n_failed += rs_gates_failed(&report->gates[i], 1);
		n_skipped += report->gates[i].status == RS_GATE_UNKNOWN;
	}
	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n<testsuite id=\"0\" package=\"regionstat\" name=\"regionstat\" "
		"tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" timestamp=\"%s\" "
		"time=\"%.3f\"",
		report->n_gates, n_failed, n_skipped, timestamp, runs.elapsed_ns / 1e9);
	rs_html_text(stream, " hostname=\"", host[0] ? host : "localhost", "\">\n<properties/>\n");
	for (size_t i = 0; i < report->n_gates; i++) {
		const struct rs_gate_result *result = &report->gates[i];
		const char *text = rs_gate_text(result, writer->arena);
		rs_html_text(stream, "<testcase classname=\"regionstat\" name=\"",
			result->gate->text, "\" time=\"0\">");
		if (rs_gates_failed(result, 1)) {
			rs_html_text(stream, "<failure type=\"rule\" message=\"", text, "\">");
			rs_html_text(stream, "", text, "</failure>");
		} else if (result->status == RS_GATE_UNKNOWN) {
			rs_html_text(stream, "<skipped message=\"", text, "\"/>");
		}
		fputs("</testcase>\n", stream);
	}
	fputs("<system-out/>\n<system-err/>\n</testsuite>\n</testsuites>\n", stream);
}
