/* SPDX-License-Identifier: MIT */
/*
 * Writing parts of a Markdown page.
 */
#ifndef RS_REPORT_MARKDOWN_H
#define RS_REPORT_MARKDOWN_H

#include "report/grid.h"

/* Return the options of a page of Markdown, which has no width, height and colours. */
struct rs_report_options rs_markdown_options(const struct rs_report_options *options);

/* Write text within a cell or a line. With has_lines a newline becomes a hard line break; otherwise
 * it is escaped. */
void rs_markdown_text(const char *text, bool has_lines, FILE *stream);

/* Write a grid as a table, without its drawings. */
void rs_markdown_grid(struct rs_grid *grid, FILE *stream);

#endif
