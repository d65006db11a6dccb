/* SPDX-License-Identifier: MIT */
/*
 * This file writes the command line in a report. The arguments may contain any bytes. A shell that
 * reads the text gets the same arguments. A command line may have megabytes, so the file writes it
 * in parts and without a buffer. A first pass finds out whether the text must be cut.
 */
#include "report/format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"

/* This struct receives the parts. It counts columns up to a limit, and writes the text if it has a
 * stream. */
struct sink {
	FILE *stream; /* NULL: only count columns */
	size_t columns; /* columns used so far */
	size_t limit;
	bool full; /* a part did not fit below the limit, so later parts are ignored */
};

static void put(struct sink *sink, const char *piece)
{
	size_t width = rs_width_of(piece);
	if (sink->full || sink->columns + width > sink->limit) {
		sink->full = true;
		return;
	}
	sink->columns += width;
	if (sink->stream)
		fputs(piece, sink->stream);
}

static bool is_safe(const char *argument)
{
	if (!*argument)
		return false;
	for (; *argument; argument++)
		if (!isalnum((unsigned char)*argument) && !strchr("_-./=:,+@%", *argument))
			return false;
	return true;
}

/* Inside '...' only the quote is special. Inside $'...' the backslash is also special. */
static void put_argument(struct sink *sink, const char *argument)
{
	if (is_safe(argument)) {
		for (char piece[2] = {0}; *argument && !sink->full; argument++) {
			piece[0] = *argument;
			put(sink, piece);
		}
		return;
	}
	bool plain = rs_text_is_plain(argument);
	size_t left = strlen(argument);
	put(sink, plain ? "'" : "$'");
	while (left > 0 && !sink->full) {
		char shown[RS_TEXT_SHOWN_BYTES];
		size_t taken = rs_text_show_next(argument, left, shown);
		if (*argument == '\'')
			put(sink, plain ? "'\\''" : "\\'");
		else if (*argument == '\\' && !plain)
			put(sink, "\\\\");
		else
			put(sink, shown);
		argument += taken;
		left -= taken;
	}
	put(sink, "'");
}

static void put_command(struct sink *sink, char *const *argv)
{
	for (size_t i = 0; argv[i] && !sink->full; i++) {
		if (i > 0)
			put(sink, " ");
		put_argument(sink, argv[i]);
	}
}

void rs_report_command_line(char *const *argv, size_t columns, FILE *stream)
{
	struct sink sink = {.limit = columns > 0 ? columns : SIZE_MAX};
	put_command(&sink, argv);
	bool cut = sink.full;
	sink = (struct sink){.stream = stream, .limit = sink.limit - (cut ? 1 : 0)};
	put_command(&sink, argv);
	if (cut)
		fputs("\xe2\x80\xa6", stream);
}

char *rs_report_command_text(char *const *argv)
{
	char *command = NULL;
	size_t bytes;
	FILE *stream = argv ? open_memstream(&command, &bytes) : NULL;
	if (!stream)
		return NULL;
	rs_report_command_line(argv, 0, stream);
	fclose(stream);
	return command;
}

const char *rs_report_program(char *const *argv)
{
	return rs_text_file_name(argv && argv[0] ? argv[0] : "?");
}
