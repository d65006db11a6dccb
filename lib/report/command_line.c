/* SPDX-License-Identifier: MIT */
/*
 * This file makes the text of the command line in a report. The arguments may contain any bytes. A
 * shell that reads the text gets the same arguments.
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

/* Append an argument in shell syntax, and return the end of the text. Inside '...' only the quote
 * is special. Inside $'...' the backslash is also special. */
static char *add_argument(char *end, const char *argument)
{
	if (is_safe(argument))
		return stpcpy(end, argument);
	bool plain = rs_text_is_plain(argument);
	end = stpcpy(end, plain ? "'" : "$'");
	for (size_t left = strlen(argument), taken; left > 0; argument += taken, left -= taken) {
		char shown[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(argument, left, shown);
		if (*argument == '\'')
			end = stpcpy(end, plain ? "'\\''" : "\\'");
		else
			end = stpcpy(end, *argument == '\\' && !plain ? "\\\\" : shown);
	}
	return stpcpy(end, "'");
}

const char *rs_report_command_text(char *const *argv, struct rs_arena *arena)
{
	size_t room = 1;
	for (size_t i = 0; argv && argv[i]; i++)
		room += 4 * strlen(argv[i]) + sizeof(" $''"); /* 4: an escape such as \x1b */
	char *text = rs_arena_array(arena, room, 1), *end = text;
	for (size_t i = 0; text && argv && argv[i]; i++)
		end = add_argument(i > 0 ? stpcpy(end, " ") : end, argv[i]);
	return text;
}

const char *rs_report_program(char *const *argv)
{
	return rs_text_file_name(argv && argv[0] ? argv[0] : "?");
}
