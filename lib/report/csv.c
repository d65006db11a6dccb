/* SPDX-License-Identifier: MIT */
/*
 * This file writes the flat table (rows.h) as CSV: one line for each row, with quotes as in RFC
 * 4180. Lines end with a line feed only. Integers are exact. Real numbers have 15 significant
 * digits and a decimal point. A field without a value is empty.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "report/rows.h"

#define NUMBER_BYTES 32

struct csv {
	const char *separator;
	bool is_terminal;
	/* time of the interval, which is the first field of each row; NULL: none */
	const char *interval;
	FILE *stream;
};

/*
 * Return true if a field needs quotes.
 *
 * A separator may have several characters. A field that contains even one of them needs quotes.
 * Otherwise, the end of the field and the start of the separator could together look like a
 * separator. A field that starts or ends with a space or tab needs quotes because some readers
 * remove such characters. A byte that is not UTF-8 becomes \xNN, and the backslash of \x becomes
 * \x5c. Therefore such a field needs quotes if the separator contains one of the characters of
 * \xNN.
 */
static bool needs_quotes(const char *field, const char *separator)
{
	size_t length = strlen(field);
	if (length == 0)
		return false;
	if (strpbrk(separator, "\\x0123456789abcdef") &&
		(!rs_text_is_utf8(field) || strstr(field, "\\x")))
		return true;
	return strpbrk(field, separator) || strpbrk(field, "\"\r\n") || field[0] == ' ' ||
	       field[0] == '\t' || field[length - 1] == ' ' || field[length - 1] == '\t';
}

/* Write a text field. Escape bytes that are not UTF-8, and the backslash of a text such as \xff. On
 * a terminal, escape control characters as well. */
static void write_text(const char *field, const struct csv *csv)
{
	bool quoted = needs_quotes(field, csv->separator);
	if (quoted)
		putc('"', csv->stream);
	while (*field) {
		char shown[RS_TEXT_SHOWN_BYTES];
		if (*field == '"' && quoted)
			putc('"', csv->stream);
		field += rs_text_name_next(field, csv->is_terminal, shown);
		fputs(shown, csv->stream);
	}
	if (quoted)
		putc('"', csv->stream);
}

static void write_field(const struct rs_field *field, const struct csv *csv)
{
	char text[NUMBER_BYTES] = "";
	if (field->kind == RS_FIELD_INTEGER)
		snprintf(text, sizeof(text), "%" PRIu64, field->integer);
	else if (field->kind == RS_FIELD_REAL)
		snprintf(text, sizeof(text), "%.15g", field->real);
	write_text(field->kind == RS_FIELD_TEXT ? field->text : text, csv);
}

static void write_row(void *context, const struct rs_row *row)
{
	const struct csv *csv = context;
	if (csv->interval)
		fprintf(csv->stream, "%s%s", csv->interval, csv->separator);
	for (size_t i = 0; i < RS_ROW_FIELDS; i++) {
		if (i > 0)
			fputs(csv->separator, csv->stream);
		write_field(&row->fields[i], csv);
	}
	putc('\n', csv->stream);
}

static void write_header(struct csv *csv)
{
	struct rs_row words = {0};
	for (size_t i = 0; i < RS_ROW_FIELDS; i++)
		words.fields[i] = rs_field_of_text(rs_row_word(i));
	write_row(csv, &words);
}

void rs_report_csv_header(const char *separator, FILE *stream)
{
	struct csv csv = {.separator = separator, .stream = stream};
	write_header(&csv);
}

void rs_report_csv(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct csv csv = {.separator = options->separator ? options->separator : ",",
		.is_terminal = options->is_terminal,
		.interval = options->interval ? "interval" : NULL,
		.stream = stream};
	if (options->header)
		write_header(&csv);
	if (options->interval)
		csv.interval = rs_interval_time(options->interval, arena);
	rs_rows_give(summary, options, arena, write_row, &csv);
}
