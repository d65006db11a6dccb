/* SPDX-License-Identifier: MIT */
/*
 * This file holds the table of report formats. It finds a format by its name, or by the ending of a
 * file's name.
 */
#include "report/formats.h"

#include <string.h>
#include <strings.h>

static const char *const text_endings[] = {".txt", NULL};
static const char *const csv_endings[] = {".csv", NULL};
static const char *const markdown_endings[] = {".md", ".markdown", NULL};
static const char *const html_endings[] = {".html", ".htm", NULL};
static const char *const json_endings[] = {".json", NULL};
static const char *const series_endings[] = {".jsonl", NULL};
static const char *const junit_endings[] = {".xml", NULL};
static const char *const no_endings[] = {NULL};
static const char *const cali_endings[] = {".cali", NULL};
static const char *const prometheus_endings[] = {".prom", NULL};
static const char *const otlp_endings[] = {".otlp.jsonl", NULL};
static const char *const ndjson_endings[] = {".ndjson", NULL};
static const char *const folded_endings[] = {".folded", NULL};

static const struct rs_report_format formats[] = {
	{"table", text_endings, true, true, false, rs_report_table, rs_series_table,
		rs_comparison_table},
	{"csv", csv_endings, false, false, false, rs_report_csv},
	{"json", json_endings, false, true, true, rs_report_json, rs_series_json,
		rs_comparison_json},
	{"markdown", markdown_endings, true, true, false, rs_report_markdown, rs_series_markdown,
		rs_comparison_markdown},
	{"html", html_endings, true, true, true, rs_report_html,
		.write_comparison = rs_comparison_html},
	{"ndjson", ndjson_endings, false, false, false, rs_report_ndjson},
	{"cali", cali_endings, false, false, true, rs_report_cali},
	{"folded", folded_endings, false, false, true, rs_report_folded},
	{"prometheus", prometheus_endings, false, false, true, rs_report_prometheus,
		.is_cumulative = true},
	{"otlp", otlp_endings, false, false, false, rs_report_otlp, .is_cumulative = true,
		.is_log = true},
	{"series", series_endings, false, false, false, .is_series = true},
	{"junit", junit_endings, false, false, true, .write_series = rs_export_junit,
		.write_comparison = rs_export_junit},
	{"bencher", no_endings, false, false, true, .write_series = rs_export_bencher},
	{"google-benchmark", no_endings, false, false, true,
		.write_series = rs_export_google_benchmark},
	{"go-benchmark", no_endings, false, false, false, .write_series = rs_export_go_benchmark},
	{"smaller-is-better", no_endings, false, false, true,
		.write_series = rs_export_smaller_is_better},
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
		for (const char *const *ending = formats[i].endings; *ending; ending++)
			if (ends_with(path, *ending))
				return &formats[i];
	return NULL;
}
