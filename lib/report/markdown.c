/* SPDX-License-Identifier: MIT */
/*
 * This file writes text and tables as Markdown, with tables in GitHub's syntax. Characters that
 * Markdown or HTML would interpret are escaped.
 */
#include "report/grid.h"

#include <string.h>

#include "base/text.h"

struct rs_report_options rs_markdown_options(const struct rs_report_options *options)
{
	return (struct rs_report_options){.markdown = true,
		.utf8 = true,
		.all = options->all,
		.view = options->view,
		.verbose = options->verbose,
		.label = options->label};
}

/* Write a backslash before each punctuation character that Markdown may interpret (CommonMark 0.31,
 * 2.4). HTML shows several spaces as one, but headlines separate their parts by three spaces.
 * Therefore write each space after another space as an entity. Keep spaces at the start of a
 * line. */
void rs_markdown_text(const char *text, bool has_lines, FILE *stream)
{
	char last = '\0';
	for (size_t left = strlen(text), taken; left > 0; left -= taken, text += taken) {
		char plain[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, left, plain);
		if (has_lines && *text == '\n') {
			fputs("  \n  ", stream);
			last = '\n';
			continue;
		}
		for (const char *c = plain; *c; c++) {
			if (strchr("\\`*_{}[]<>|~&$", *c))
				putc('\\', stream);
			if (*c == ' ' && last == ' ')
				fputs("&nbsp;", stream);
			else
				putc(*c, stream);
			if (*c != ' ' || last != '\n')
				last = *c;
		}
	}
}

static void write_cell(const struct rs_grid_cell *cell, FILE *stream)
{
	putc(' ', stream);
	for (size_t i = 0; i < RS_ACCUMULATOR_SPANS; i++)
		if (cell->spans[i].text)
			rs_markdown_text(cell->spans[i].text, false, stream);
	fputs(" |", stream);
}

void rs_markdown_grid(struct rs_grid *grid, FILE *stream)
{
	if (grid->names)
		grid->names(grid, grid->roomy_width, grid->names_data);
	putc('|', stream);
	for (size_t c = 0; c < grid->n_columns; c++)
		if (!grid->columns[c].is_drawing)
			write_cell(
				&(struct rs_grid_cell){{{grid->columns[c].heading, RS_SPAN_PLAIN}}},
				stream);
	fputs("\n|", stream);
	for (size_t c = 0; c < grid->n_columns; c++)
		if (!grid->columns[c].is_drawing)
			fputs(grid->columns[c].is_left ? "---|" : "--:|", stream);
	putc('\n', stream);
	for (size_t i = 0; i < grid->n_rows; i++) {
		putc('|', stream);
		for (size_t c = 0; c < grid->n_columns; c++)
			if (!grid->columns[c].is_drawing)
				write_cell(&grid->columns[c].cells[i], stream);
		putc('\n', stream);
	}
	putc('\n', stream);
}
