/* SPDX-License-Identifier: MIT */
/*
 * The command line of a report. It gets any arguments of any bytes. It writes text that a shell
 * takes for the same arguments, piece by piece and without memory of its own, since a command line
 * may be megabytes long. To cut it, the pieces are counted first.
 */
#include "report/command_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"

/* Where the pieces go: counted up to a limit, or written up to it. */
struct sink {
	FILE *stream; /* NULL: only count */
	size_t columns; /* so far */
	size_t limit;
	bool full; /* something went beyond the limit; nothing follows it */
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

/* In '...' only the quote itself is special; in $'...' the backslash is, too. */
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
