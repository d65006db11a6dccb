/* SPDX-License-Identifier: MIT */
/*
 * This file writes the report as Markdown, for pages such as a merge request. It shows what the
 * table report shows, with tables in GitHub's syntax. Characters that Markdown or HTML would
 * interpret are escaped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/details.h"
#include "report/event_table.h"
#include "report/findings.h"
#include "report/headline.h"
#include "report/markdown.h"
#include "report/ranks_table.h"
#include "report/report.h"
#include "report/threads.h"
#include "report/tree_table.h"
#include "report/work_table.h"

#define SHOWN_REGIONS 20u /* if the user asks for neither more nor fewer */

/* Write a backslash before each punctuation character that Markdown may interpret (CommonMark 0.31,
 * 2.4). HTML shows several spaces as one, so write an entity for each further space: headlines have
 * their parts three spaces apart. Spaces at the begin of a line stay as they are. */
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

bool rs_markdown_grid(struct rs_grid *grid, FILE *stream)
{
	if (grid->names)
		grid->names(grid, grid->roomy_width, grid->names_data);
	if (grid->failed)
		return false;
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
	return true;
}

static void write_headline(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_report_options plain = {.utf8 = options->utf8, .label = options->label};
	char *line = NULL;
	size_t bytes = 0;
	FILE *text = open_memstream(&line, &bytes);
	if (text) {
		rs_headline_write(summary, &plain, text);
		fclose(text);
	}
	if (line && bytes > 0 && line[bytes - 1] == '\n')
		line[bytes - 1] = '\0';
	rs_markdown_text(line ? line : "?", true, stream);
	fputs("\n\n", stream);
	free(line);
}

static bool write_tree(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_tree_table table;
	size_t most = options->all || options->view.top > 0 ? SIZE_MAX : SHOWN_REGIONS;
	if (summary->n_merged == 0)
		return true;
	bool done = rs_tree_table_make(&table, summary, options, most, arena) &&
		    rs_markdown_grid(&table.grid, stream);
	rs_tree_table_finish(&table);
	return done;
}

static bool write_threads(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_grid grid;
	struct rs_tree tree;
	if (summary->n_places > 0 && !(rs_places_make_grid(&grid, summary, options, arena) &&
					     rs_markdown_grid(&grid, stream)))
		return false;
	if (!summary->spreads)
		return true;
	bool done = rs_spread_make_grid(&grid, &tree, summary, options, arena) &&
		    rs_markdown_grid(&grid, stream);
	rs_tree_finish(&tree);
	return done;
}

static void write_fact(const struct rs_summary_region *region, const char *text, FILE *stream)
{
	fputs("- ", stream);
	rs_markdown_text(region->name, false, stream);
	fputs(": ", stream);
	rs_markdown_text(text, false, stream);
	fputs("\n", stream);
}

/* Write the work of a region's calls, why its slow calls are slow, and its slowest call if that
 * took much longer than the others. */
static void write_facts(
	const struct rs_summary *summary, const struct rs_summary_region *region, FILE *stream)
{
	char work[RS_WORK_TEXT_BYTES];
	if (rs_work_text(work, region))
		write_fact(region, work, stream);
	for (size_t i = 0; i < region->n_tails; i++) {
		const struct rs_tail *tail = &region->tails[i];
		char *text = tail->n_told > 0 ? rs_tail_text(summary, tail, 0) : NULL;
		if (text)
			write_fact(region, text, stream);
		free(text);
	}
	char *slowest = rs_slowest_text(summary, region, 0);
	if (slowest)
		write_fact(region, slowest, stream);
	free(slowest);
}

static bool write_events(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_choice choice;
	struct rs_grid grid;
	if (!rs_choice_make(&choice, summary, options, SHOWN_REGIONS))
		return false;
	bool done = true;
	if (rs_event_table_is_wanted(summary, options) && choice.n_regions > 0)
		done = rs_event_table_make(&grid, summary, &choice, options, arena) &&
		       rs_markdown_grid(&grid, stream);
	if (choice.n_left_out > 0)
		fprintf(stream, "%zu more regions: --all\n\n", choice.n_left_out);
	for (size_t i = 0; i < choice.n_regions; i++)
		write_facts(summary, &summary->regions[choice.regions[i]], stream);
	rs_choice_finish(&choice);
	return done;
}

static bool write_findings(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct rs_findings findings;
	bool done = rs_findings_make(&findings, summary);
	for (size_t i = 0; i < findings.n; i++) {
		const struct rs_finding *finding = &findings.items[i];
		if (finding->severity == RS_DETAIL && !options->verbose)
			continue;
		fputs(finding->severity == RS_WARNING ? "\n- **warning:** " : "\n- ", stream);
		rs_markdown_text(finding->whole, true, stream);
		putc('\n', stream);
	}
	rs_findings_finish(&findings);
	return done;
}

static bool write_all(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_grid grid;
	if (options->label) {
		fputs("\n## Run ", stream);
		rs_markdown_text(rs_text_shown(summary->label).text, false, stream);
		fputs("\n\n", stream);
	}
	write_headline(summary, options, stream);
	if (!write_tree(summary, options, arena, stream) ||
		!write_threads(summary, options, arena, stream) ||
		!rs_works_make(&grid, summary, options, arena) ||
		(grid.n_rows > 0 && !rs_markdown_grid(&grid, stream)) ||
		!rs_ranks_make(&grid, summary, options, arena) ||
		(grid.n_rows > 0 && !rs_markdown_grid(&grid, stream)) ||
		!write_events(summary, options, arena, stream) ||
		!rs_totals_make(&grid, summary, options, arena))
		return false;
	bool has_totals = rs_event_table_is_wanted(summary, options) || summary->n_merged == 0;
	if (has_totals && grid.n_rows > 0 && !rs_markdown_grid(&grid, stream))
		return false;
	return write_findings(summary, options, stream);
}

bool rs_report_markdown(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_report_options unlimited = {.utf8 = true,
		.all = options->all,
		.view = options->view,
		.verbose = options->verbose,
		.label = options->label};
	struct rs_arena arena = {0};
	bool done = write_all(summary, &unlimited, &arena, stream);
	rs_arena_finish(&arena);
	return done;
}
