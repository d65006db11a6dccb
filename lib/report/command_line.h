/* SPDX-License-Identifier: MIT */
/*
 * These functions write a command line in shell syntax that is safe to print on a terminal.
 */
#ifndef RS_REPORT_COMMAND_LINE_H
#define RS_REPORT_COMMAND_LINE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write argv to stream in shell syntax. Put an argument that a shell would change in '...'. Put an
 * argument whose bytes could control a terminal in $'...'. argv is NULL-terminated and borrowed.
 * columns: greatest width of the text. Longer text is cut and ends with an ellipsis; 0: no limit.
 */
void rs_report_command_line(char *const *argv, size_t columns, FILE *stream);

/* Return the whole command line as text, which the caller frees. Return NULL if argv is NULL or
 * memory runs out. */
char *rs_report_command_text(char *const *argv);

/* Return the name of the program that argv starts, without its directory. Return "?" if argv is
 * NULL or empty. */
const char *rs_report_program(char *const *argv);

#endif
