/* SPDX-License-Identifier: MIT */
/*
 * These functions write parts of a Markdown page.
 */
#ifndef RS_REPORT_MARKDOWN_H
#define RS_REPORT_MARKDOWN_H

#include "report/grid.h"

/* Return a copy of options for a Markdown page, without width, height and colours. */
struct rs_report_options rs_markdown_options(const struct rs_report_options *options);

/* Write text inside a table cell or a line. With has_lines, write a newline as a hard line break.
 * Otherwise escape it. */
void rs_markdown_text(const char *text, bool has_lines, FILE *stream);

/* Write a grid as a table, without the columns that are drawings. */
void rs_markdown_grid(struct rs_grid *grid, FILE *stream);

#endif
