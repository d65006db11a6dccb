/* SPDX-License-Identifier: MIT */
/*
 * A grid is a table of text cells with headings and aligned columns. On a narrow screen, some
 * columns are dropped. Reports fill a grid. rs_grid_write() then writes it for a terminal or as
 * Markdown.
 *
 * All text of a grid is safe to print. It is allocated from the grid's arena or outlives the grid.
 */
#ifndef RS_REPORT_GRID_H
#define RS_REPORT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"
#include "base/arena.h"
#include "stats/statistic.h"

enum rs_span_style {
	RS_SPAN_PLAIN,
	RS_SPAN_DIM,
	RS_SPAN_BOLD,
	RS_SPAN_MARKED, /* the name of a region that a finding mentions */
};

struct rs_span {
	const char *text; /* NULL: no text */
	enum rs_span_style style;
};

#define RS_ACCUMULATOR_SPANS 3u
struct rs_grid_cell {
	struct rs_span spans[RS_ACCUMULATOR_SPANS];
};

struct rs_grid_column {
	struct rs_grid *grid;
	const char *heading;
	bool is_left; /* true: aligned left; false: aligned right */
	bool has_units; /* cells hold times: a space after " s" aligns it with " ms" */
	bool is_drawing; /* drawn with characters; Markdown omits it */
	/* if a grid is too wide, the column with the highest value is dropped first; 0: never drop
	 * it */
	unsigned drop;
	unsigned gap; /* screen columns before this column; 0: two */
	struct rs_grid_cell *cells; /* one cell for each row */
};

#define RS_GRID_COLUMNS 48u
#define RS_GRID_PLAIN_WIDTH 100u /* width of bars and histograms, if the output is not a terminal */

struct rs_grid {
	struct rs_arena *arena;
	size_t n_rows;
	struct rs_grid_column columns[RS_GRID_COLUMNS];
	size_t n_columns;
	/* This function fills the first column. It shortens names to the given width. NULL: the
	 * caller has filled the first column. */
	void (*names)(struct rs_grid *grid, size_t width, void *data);
	void *names_data;
	size_t names_width; /* width of the longest name, without remarks */
	size_t roomy_width; /* width of the longest name with its remark; at least names_width */
};

/* Initialize an empty grid. The grid borrows the arena. */
void rs_grid_init(struct rs_grid *grid, struct rs_arena *arena, size_t n_rows);

/* A column that a table always has. */
struct rs_grid_heading {
	const char *text;
	unsigned drop;
	bool is_left, has_units; /* as in struct rs_grid_column */
};

/* Add a column for each of headings[n]. Return the first one; the others follow it in memory. */
struct rs_grid_column *rs_grid_add_all(
	struct rs_grid *grid, const struct rs_grid_heading *headings, size_t n);

/* Add a column of empty cells, aligned right. The grid borrows heading. Never returns NULL. */
struct rs_grid_column *rs_grid_add(struct rs_grid *grid, const char *heading, unsigned drop);

/* Set the first span of a cell to formatted text in the grid's arena. */
void rs_grid_set(struct rs_grid_column *column, size_t row, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the first span of a cell to a statistic (see rs_format_field()). */
void rs_grid_set_field(
	struct rs_grid_column *column, size_t row, struct rs_field field, bool is_ns);

/* Drop columns that do not fit, and write the others. In Markdown, write all columns except
 * drawings. */
void rs_grid_write(struct rs_grid *grid, const struct rs_report_options *options, FILE *stream);

/* Return true if a grid that was written still has the column with this heading. */
bool rs_grid_has(const struct rs_grid *grid, const char *heading);

/* Return text in arena, with a newline at its end. Spaces become line breaks so that lines fit the
 * width. Lines after the first are indented. width 0: do not break lines. */
const char *rs_wrapped(const char *text, size_t indent, int width, struct rs_arena *arena);

/* Styles of text on a terminal: SGR sequences (ECMA-48), or empty strings without colour. The text
 * of a report says everything that its colours show. */
struct rs_style {
	const char *bold;
	const char *dim;
	const char *warn;
	const char *wait; /* style of region names in findings */
	const char *off;
};

/* Return the sequences to print. Without color, all of them are "". They are in static storage. */
const struct rs_style *rs_style_get(bool color);

/* ---- Markdown ---- */

/* Return text, in arena, for a table cell or a line. If has_lines is true, a newline becomes a hard
 * line break. Otherwise it is escaped. */
const char *rs_markdown_text(const char *text, bool has_lines, struct rs_arena *arena);

#endif
