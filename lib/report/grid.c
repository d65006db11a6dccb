/* SPDX-License-Identifier: MIT */
/*
 * This file writes tables of text cells as aligned lines. It drops columns in the order of their
 * drop values until the others fit. The first column contains names and gets the remaining width.
 * For Markdown, it writes tables in GitHub's syntax, and escapes the characters that Markdown or
 * HTML would interpret.
 */
#include "report/grid.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"

#define GAP 2u
#define LEAST_NAMES 16u /* names may use this width, or three tenths of a wide screen */
#define LEAST_WIDTH 6u
#define UNLIMITED_WIDTH 100000u /* a file gets all columns and whole names */

void rs_grid_init(struct rs_grid *grid, struct rs_arena *arena, size_t n_rows)
{
	*grid = (struct rs_grid){.arena = arena, .n_rows = n_rows};
}

struct rs_grid_column *rs_grid_add(struct rs_grid *grid, const char *heading, unsigned drop)
{
	assert(grid->n_columns < RS_GRID_COLUMNS);
	struct rs_grid_column *column = &grid->columns[grid->n_columns++];
	*column = (struct rs_grid_column){.grid = grid, .heading = heading, .drop = drop};
	column->cells = rs_arena_array(grid->arena, grid->n_rows, sizeof(*column->cells));
	return column;
}

struct rs_grid_column *rs_grid_add_all(
	struct rs_grid *grid, const struct rs_grid_heading *headings, size_t n)
{
	struct rs_grid_column *first = &grid->columns[grid->n_columns];
	for (size_t i = 0; i < n; i++) {
		struct rs_grid_column *column = rs_grid_add(
			grid, headings[i].text, headings[i].drop);
		column->is_left = headings[i].is_left;
		column->has_units = headings[i].has_units;
	}
	return first;
}

void rs_grid_set(struct rs_grid_column *column, size_t row, const char *format, ...)
{
	va_list list;
	if (row >= column->grid->n_rows)
		return;
	va_start(list, format);
	column->cells[row].spans[0].text = rs_arena_vformat(column->grid->arena, format, list);
	va_end(list);
}

void rs_grid_set_field(struct rs_grid_column *column, size_t row, struct rs_field field, bool is_ns)
{
	rs_grid_set(column, row, "%s", rs_format_field(field, is_ns).text);
}

static size_t cell_width(const struct rs_grid_cell *cell)
{
	size_t width = 0;
	for (size_t i = 0; i < RS_ACCUMULATOR_SPANS; i++)
		width += cell->spans[i].text ? rs_width_of(cell->spans[i].text) : 0;
	return width;
}

/* Return how many spaces must follow a cell to align its unit " s" with " ms". */
static size_t tail_of(const struct rs_grid_column *column, const struct rs_grid_cell *cell)
{
	const char *text = cell->spans[0].text;
	size_t length = text ? strlen(text) : 0;
	return column->has_units && length > 2 && strcmp(text + length - 2, " s") == 0;
}

static size_t column_width(const struct rs_grid *grid, size_t c)
{
	size_t widest = rs_width_of(grid->columns[c].heading);
	for (size_t i = 0; i < grid->n_rows; i++) {
		const struct rs_grid_cell *cell = &grid->columns[c].cells[i];
		size_t width = cell_width(cell) + tail_of(&grid->columns[c], cell);
		widest = width > widest ? width : widest;
	}
	return widest;
}

static size_t gap_of(const struct rs_grid *grid, size_t c)
{
	return c == 0 ? 0 : grid->columns[c].gap > 0 ? grid->columns[c].gap : GAP;
}

static void drop(struct rs_grid *grid, size_t c, size_t *widths)
{
	size_t n = --grid->n_columns - c;
	memmove(&grid->columns[c], &grid->columns[c + 1], n * sizeof(grid->columns[0]));
	memmove(&widths[c], &widths[c + 1], n * sizeof(widths[0]));
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t max(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Drop columns until the others fit into width. Fill widths[n_columns], including the width of the
 * column of names. */
static void fit(struct rs_grid *grid, size_t width, size_t *widths)
{
	for (size_t c = 0; c < grid->n_columns; c++)
		widths[c] = column_width(grid, c);
	size_t natural = grid->names ? max(grid->names_width, widths[0]) : widths[0];
	size_t least = grid->names ? min(natural, max(LEAST_NAMES, width * 3 / 10)) : natural;
	size_t rest;
	for (;;) {
		size_t worst = 0;
		rest = 0;
		for (size_t c = 1; c < grid->n_columns; c++) {
			rest += gap_of(grid, c) + widths[c];
			if (grid->columns[c].drop > grid->columns[worst].drop)
				worst = c;
		}
		if (least + rest <= width || grid->columns[worst].drop == 0)
			break;
		drop(grid, worst, widths);
	}
	if (!grid->names)
		return;
	size_t room = width > rest ? width - rest : 0;
	widths[0] = max(min(room, max(natural, grid->roomy_width)), LEAST_WIDTH);
}

static void write_spaces(size_t n, FILE *stream)
{
	fprintf(stream, "%*s", (int)n, "");
}

static const char *style_text(const struct rs_style *style, enum rs_span_style kind)
{
	return kind == RS_SPAN_DIM	? style->dim
	       : kind == RS_SPAN_BOLD	? style->bold
	       : kind == RS_SPAN_MARKED ? style->wait
					: "";
}

static void write_span(const struct rs_span *span, const struct rs_style *style, FILE *stream)
{
	const char *before = style_text(style, span->style);
	if (span->text && *span->text)
		fprintf(stream, "%s%s%s", before, span->text, *before ? style->off : "");
}

/* Write pad spaces, then a cell. Return how many spaces must follow before the next cell. */
static size_t write_cell(const struct rs_grid_cell *cell, const struct rs_grid_column *column,
	size_t pad, size_t width, const struct rs_style *style, FILE *stream)
{
	size_t tail = tail_of(column, cell), own = cell_width(cell) + tail;
	size_t left = width > own ? width - own : 0;
	if (own == 0)
		return pad + left;
	write_spaces(pad + (column->is_left ? 0 : left), stream);
	for (size_t i = 0; i < RS_ACCUMULATOR_SPANS; i++)
		write_span(&cell->spans[i], style, stream);
	return tail + (column->is_left ? left : 0);
}

/* ---- Markdown ---- */

struct rs_report_options rs_markdown_options(const struct rs_report_options *options)
{
	return (struct rs_report_options){.markdown = true,
		.utf8 = true,
		.all = options->all,
		.view = options->view,
		.verbose = options->verbose,
		.label = options->label};
}

/* Put a backslash before each punctuation character that Markdown may interpret (CommonMark 0.31,
 * 2.4). HTML shows several spaces as one, but headlines separate their parts by three spaces.
 * Therefore each space after another space becomes an entity. Keep spaces at the start of a
 * line. */
const char *rs_markdown_text(const char *text, bool has_lines, struct rs_arena *arena)
{
	static const char blank[] = "&nbsp;", line_break[] = "  \n  ";
	char last = '\0';
	/* no byte becomes longer than an entity */
	char *whole = rs_arena_array(arena, strlen(text) + 1, sizeof(blank)), *end = whole;
	for (size_t left = strlen(text), taken; left > 0; left -= taken, text += taken) {
		char plain[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, left, plain);
		if (has_lines && *text == '\n') {
			end = stpcpy(end, line_break);
			last = '\n';
			continue;
		}
		for (const char *c = plain; *c; c++) {
			if (strchr("\\`*_{}[]<>|~&$", *c))
				*end++ = '\\';
			if (*c == ' ' && last == ' ')
				end = stpcpy(end, blank);
			else
				*end++ = *c;
			if (*c != ' ' || last != '\n')
				last = *c;
		}
	}
	return whole;
}

static void write_markdown_cell(
	const struct rs_grid_cell *cell, struct rs_arena *arena, FILE *stream)
{
	putc(' ', stream);
	for (size_t i = 0; i < RS_ACCUMULATOR_SPANS; i++)
		if (cell->spans[i].text)
			fputs(rs_markdown_text(cell->spans[i].text, false, arena), stream);
	fputs(" |", stream);
}

static void write_markdown(struct rs_grid *grid, FILE *stream)
{
	if (grid->names)
		grid->names(grid, grid->roomy_width, grid->names_data);
	putc('|', stream);
	for (size_t c = 0; c < grid->n_columns; c++)
		if (!grid->columns[c].is_drawing)
			write_markdown_cell(
				&(struct rs_grid_cell){{{grid->columns[c].heading, RS_SPAN_PLAIN}}},
				grid->arena, stream);
	fputs("\n|", stream);
	for (size_t c = 0; c < grid->n_columns; c++)
		if (!grid->columns[c].is_drawing)
			fputs(grid->columns[c].is_left ? "---|" : "--:|", stream);
	putc('\n', stream);
	for (size_t i = 0; i < grid->n_rows; i++) {
		putc('|', stream);
		for (size_t c = 0; c < grid->n_columns; c++)
			if (!grid->columns[c].is_drawing)
				write_markdown_cell(
					&grid->columns[c].cells[i], grid->arena, stream);
		putc('\n', stream);
	}
	putc('\n', stream);
}

/* ---- functions for both formats ---- */

void rs_grid_write(struct rs_grid *grid, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	size_t widths[RS_GRID_COLUMNS];
	size_t width = options->width > 0 ? (size_t)options->width : UNLIMITED_WIDTH;
	if (options->markdown) {
		write_markdown(grid, stream);
		return;
	}
	fit(grid, width, widths);
	if (grid->names)
		grid->names(grid, widths[0], grid->names_data);
	for (size_t i = 0; i <= grid->n_rows; i++) {
		size_t pad = 0;
		for (size_t c = 0; c < grid->n_columns; c++) {
			const struct rs_grid_column *column = &grid->columns[c];
			const struct rs_grid_cell heading = {{{column->heading, RS_SPAN_DIM}}};
			pad = write_cell(i == 0 ? &heading : &column->cells[i - 1], column,
				pad + gap_of(grid, c), widths[c], style, stream);
		}
		putc('\n', stream);
	}
}

bool rs_grid_has(const struct rs_grid *grid, const char *heading)
{
	for (size_t c = 0; c < grid->n_columns; c++)
		if (strcmp(grid->columns[c].heading, heading) == 0)
			return true;
	return false;
}

const char *rs_wrapped(const char *text, size_t indent, int width, struct rs_arena *arena)
{
	size_t used = 0, room = strlen(text) + sizeof("\n");
	for (const char *c = text; *c; c++)
		room += *c == ' ' ? indent : 0;
	char *lines = rs_arena_array(arena, room, 1), *end = lines;
	for (bool is_first = true; *text; is_first = false) {
		size_t n = strcspn(text, " ");
		size_t wide = rs_width_of(rs_arena_format(arena, "%.*s", (int)n, text));
		if (!is_first && width > 0 && used > indent && used + 1 + wide > (size_t)width) {
			end += sprintf(end, "\n%*s", (int)indent, "");
			used = indent;
		} else if (!is_first) {
			*end++ = ' ';
			used++;
		}
		end = mempcpy(end, text, n);
		used += wide;
		text += n;
		text += *text == ' ';
	}
	*end = '\n';
	return lines;
}

const struct rs_style *rs_style_get(bool color)
{
	static const struct rs_style plain = {"", "", "", "", ""};
	static const struct rs_style colored = {
		"\033[1m", "\033[2m", "\033[1;33m", "\033[33m", "\033[0m"};
	return color ? &colored : &plain;
}
