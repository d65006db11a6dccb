/* SPDX-License-Identifier: MIT */
/*
 * This file contains the table of report formats. It finds a format by its name, or by the ending
 * of a file name.
 */
#include "report/formats.h"

#include <string.h>
#include <strings.h>

static const struct rs_report_format formats[] = {
	{"table", {".txt"}, true, true, false, rs_report_table, rs_series_table,
		rs_comparison_table, rs_interval_table},
	{"csv", {".csv"}, false, false, false, rs_report_csv, .write_interval = rs_report_csv},
	{"json", {".json"}, false, true, true, rs_report_json, rs_series_json, rs_comparison_json,
		rs_interval_json},
	{"markdown", {".md", ".markdown"}, true, true, false, rs_report_table, rs_series_table,
		rs_comparison_table, .is_markdown = true},
	{"html", {".html", ".htm"}, true, true, true, rs_report_html,
		.write_comparison = rs_comparison_html},
	{"ndjson", {".ndjson"}, false, false, false, rs_report_ndjson,
		.write_interval = rs_interval_json},
	{"cali", {".cali"}, false, false, true, rs_report_cali},
	{"folded", {".folded"}, false, false, true, rs_report_folded},
	{"prometheus", {".prom"}, false, false, true, rs_report_prometheus, .is_cumulative = true},
	{"otlp", {".otlp.jsonl"}, false, false, false, rs_report_otlp, .is_cumulative = true,
		.is_log = true},
	{"series", {".jsonl"}, false, false, false, .is_series = true,
		.write_interval = rs_interval_json},
	{"junit", {".xml"}, false, false, true, .write_series = rs_export_junit,
		.write_comparison = rs_export_junit},
	{"bencher", {NULL}, false, false, true, .write_series = rs_export_bencher,
		.is_of_one_command = true},
	{"google-benchmark", {NULL}, false, false, true, .write_series = rs_export_google_benchmark,
		.is_of_one_command = true},
	{"go-benchmark", {NULL}, false, false, false, .write_series = rs_export_go_benchmark,
		.is_of_one_command = true},
	{"smaller-is-better", {NULL}, false, false, true,
		.write_series = rs_export_smaller_is_better, .is_of_one_command = true},
};
static const size_t n_formats = sizeof(formats) / sizeof(formats[0]);

const struct rs_report_format *rs_report_formats(size_t *n)
{
	*n = n_formats;
	return formats;
}

const struct rs_report_format *rs_report_format_named(const char *name)
{
	for (size_t i = 0; i < n_formats; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);
	return length > n && strcasecmp(path + length - n, ending) == 0;
}

const struct rs_report_format *rs_report_format_of_file(const char *path)
{
	for (size_t i = 0; i < n_formats; i++)
		for (size_t e = 0; formats[i].endings[e]; e++)
			if (ends_with(path, formats[i].endings[e]))
				return &formats[i];
	return NULL;
}

/* ---- writing ---- */

struct writing {
	rs_write_report *write;
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_arena arena;
	FILE *stream;
};

static void write_all(void *context)
{
	struct writing *writing = context;
	writing->write(writing->summary, writing->options, &writing->arena, writing->stream);
}

bool rs_report_write(rs_write_report *write, const struct rs_summary *summary,
	const struct rs_report_options *options, FILE *stream)
{
	struct writing writing = {write, summary, options, {0}, stream};
	bool done = rs_arena_guard(write_all, &writing);
	rs_arena_finish(&writing.arena);
	return done;
}
