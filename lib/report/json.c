/* SPDX-License-Identifier: MIT */
/*
 * This file writes the JSON report: one document from a finished summary. The document starts with
 * the run in exact numbers, so that regionstat can show it again (record/document.h). The rows of
 * the flat table follow, one on each line, with the names of the CSV columns as keys. The messages
 * are last.
 */

#include "record/json.h"
#include "record/record.h"
#include "report/findings.h"
#include "report/report.h"
#include "report/rows.h"

/* significant digits, as in CSV */
#define REAL_DIGITS 15

struct json {
	FILE *stream;
	const struct rs_percentiles *percentiles; /* percentiles in each row */
	bool any; /* a row was written, so the next row needs a comma */
	/* rows of an interval: each row is a separate document; NULL: rows of the whole run */
	const struct rs_interval *interval;
};

static json_t *json_of(const struct rs_field *field)
{
	if (field->kind == RS_FIELD_TEXT)
		return rs_json_name(field->text);
	return field->kind == RS_FIELD_INTEGER ? rs_json_u64(field->integer)
					       : json_real(field->real);
}

/* Write a row. In a document, omit the name of the run, which the document already contains. */
static void write_row(void *context, const struct rs_row *row)
{
	struct json *json = context;
	json_t *object = json_object();
	if (json->interval)
		rs_json_set(object, "interval", json_real((double)json->interval->end_ns / 1e9));
	for (size_t i = json->interval ? RS_ROW_RUN : RS_ROW_RUN + 1; i < RS_ROW_FIELDS; i++)
		if (row->fields[i].kind != RS_FIELD_ABSENT)
			rs_json_set(object, rs_row_word(i), json_of(&row->fields[i]));
	for (size_t i = 0; row->value && i < json->percentiles->n; i++) {
		struct rs_statistic percentile = rs_statistic_of_percentile(
			&json->percentiles->items[i]);
		struct rs_field field = rs_statistic_of(&percentile, NULL, row->value);
		if (field.kind != RS_FIELD_ABSENT && !json_object_get(object, percentile.word))
			rs_json_set(object, percentile.word, json_of(&field));
	}
	if (!json->interval)
		fputs(json->any ? ",\n" : "\n", json->stream);
	json->any = true;
	rs_json_write(object, REAL_DIGITS, json->stream);
	if (json->interval)
		putc('\n', json->stream);
}

/* Return a number as a JSON integer if it has no fraction. Doubles hold integers exactly up to
 * 9e15. */
static json_t *message_number(double number)
{
	bool is_whole = number >= 0 && number < 9e15 && number == (double)(uint64_t)number;
	return is_whole ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *message_of(const struct rs_finding *finding)
{
	return json_pack("{s:s, s:s, s:o*, s:o*, s:o, s:o*}", "kind",
		rs_severity_word(finding->severity), "code", finding->code, "region",
		finding->region ? rs_json_name(finding->region) : NULL, "number",
		finding->number != 0 ? message_number(finding->number) : NULL, "text",
		rs_json_shown(finding->text), "remedy",
		finding->remedy ? rs_json_shown(finding->remedy) : NULL);
}

static void write_messages(const struct rs_summary *summary, struct rs_arena *arena, FILE *stream)
{
	const struct rs_findings findings = rs_findings_make(summary, arena);
	fputs("],\n\"messages\":[", stream);
	for (size_t i = 0; i < findings.n; i++) {
		fputs(i > 0 ? ",\n" : "\n", stream);
		rs_json_write(message_of(&findings.items[i]), REAL_DIGITS, stream);
	}
}

void rs_report_json(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct json json = {.stream = stream, .percentiles = &summary->percentiles};
	fputs("{\n", stream);
	rs_run_save(summary->run, arena, stream);
	fputs("\"rows\":[", stream);
	rs_rows_give(summary, options, arena, write_row, &json);
	write_messages(summary, arena, stream);
	fputs("]\n}\n", stream);
}

void rs_interval_json(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct json json = {.stream = stream,
		.percentiles = &summary->percentiles,
		.interval = options->interval};
	rs_rows_give(summary, options, arena, write_row, &json);
}
