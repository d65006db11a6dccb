/* SPDX-License-Identifier: MIT */
/*
 * Writing a command line in shell syntax, safe to print on a terminal.
 */
#ifndef RS_REPORT_COMMAND_LINE_H
#define RS_REPORT_COMMAND_LINE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write argv to stream in shell syntax. An argument that a shell would change is quoted with '...'.
 * An argument with bytes that could control a terminal is quoted with $'...'. argv is
 * NULL-terminated and borrowed. columns: greatest width, at which the text is cut and ends with an
 * ellipsis; 0: no limit.
 */
void rs_report_command_line(char *const *argv, size_t columns, FILE *stream);

/* Return the name of the program that argv starts, without its directory. It is "?" if argv is NULL or
 * empty. */
const char *rs_report_program(char *const *argv);

#endif
