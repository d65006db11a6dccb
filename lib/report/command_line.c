/* SPDX-License-Identifier: MIT */
/*
 * This file writes the command line in a report. The arguments may contain any bytes. A shell that
 * reads the text gets the same arguments.
 */
#include "report/format.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

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
static void write_argument(const char *argument, FILE *stream)
{
	if (is_safe(argument)) {
		fputs(argument, stream);
		return;
	}
	bool plain = rs_text_is_plain(argument);
	fputs(plain ? "'" : "$'", stream);
	for (size_t left = strlen(argument), taken; left > 0; argument += taken, left -= taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(argument, left, shown);
		if (*argument == '\'')
			fputs(plain ? "'\\''" : "\\'", stream);
		else if (*argument == '\\' && !plain)
			fputs("\\\\", stream);
		else
			fputs(shown, stream);
	}
	putc('\'', stream);
}

void rs_report_command_line(char *const *argv, FILE *stream)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			putc(' ', stream);
		write_argument(argv[i], stream);
	}
}

char *rs_report_command_text(char *const *argv)
{
	char *command = NULL;
	size_t bytes;
	FILE *stream = argv ? open_memstream(&command, &bytes) : NULL;
	if (!stream)
		return NULL;
	rs_report_command_line(argv, stream);
	fclose(stream);
	return command;
}

const char *rs_report_program(char *const *argv)
{
	return rs_text_file_name(argv && argv[0] ? argv[0] : "?");
}
