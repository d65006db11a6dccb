/* SPDX-License-Identifier: MIT */
/*
 * This file writes the report for people, for a terminal or as Markdown. It reads a finished
 * summary. It writes the headline, the table of all regions, and the tables that options request:
 * threads, work, events, histograms. Then come the totals of the run and the findings.
 */

#include "base/text.h"
#include "report/findings.h"
#include "report/grid.h"
#include "report/tables.h"
#include "report/tree.h"

#define LEAST_TREE 12u
#define DETAILED_REGIONS 5u /* default count of regions with details, without --all and --top */
#define MARKDOWN_REGIONS 20u /* the same count for Markdown */
/* number of lines that a headline of one line, headings, last rows, legend and the prompt need */
#define OTHER_LINES 8u
/* the same number for the empty lines, headings and last row of the tables of events */
#define EVENT_LINES 6u

/* State while the report is written. */
struct page {
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_choice choice;
	struct rs_arena *arena;
	FILE *stream;
	/* the text of the findings, which is made before the tree, since they share the height of
	 * the screen */
	const char *text;
};

static size_t n_newlines(const char *text)
{
	size_t n = 0;
	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* Return how many lines of a terminal are left for the tree and for the rows of the events. */
static size_t shared_lines(const struct page *page, const char *headline, size_t n_event_rows)
{
	size_t height = (size_t)page->options->height;
	size_t used = OTHER_LINES + n_newlines(headline) + n_newlines(page->text);
	if (n_event_rows > 0)
		used += EVENT_LINES + page->summary->n_columns - RS_EVENT_FIRST;
	return height > used ? height - used : 0;
}

/* Return how many regions get rows of events: on a terminal, the rows take half of the lines. */
static size_t most_regions(
	const struct rs_report_options *options, size_t lines, size_t n_event_rows)
{
	if (options->markdown && !options->all)
		return MARKDOWN_REGIONS;
	if (options->all || (options->height == 0 && !options->is_terminal))
		return SIZE_MAX;
	size_t fit = n_event_rows > 0 ? lines / 2 / n_event_rows : 0;
	return fit > DETAILED_REGIONS ? fit : DETAILED_REGIONS;
}

static size_t tree_lines(const struct page *page, size_t lines, size_t n_event_rows)
{
	const struct rs_report_options *options = page->options;
	size_t details = page->choice.n_regions * n_event_rows;
	if (options->all || options->view.top > 0)
		return SIZE_MAX;
	if (options->markdown)
		return MARKDOWN_REGIONS + 1; /* one more line, for the folded regions */
	if (options->height == 0)
		return SIZE_MAX;
	return lines > details + LEAST_TREE ? lines - details : LEAST_TREE;
}

/* ---- tables ---- */

/* Write an empty line before a table. In Markdown, an empty line after each table separates tables
 * instead. */
static void begin_table(const struct page *page)
{
	if (!page->options->markdown)
		putc('\n', page->stream);
}

static void write_tree(struct page *page, size_t most)
{
	if (page->summary->n_merged == 0)
		return;
	begin_table(page);
	rs_tree_table_write(page->summary, page->options, most, page->arena, page->stream);
}

static void write_rows(struct page *page, struct rs_grid *grid)
{
	if (grid->n_rows == 0)
		return;
	begin_table(page);
	rs_grid_write(grid, page->options, page->stream);
}

static void write_grid(struct page *page, rs_make_table *make)
{
	struct rs_grid grid;
	make(&grid, page->summary, page->options, page->arena);
	write_rows(page, &grid);
}

static void write_events(struct page *page, bool has_events)
{
	const struct rs_summary *summary = page->summary;
	const struct rs_report_options *options = page->options;
	const struct rs_choice *choice = &page->choice;
	bool has_details = options->verbose || options->markdown;
	struct rs_grid grid;
	if (!has_events && !options->markdown)
		return;
	if (has_events && choice->n_regions > 0) {
		rs_event_table_make(&grid, summary, choice, options, page->arena);
		if (grid.n_rows == 0 && !has_details)
			return;
		write_rows(page, &grid);
	}
	if (choice->n_not_shown > 0)
		fprintf(page->stream, "%zu more %s%s: --all\n%s", choice->n_not_shown,
			summary->n_places > 0 ? "row" : "region",
			choice->n_not_shown == 1 ? "" : "s", options->markdown ? "\n" : "");
	for (size_t i = 0; has_details && i < choice->n_regions; i++)
		rs_details_write(summary, &summary->regions[choice->regions[i]], options,
			page->arena, page->stream);
}

/* ---- lines of text ---- */

static void write_label(struct page *page)
{
	const struct rs_style *style = rs_style_get(page->options->color);
	const struct rs_text_shown label = rs_text_shown(page->summary->label);
	if (!page->options->markdown) {
		fprintf(page->stream, "\n%sRun %s%s\n\n", style->bold, label.text, style->off);
		return;
	}
	fprintf(page->stream, "\n## Run %s\n\n", rs_markdown_text(label.text, false, page->arena));
}

static void write_headline(struct page *page, const char *text)
{
	if (page->options->markdown)
		fprintf(page->stream, "%s\n\n", rs_markdown_text(text, true, page->arena));
	else
		fprintf(page->stream, "%s\n", text);
}

static void write_meanings(struct page *page)
{
	const struct rs_summary *summary = page->summary;
	bool any = false;
	for (size_t i = 0; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		if (!column->help)
			continue;
		const char *line = rs_arena_format(page->arena, "  %s: %s",
			rs_arena_shown(page->arena, column->name),
			rs_arena_shown(page->arena, column->help));
		fputs(any ? "" : "\n", page->stream);
		fputs(rs_wrapped(line, 4, page->options->width, page->arena), page->stream);
		any = true;
	}
}

/* ---- the whole report ---- */

void rs_report_table(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct page page = {
		.summary = summary, .options = options, .arena = arena, .stream = stream};
	const struct rs_findings findings = rs_findings_make(summary, arena);
	bool has_events = rs_event_table_is_wanted(summary, options);
	size_t n_rows = 0;
	page.text = rs_findings_text(&findings, options, arena);
	rs_choice_make(&page.choice, summary, options, arena);
	if (has_events && page.choice.n_regions > 0)
		n_rows = rs_event_table_rows(
			summary, options, &summary->regions[page.choice.regions[0]]);
	const char *headline = rs_headline_text(summary, options, arena);
	size_t lines = shared_lines(&page, headline, n_rows);
	if (options->view.top == 0)
		rs_choice_limit(&page.choice, most_regions(options, lines, n_rows));
	if (options->label)
		write_label(&page);
	write_headline(&page, headline);
	write_tree(&page, tree_lines(&page, lines, n_rows));
	write_grid(&page, rs_places_make_grid);
	write_grid(&page, rs_spread_make_grid);
	write_grid(&page, rs_works_make);
	write_grid(&page, rs_ranks_make);
	write_events(&page, has_events);
	if (!options->markdown)
		rs_distributions_write(summary, options, arena, stream);
	/* in Markdown, a table right after a list is a part of its last item */
	if (has_events && options->markdown)
		putc('\n', stream);
	if (has_events || summary->n_merged == 0)
		write_grid(&page, rs_totals_make);
	fputs(page.text, stream);
	if (options->verbose && !options->markdown)
		write_meanings(&page);
}
