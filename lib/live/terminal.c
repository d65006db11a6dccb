/* SPDX-License-Identifier: MIT */
/*
 * This file finds out from the description of the terminal, terminfo(5), whether a program can move
 * its cursor to any position.
 */
#include "live/terminal.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <term.h>

static bool refuse(struct rs_err *err, const char *why)
{
	rs_err_set(err, "cannot show the run on the screen: %s", why);
	return rs_err_add_line(err, "try: -I 1000, which prints lines");
}

bool rs_live_check_terminal(struct rs_err *err)
{
	const char *type = getenv("TERM");
	FILE *terminal = fopen("/dev/tty", "r+e");
	int status;
	if (!terminal)
		return refuse(err, "there is no terminal");
	bool is_known = type && *type && setupterm(type, fileno(terminal), &status) == OK;
	bool has_cursor = is_known && cursor_address;
	fclose(terminal);
	if (cur_term)
		del_curterm(cur_term);
	if (!is_known)
		return refuse(err, "TERM names no known terminal");
	return has_cursor || refuse(err, "TERM's terminal cannot position the cursor");
}
