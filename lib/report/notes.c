/* SPDX-License-Identifier: MIT */
/*
 * Messages as text. Comes in: messages of one or more lines, of any bytes. Goes out: the same fit to
 * show, and with lines that the screen has room for. A line is broken between words, and behind no
 * number: what it is of stays with it.
 */
#include "report/notes.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/style.h"

#define CONTINUATION 4u /* columns that the rest of a broken line is indented by */
#define WORD_BYTES 1024u

/* Where text is written, in columns. */
struct lines {
	FILE *stream;
	size_t width; /* of the screen; SIZE_MAX: nothing is broken */
	size_t position;
	bool begins; /* nothing but indentation stands in this line */
	char word[WORD_BYTES]; /* not written yet */
	size_t n_spaces; /* before it */
};

static void write_word(struct lines *lines)
{
	size_t columns = rs_width_of(lines->word);
	if (lines->word[0] == '\0')
		return;
	if (!lines->begins && lines->position + lines->n_spaces + columns > lines->width) {
		fprintf(lines->stream, "\n%*s", (int)CONTINUATION, "");
		lines->position = CONTINUATION;
		lines->n_spaces = 0;
	}
	fprintf(lines->stream, "%*s%s", (int)lines->n_spaces, "", lines->word);
	lines->position += lines->n_spaces + columns;
	lines->begins = false;
	lines->word[0] = '\0';
	lines->n_spaces = 0;
}

static void end_line(struct lines *lines)
{
	write_word(lines);
	putc('\n', lines->stream);
	lines->position = lines->n_spaces = 0;
	lines->begins = true;
}

/* One more character that is fit to show. */
static void add(struct lines *lines, const char *shown)
{
	size_t used = strlen(lines->word);
	bool is_break = shown[0] == ' ' &&
			!(used > 0 && isdigit((unsigned char)lines->word[used - 1]));
	if (is_break) {
		write_word(lines);
		lines->n_spaces++;
		return;
	}
	if (used + strlen(shown) >= WORD_BYTES) {
		write_word(lines);
		used = 0;
	}
	strcpy(lines->word + used, shown);
}

static void write_message(struct lines *lines, const char *kind, const char *message,
	const char *sgr, const struct rs_style *style)
{
	size_t left = strlen(message);
	fprintf(lines->stream, "%s%s:%s", sgr, kind, style->off);
	lines->position = strlen(kind) + 1;
	lines->n_spaces = 1;
	lines->begins = true;
	while (left > 0) {
		char shown[RS_TEXT_SHOWN_BYTES];
		size_t taken = rs_text_show_next(message, left, shown);
		if (*message != '\n')
			add(lines, shown);
		else if (left > 1)
			end_line(lines);
		message += taken;
		left -= taken;
	}
	end_line(lines);
}

void rs_notes_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	size_t n_details = options->verbose ? summary->n_details : 0;
	struct lines lines = {
		.stream = stream, .width = options->width > 0 ? (size_t)options->width : SIZE_MAX};
	if (summary->n_warnings + summary->n_notes + n_details > 0)
		putc('\n', stream);
	for (size_t i = 0; i < summary->n_warnings; i++)
		write_message(&lines, "warning", summary->warnings[i].text, style->warn, style);
	for (size_t i = 0; i < summary->n_notes; i++)
		write_message(&lines, "note", summary->notes[i].text, style->bold, style);
	for (size_t i = 0; i < n_details; i++)
		write_message(&lines, "note", summary->details[i].text, style->bold, style);
}
