/* SPDX-License-Identifier: MIT */
/*
 * This file writes the table report. It reads a finished summary. It writes the headline, the table
 * of all regions, the tables that options ask for (threads, work, events, histograms), the totals
 * of the run, and findings.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/details.h"
#include "report/distributions.h"
#include "report/event_table.h"
#include "report/findings.h"
#include "report/format.h"
#include "report/headline.h"
#include "report/ranks_table.h"
#include "report/style.h"
#include "report/work_table.h"
#include "report/threads.h"
#include "report/tree_table.h"

#define LEAST_TREE 12u
#define DETAILED_REGIONS 5u /* if the user asks for neither more nor fewer */
/* lines of a screen for the headline, headings, last rows, findings and the prompt */
#define OTHER_LINES 11u
#define SHOWN_NAME_BYTES (4u * RS_NAME_BYTES)

/* Return the greatest number of lines for the tree. */
static size_t tree_lines(const struct rs_summary *summary, const struct rs_report_options *options,
	size_t n_event_rows)
{
	size_t used = OTHER_LINES;
	if (options->height == 0 || options->all || options->view.top > 0)
		return SIZE_MAX;
	if (n_event_rows > 0)
		used += 2 + DETAILED_REGIONS * n_event_rows + 2 + summary->n_columns -
			RS_EVENT_FIRST + 1;
	size_t height = (size_t)options->height;
	return height > used + LEAST_TREE ? height - used : LEAST_TREE;
}

static bool write_tree(const struct rs_summary *summary, const struct rs_report_options *options,
	size_t most, struct rs_arena *arena, FILE *stream)
{
	struct rs_tree_table table;
	if (summary->n_merged == 0)
		return true;
	putc('\n', stream);
	bool done = rs_tree_table_make(&table, summary, options, most, arena) &&
		    rs_tree_table_write(&table, stream);
	rs_tree_table_finish(&table);
	return done;
}

/* Return the greatest number of regions in the table of events. */
static size_t most_regions(const struct rs_report_options *options, size_t n_rows)
{
	if (options->all || (options->height == 0 && !options->is_terminal))
		return SIZE_MAX;
	size_t height = (size_t)options->height, fit = n_rows > 0 ? height / 2 / n_rows : 0;
	return fit > DETAILED_REGIONS ? fit : DETAILED_REGIONS;
}

static bool write_events(const struct rs_summary *summary, const struct rs_report_options *options,
	const struct rs_choice *choice, struct rs_arena *arena, FILE *stream)
{
	struct rs_grid grid;
	if (choice->n_regions == 0)
		return true;
	putc('\n', stream);
	if (!rs_event_table_make(&grid, summary, choice, options, arena) ||
		!rs_grid_write(&grid, options, stream))
		return false;
	if (choice->n_left_out > 0)
		fprintf(stream, "%zu more %s%s: --all\n", choice->n_left_out,
			summary->n_places > 0 ? "row" : "region",
			choice->n_left_out == 1 ? "" : "s");
	for (size_t i = 0; options->verbose && i < choice->n_regions; i++)
		rs_details_write(summary, &summary->regions[choice->regions[i]], options, stream);
	return true;
}

static bool write_totals(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	struct rs_grid grid;
	if (!rs_totals_make(&grid, summary, options, arena))
		return false;
	if (grid.n_rows == 0)
		return true;
	putc('\n', stream);
	return rs_grid_write(&grid, options, stream);
}

/* Write the meaning of each event, for -v. */
static void write_meanings(const struct rs_summary *summary, FILE *stream)
{
	bool any = false;
	for (size_t i = 0; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		char name[SHOWN_NAME_BYTES], help[SHOWN_NAME_BYTES];
		if (!column->help)
			continue;
		rs_text_escape(name, sizeof(name), column->name);
		rs_text_escape(help, sizeof(help), column->help);
		fprintf(stream, "%s  %s: %s\n", any ? "" : "\n", name, help);
		any = true;
	}
}

static bool write_all(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_choice *choice, struct rs_arena *arena, FILE *stream)
{
	bool has_events = rs_event_table_is_wanted(summary, options);
	size_t n_rows = 0;
	if (has_events && choice->n_regions > 0)
		n_rows = rs_event_table_rows(
			summary, choice, options, &summary->regions[choice->regions[0]]);
	if (options->label)
		fprintf(stream, "\n%sRun %s%s\n\n", rs_style_get(options->color)->bold,
			rs_text_shown(summary->label).text, rs_style_get(options->color)->off);
	rs_headline_write(summary, options, stream);
	if (!write_tree(summary, options, tree_lines(summary, options, n_rows), arena, stream) ||
		!rs_threads_write(summary, options, arena, stream) ||
		!rs_works_write(summary, options, arena, stream) ||
		!rs_ranks_write(summary, options, arena, stream))
		return false;
	if (options->view.top == 0)
		rs_choice_limit(choice, most_regions(options, n_rows));
	if (has_events && !write_events(summary, options, choice, arena, stream))
		return false;
	bool has_totals = has_events || summary->n_merged == 0;
	if (!rs_distributions_write(summary, options, arena, stream) ||
		(has_totals && !write_totals(summary, options, arena, stream)))
		return false;
	struct rs_findings findings;
	bool done = rs_findings_make(&findings, summary);
	rs_findings_write(&findings, options, stream);
	rs_findings_finish(&findings);
	if (options->verbose)
		write_meanings(summary, stream);
	return done;
}

bool rs_report_table(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct rs_arena arena = {0};
	struct rs_choice choice;
	if (!rs_choice_make(&choice, summary, options, SIZE_MAX))
		return false;
	bool done = write_all(summary, options, &choice, &arena, stream);
	rs_choice_finish(&choice);
	rs_arena_finish(&arena);
	return done;
}
