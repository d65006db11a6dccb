/* SPDX-License-Identifier: MIT */
/*
 * The view of --live shows the run on the screen. It runs in a separate process, so that the
 * measurement continues if the view crashes.
 */
#ifndef RS_COMMAND_LIVE_H
#define RS_COMMAND_LIVE_H

#include <stdio.h>
#include <termios.h>

#include "options.h"

struct rs_command_view {
	int process; /* pidfd of the view; -1: none */
	int terminal; /* the view's terminal; -1: none */
	struct termios modes; /* modes of the terminal before the view */
	/* copies of the standard streams that were the terminal; -1: not redirected */
	int terminals[3];
	FILE *output; /* temporary file with the program's output */
};

/*
 * With --live, start the view of the segment fd, and redirect the standard streams of this process
 * and of its program away from the terminal. The caller must call rs_command_view_end(), even after
 * a failure. Return false and set err if there is no terminal for the view.
 */
bool rs_command_view_begin(
	struct rs_command_view *view, const struct rs_options *options, int fd, struct rs_err *err);

/* End the view, restore the standard streams, and copy the program's output to the terminal. */
void rs_command_view_end(struct rs_command_view *view);

#endif
