/* SPDX-License-Identifier: MIT */
/*
 * This file writes the metrics of a service as one line of OTLP's JSON: an object of
 * ExportMetricsServiceRequest, as OpenTelemetry's file receiver reads it.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 *
 * In this encoding, 64-bit integers are strings, enumerations are numbers, and keys are in
 * lowerCamelCase.
 */
#include <inttypes.h>
#include <string.h>

#include "record/json.h"
#include "report/report.h"
#include "report/service_metrics.h"

#define CUMULATIVE 2 /* AGGREGATION_TEMPORALITY_CUMULATIVE */
#define REAL_DIGITS 17

struct otlp {
	struct rs_service service;
	json_t *metrics;
	json_t *start, *now; /* time stamps of all data points */
};

static json_t *string_of(uint64_t number)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, number);
	return json_string(text);
}

static json_t *attribute(const char *key, const char *text)
{
	return json_pack("{s:s, s:{s:o}}", "key", key, "value", "stringValue", rs_json_name(text));
}

/* Return a new data point of a row. event: NULL for a counter. */
static json_t *make_point(
	struct otlp *otlp, const struct rs_service_row *row, const struct rs_service_event *event)
{
	const struct rs_summary_column *columns = otlp->service.summary->columns;
	return json_pack("{s:[o, o*], s:O, s:O}", "attributes", attribute("region", row->name),
		event ? attribute("event", columns[event->column].name) : NULL, "startTimeUnixNano",
		otlp->start, "timeUnixNano", otlp->now);
}

/* Add a metric unless it has no points. kind: "sum" or "histogram". */
static void add_metric(struct otlp *otlp, const char *name, const char *help, const char *unit,
	const char *kind, json_t *points)
{
	if (json_array_size(points) == 0)
		json_decref(points);
	else
		rs_json_append(otlp->metrics,
			json_pack("{s:s, s:s, s:s, s:{s:o, s:i, s:o*}}", "name", name,
				"description", help, "unit", unit, kind, "dataPoints", points,
				"aggregationTemporality", CUMULATIVE, "isMonotonic",
				strcmp(kind, "sum") == 0 ? json_true() : NULL));
}

static void add_counter(struct otlp *otlp, const struct rs_service_counter *counter)
{
	char name[64];
	json_t *points = json_array();
	snprintf(name, sizeof(name), "regionstat.region.%s", counter->name);
	for (size_t i = 0; i < otlp->service.n_rows; i++) {
		uint64_t value;
		const struct rs_service_row *row = &otlp->service.rows[i];
		if (!rs_service_count(&otlp->service, counter, row, &value))
			continue;
		json_t *point = make_point(otlp, row, NULL);
		if (strcmp(counter->unit, "s") == 0)
			rs_json_set(point, "asDouble", json_real((double)value / 1e9));
		else
			rs_json_set(point, "asInt", string_of(value));
		rs_json_append(points, point);
	}
	add_metric(otlp, name, counter->help, counter->unit, "sum", points);
}

static void add_point(struct otlp *otlp, const struct rs_service_event *event,
	const struct rs_service_row *row, json_t *points)
{
	struct rs_service_buckets buckets;
	double unit = event->is_time ? 1e9 : 1;
	if (!rs_service_fill(&otlp->service, event, row, &buckets))
		return;
	json_t *counts = json_array(), *bounds = json_array(),
	       *point = make_point(otlp, row, event);
	for (size_t i = 0; i <= event->n; i++)
		rs_json_append(counts, string_of(buckets.counts[i]));
	for (size_t i = 0; i < event->n; i++)
		rs_json_append(
			bounds, json_real((double)rs_service_bound(event->first + i) / unit));
	rs_json_set(point, "count", string_of(buckets.n));
	rs_json_set(point, "sum", json_real((double)buckets.sum / unit));
	rs_json_set(point, "bucketCounts", counts);
	rs_json_set(point, "explicitBounds", bounds);
	rs_json_append(points, point);
}

/* Add the histograms of all events that are times, or of all other events. */
static void add_histograms(struct otlp *otlp, bool is_time)
{
	const struct rs_service *service = &otlp->service;
	json_t *points = json_array();
	for (size_t e = 0; e < service->n_events; e++)
		for (size_t i = 0; service->events[e].is_time == is_time && i < service->n_rows;
			i++)
			add_point(otlp, &service->events[e], &service->rows[i], points);
	if (is_time)
		add_metric(otlp, "regionstat.call.time", "Time of one call, by event.", "s",
			"histogram", points);
	else
		add_metric(otlp, "regionstat.call.events", "Count of one call, by event.",
			"{event}", "histogram", points);
}

static json_t *make_resource(const struct rs_service *service)
{
	const struct rs_run *run = service->summary->run;
	return json_pack("{s:[o, o*, o, {s:s, s:{s:o}}]}", "attributes",
		attribute("service.name", service->program),
		service->label ? attribute("service.instance.id", service->label) : NULL,
		attribute("host.name", run->machine.host), "key", "process.pid", "value",
		"intValue", string_of((uint64_t)run->outcome->pid));
}

void rs_report_otlp(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	uint64_t start_ns = (uint64_t)summary->run->started_s * UINT64_C(1000000000);
	struct otlp otlp = {.service = rs_service_make(summary, arena),
		.metrics = json_array(),
		.start = string_of(start_ns),
		.now = string_of(start_ns + summary->elapsed_ns)};
	(void)options;
	for (size_t i = 0; i < rs_service_n_counters; i++)
		add_counter(&otlp, &rs_service_counters[i]);
	add_histograms(&otlp, true);
	add_histograms(&otlp, false);
	rs_json_write_line(
		json_pack("{s:[{s:o, s:[{s:{s:s, s:s}, s:o}]}]}", "resourceMetrics", "resource",
			make_resource(&otlp.service), "scopeMetrics", "scope", "name", "regionstat",
			"version", REGIONSTAT_VERSION, "metrics", otlp.metrics),
		REAL_DIGITS, stream);
	json_decref(otlp.start);
	json_decref(otlp.now);
}
