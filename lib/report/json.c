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

static json_t *number_of(const struct rs_number *number)
{
	return number->kind == RS_NUMBER_INTEGER ? rs_json_u64(number->integer)
						 : json_real(number->real);
}

/* The run is named once, and not in each row. */
static void write_row(struct rs_row_sink *sink, const struct rs_row *row)
{
	struct json *json = (struct json *)sink;
	json_t *object = json_object();
	for (int i = 0; i < RS_FIELD_N; i++) {
		json_t *value = NULL;
		if (i == RS_FIELD_RUN)
			continue;
		if (row->texts[i])
			value = rs_json_shown(row->texts[i]);
		else if (row->numbers[i].kind != RS_NUMBER_NONE)
			value = number_of(&row->numbers[i]);
		else
			continue;
		json->failed |= !rs_json_set(object, rs_field_word((enum rs_field)i), value);
	}
	for (size_t i = 0; row->value && i < json->percentiles->n; i++) {
		const struct rs_percentile *percentile = &json->percentiles->items[i];
		struct rs_number number = rs_statistic_percentile(
			row->value, percentile->millionths);
		if (number.kind != RS_NUMBER_NONE && !json_object_get(object, percentile->word))
			json->failed |= !rs_json_set(object, percentile->word, number_of(&number));
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
