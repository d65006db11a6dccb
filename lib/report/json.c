/* SPDX-License-Identifier: MIT */
/*
 * The JSON report. Comes in: a finished summary and the record that it was made from. Goes out: one
 * document: the run's facts, the flat table with the words of CSV as keys, a row a line, the
 * messages, and what was measured in exact numbers, so that the run can be shown again.
 */
#include <string.h>

#include "record/fields.h"
#include "record/save.h"
#include "report/report.h"
#include "report/rows.h"

/* As CSV has them: the shortest that a reader expects. */
#define REAL_DIGITS 15

struct json {
	struct rs_row_sink sink; /* first: rows come by it */
	FILE *stream;
	const struct rs_percentiles *percentiles; /* that rows have */
	bool any; /* a row was written */
	bool failed; /* memory was refused */
};

static json_t *json_of(const struct rs_field *field)
{
	if (field->kind == RS_FIELD_TEXT)
		return rs_json_shown(field->text);
	return field->kind == RS_FIELD_INTEGER ? rs_json_u64(field->integer)
					       : json_real(field->real);
}

/* The run is named once, and not in each row. */
static void write_row(struct rs_row_sink *sink, const struct rs_row *row)
{
	struct json *json = (struct json *)sink;
	json_t *object = json_object();
	for (size_t i = RS_ROW_RUN + 1; i < RS_ROW_FIELDS; i++)
		if (row->fields[i].kind != RS_FIELD_ABSENT)
			json->failed |= !rs_json_set(
				object, rs_row_word(i), json_of(&row->fields[i]));
	for (size_t i = 0; row->value && i < json->percentiles->n; i++) {
		struct rs_statistic percentile = rs_statistic_of_percentile(
			&json->percentiles->items[i]);
		struct rs_field field = rs_statistic_of(&percentile, NULL, row->value);
		if (field.kind != RS_FIELD_ABSENT && !json_object_get(object, percentile.word))
			json->failed |= !rs_json_set(object, percentile.word, json_of(&field));
	}
	fputs(json->any ? ",\n" : "\n", json->stream);
	json->any = true;
	json->failed |= !rs_json_write(object, REAL_DIGITS, json->stream);
}

/* An exact number as an integer. */
static json_t *message_number(double number)
{
	bool is_whole = number >= 0 && number < 9e15 && number == (double)(uint64_t)number;
	return is_whole ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *message_of(const char *kind, const struct rs_message *message)
{
	const struct rs_message_about *about = &message->about;
	json_t *object = json_object();
	bool done = rs_json_set(object, "kind", json_string(kind)) &&
		    rs_json_set(object, "code", json_string(about->code));
	if (done && about->region)
		done = rs_json_set(object, "region", rs_json_shown(about->region));
	if (done && about->number != 0)
		done = rs_json_set(object, "number", message_number(about->number));
	done = done && rs_json_set(object, "text", rs_json_shown(message->text));
	if (done)
		return object;
	json_decref(object);
	return NULL;
}

static void write_messages(
	struct json *json, const char *kind, const struct rs_message *messages, size_t n, bool *any)
{
	for (size_t i = 0; i < n; i++) {
		fputs(*any ? ",\n" : "\n", json->stream);
		*any = true;
		json->failed |= !rs_json_write(
			message_of(kind, &messages[i]), REAL_DIGITS, json->stream);
	}
}

static void write_all_messages(struct json *json, const struct rs_summary *summary)
{
	bool any = false;
	fputs("],\n\"messages\":[", json->stream);
	write_messages(json, "warning", summary->warnings, summary->n_warnings, &any);
	write_messages(json, "note", summary->notes, summary->n_notes, &any);
	write_messages(json, "detail", summary->details, summary->n_details, &any);
	fputs("],\n", json->stream);
}

bool rs_report_json(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct json json = {
		.sink = {write_row}, .stream = stream, .percentiles = &summary->percentiles};
	fprintf(stream, "{\n\"regionstat\":\"%s\",\n\"schema\":%d,\n", REGIONSTAT_VERSION,
		RS_RECORD_SCHEMA);
	json.failed |= !rs_record_save_facts(summary->record, stream);
	fputs(",\n\"rows\":[", stream);
	rs_rows_give(summary, options, &json.sink);
	write_all_messages(&json, summary);
	json.failed |= !rs_record_save_measured(summary->record, stream);
	fputs("\n}\n", stream);
	return !json.failed;
}
