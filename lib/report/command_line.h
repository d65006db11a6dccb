/* SPDX-License-Identifier: MIT */
/*
 * A command line as a shell would read it back, and fit to show.
 */
#ifndef RS_REPORT_COMMAND_LINE_H
#define RS_REPORT_COMMAND_LINE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write argv to stream, and quote every argument that a shell would not take as it is. The quotes
 * are '...', or $'...' for an argument that must not reach a terminal as it is. argv:
 * NULL-terminated, borrowed. columns: where to cut it, with an ellipsis; 0: nowhere.
 */
void rs_report_command_line(char *const *argv, size_t columns, FILE *stream);

#endif
