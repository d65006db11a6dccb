/* SPDX-License-Identifier: MIT */
/*
 * The view of --live beside a run: a process of its own, so that its end does not harm the run.
 */
#ifndef RS_COMMAND_LIVE_H
#define RS_COMMAND_LIVE_H

#include <stdio.h>
#include <termios.h>

#include "options.h"

struct rs_command_view {
	int process; /* pidfd of the view; -1: there is none */
	int terminal; /* of the view; -1: there is none */
	struct termios modes; /* of the terminal before the view */
	int terminals[3]; /* standard streams that were the terminal; -1: they are as before */
	FILE *output; /* what the program writes to them meanwhile */
};

/*
 * With --live, start the view of the segment fd, and take the terminal away from the standard streams of
 * this process and its program. Call rs_command_view_end() in any case. Return false and set err if there
 * is no terminal for the view.
 */
bool rs_command_view_begin(
	struct rs_command_view *view, const struct rs_options *options, int fd, struct rs_err *err);

/* End the view, restore the standard streams, and write to the terminal what the program wrote. */
void rs_command_view_end(struct rs_command_view *view);

#endif
