/* SPDX-License-Identifier: MIT */
/*
 * A table of cells, whatever they hold: headings, aligned columns, and columns that a narrow screen
 * drops. A report fills it, one writer puts it on a terminal and another into Markdown.
 *
 * All text of a grid is fit to show and lies in its arena, or outlives it. Where memory is refused the
 * grid says so in the end: cells need no checks.
 */
#ifndef RS_REPORT_GRID_H
#define RS_REPORT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"
#include "stats/arena.h"

enum rs_span_style {
	RS_SPAN_PLAIN,
	RS_SPAN_DIM,
	RS_SPAN_BOLD,
	RS_SPAN_MARKED, /* a finding speaks of it */
};

struct rs_span {
	const char *text; /* NULL: empty */
	enum rs_span_style style;
};

#define RS_CELL_SPANS 3u
struct rs_grid_cell {
	struct rs_span spans[RS_CELL_SPANS];
};

struct rs_grid_column {
	const char *heading;
	bool is_left; /* aligned; else right */
	bool has_units; /* of time: " s" is aligned with " ms" */
	bool is_drawing; /* of characters, not text: formats that are no screen have none of it */
	unsigned drop; /* of a grid too wide, the column with the highest goes first; 0: none */
	unsigned gap; /* before the column; 0: two columns of the screen */
	struct rs_grid_cell *cells; /* one a row */
};

#define RS_GRID_COLUMNS 48u
#define RS_GRID_PLAIN_WIDTH 100u /* of what is no terminal */

struct rs_grid {
	struct rs_arena *arena;
	bool failed; /* no memory */
	size_t n_rows;
	struct rs_grid_column columns[RS_GRID_COLUMNS];
	size_t n_columns;
	/* The first column may be cut. names: called with the width that it gets, to fill its cells; NULL:
	 * they are filled. */
	void (*names)(struct rs_grid *grid, size_t width, void *data);
	void *names_data;
	size_t names_width; /* what they take uncut, at most */
	size_t roomy_width; /* what they take with all remarks; at least names_width */
};

/* An empty grid. arena: borrowed, as long as the grid is used. */
void rs_grid_init(struct rs_grid *grid, struct rs_arena *arena, size_t n_rows);

/* Add a column of empty cells, aligned right. heading: not copied. Never NULL. */
struct rs_grid_column *rs_grid_add(struct rs_grid *grid, const char *heading, unsigned drop);

/* Set the first span of a cell to a text of the arena. */
void rs_grid_set(struct rs_grid *grid, struct rs_grid_column *column, size_t row,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Text in the arena; "" where there is no memory, and then the grid has failed. */
const char *rs_grid_text(struct rs_grid *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Drop what does not fit, and write the rest. False: no memory. */
bool rs_grid_write(struct rs_grid *grid, const struct rs_report_options *options, FILE *stream);

/* Whether the column of that heading was not dropped, once the grid is written. */
bool rs_grid_has(const struct rs_grid *grid, const char *heading);

/* Write text to a stream with line breaks at spaces, so that it fits; lines behind the first are
 * indented. width: 0: no limit. */
void rs_wrap(const char *text, size_t indent, size_t width, FILE *stream);

#endif
