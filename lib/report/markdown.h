/* SPDX-License-Identifier: MIT */
/*
 * Parts of pages in Markdown.
 */
#ifndef RS_REPORT_MARKDOWN_H
#define RS_REPORT_MARKDOWN_H

#include "report/grid.h"

/* Write text within a cell or a line. has_lines: a line end in it stays one. */
void rs_markdown_text(const char *text, bool has_lines, FILE *stream);

/* Write a table with all columns but drawings. False: no memory. */
bool rs_markdown_grid(struct rs_grid *grid, FILE *stream);

#endif
