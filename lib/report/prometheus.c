/* SPDX-License-Identifier: MIT */
/*
 * This file writes the metrics of a service in Prometheus' text format 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "report/service_metrics.h"

/* Write the value of a label. Escape backslashes, quotes and newlines. Escape names as rows do: two
 * names must not give the same label, which Prometheus rejects. */
static void write_text(const char *text, FILE *stream)
{
	putc('"', stream);
	while (*text) {
		char shown[RS_TEXT_SHOWN_BYTES];
		text += rs_text_name_next(text, false, shown);
		if (*shown == '"' || *shown == '\\')
			putc('\\', stream);
		fputs(*shown == '\n' ? "\\n" : shown, stream);
	}
	putc('"', stream);
}

/* Write a number. If it is a time in ns, write it in seconds without rounding. */
static void write_number(uint64_t number, bool is_time, FILE *stream)
{
	uint64_t unit = is_time ? UINT64_C(1000000000) : 1;
	fprintf(stream, "%" PRIu64, number / unit);
	if (number % unit == 0)
		return;
	char digits[16];
	int n = snprintf(digits, sizeof(digits), ".%09" PRIu64, number % unit);
	while (n > 1 && digits[n - 1] == '0')
		digits[--n] = '\0';
	fputs(digits, stream);
}

/* Write the name of a series and the labels that all series have. Callers may append labels. */
static void start(const struct rs_service *service, const char *name, FILE *stream)
{
	fprintf(stream, "%s{program=", name);
	write_text(service->program, stream);
	if (!service->label)
		return;
	fputs(",run=", stream);
	write_text(service->label, stream);
}

static void start_row(const struct rs_service *service, const char *name,
	const struct rs_service_row *row, FILE *stream)
{
	start(service, name, stream);
	fputs(",region=", stream);
	write_text(row->name, stream);
}

static void end(uint64_t number, bool is_time, FILE *stream)
{
	fputs("} ", stream);
	write_number(number, is_time, stream);
	putc('\n', stream);
}

static void write_head(const char *name, const char *type, const char *help, FILE *stream)
{
	fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Write a metric of the whole run. Its value can also decrease. */
static void write_one(const struct rs_service *service, const char *name, const char *help,
	uint64_t number, FILE *stream)
{
	fprintf(stream, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	start(service, name, stream);
	end(number, false, stream);
}

static void write_counter(
	const struct rs_service *service, const struct rs_service_counter *counter, FILE *stream)
{
	char name[64];
	bool is_time = strcmp(counter->unit, "s") == 0, any = false;
	snprintf(name, sizeof(name), "regionstat_region_%s%s_total", counter->name,
		is_time				   ? "_seconds"
		: strcmp(counter->unit, "By") == 0 ? "_bytes"
						   : "");
	for (size_t i = 0; i < service->n_rows; i++) {
		uint64_t value;
		if (!rs_service_count(service, counter, &service->rows[i], &value))
			continue;
		if (!any)
			write_head(name, "counter", counter->help, stream);
		any = true;
		start_row(service, name, &service->rows[i], stream);
		end(value, is_time, stream);
	}
}

/* Write the start of a line of a histogram. suffix: "_bucket", "_sum" or "_count". */
static void start_part(const struct rs_service *service, const struct rs_service_event *event,
	const struct rs_service_row *row, const char *suffix, FILE *stream)
{
	char name[64];
	snprintf(name, sizeof(name), "regionstat_call_%s%s", event->is_time ? "seconds" : "events",
		suffix);
	start_row(service, name, row, stream);
	fputs(",event=", stream);
	write_text(service->summary->columns[event->column].name, stream);
}

static void write_histogram(const struct rs_service *service, const struct rs_service_event *event,
	const struct rs_service_row *row, FILE *stream)
{
	struct rs_service_buckets buckets;
	uint64_t n = 0;
	if (!rs_service_fill(service, event, row, &buckets))
		return;
	for (size_t i = 0; i <= event->n; i++) {
		rs_add_saturating(&n, buckets.counts[i]);
		start_part(service, event, row, "_bucket", stream);
		fputs(",le=\"", stream);
		if (i == event->n)
			fputs("+Inf", stream);
		else
			write_number(rs_service_bound(event->first + i), event->is_time, stream);
		putc('"', stream);
		end(n, false, stream);
	}
	start_part(service, event, row, "_sum", stream);
	end(buckets.sum, event->is_time, stream);
	start_part(service, event, row, "_count", stream);
	end(n, false, stream);
}

/* Write the histograms of all events that are times, or of all other events. */
static void write_histograms(const struct rs_service *service, bool is_time, FILE *stream)
{
	bool any = false;
	for (size_t e = 0; e < service->n_events; e++) {
		if (service->events[e].is_time != is_time)
			continue;
		if (!any && is_time)
			write_head("regionstat_call_seconds", "histogram",
				"Time of one call, by event.", stream);
		else if (!any)
			write_head("regionstat_call_events", "histogram",
				"Count of one call, by event.", stream);
		any = true;
		for (size_t i = 0; i < service->n_rows; i++)
			write_histogram(service, &service->events[e], &service->rows[i], stream);
	}
}

void rs_report_prometheus(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	const struct rs_service service = rs_service_make(summary, arena);
	(void)options;
	if (service.n_other > 0)
		fprintf(stream, "# %zu regions are summed as one: there are at most %u series\n",
			service.n_other, RS_MOST_SERIES);
	write_one(&service, "regionstat_start_time_seconds",
		"Start of the run, in seconds since 1970.", (uint64_t)summary->run->started_s,
		stream);
	write_one(&service, "regionstat_other_regions", "Regions that are summed as one, the last.",
		service.n_other, stream);
	for (size_t i = 0; i < rs_service_n_counters; i++)
		write_counter(&service, &rs_service_counters[i], stream);
	write_histograms(&service, true, stream);
	write_histograms(&service, false, stream);
}
