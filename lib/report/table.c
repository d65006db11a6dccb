/* SPDX-License-Identifier: MIT */
/*
 * The table for people. Comes in: a finished summary. Goes out: for each region a head line and
 * its rows, then the whole run, then what the reader should know. Text from the program or the
 * user is escaped on its way out, numbers are aligned as report/table_layout.h found them to be.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/template_name.h"
#include "base/text.h"
#include "base/width.h"
#include "report/metric_rows.h"
#include "report/distributions.h"
#include "report/glance.h"
#include "report/notes.h"
#include "report/report.h"
#include "report/style.h"
#include "report/table_layout.h"
#include "report/table_off_cpu.h"
#include "report/table_slowest.h"
#include "report/table_tails.h"
#include "report/threads.h"
#include "report/table_work.h"
#include "report/whole_run.h"

#define INDENT 2u
#define GAP 2u
#define HEAD_GAP "   "
#define LABEL_BYTES 512u
#define SHOWN_NAME_BYTES (4u * RS_NAME_BYTES)
#define SHOWN_COMM_BYTES (4u * 16u) /* of a process or thread */
#define HEAD_BYTES 512u
#define DETAILED_REGIONS 5u /* where nobody asked for more or fewer */
#define WORDS_COLUMN 1u /* whose end the words in place of a distribution are aligned to */

/* Add to the head line of a region one figure and its word, in the plural unless it is one. */
static void add_figure(char *head, uint64_t value, const char *word)
{
	char digits[RS_TEXT_INTEGER_BYTES];
	size_t used = strlen(head);
	snprintf(head + used, HEAD_BYTES - used, HEAD_GAP "%s %s%s",
		rs_text_unsigned(digits, value), word, value == 1 ? "" : "s");
}

/* Add to the head line of a region whose row it is. name: "" for none. */
static void add_place(char *head, const char *word, const char *label, const char *name)
{
	char shown[SHOWN_COMM_BYTES];
	size_t used = strlen(head);
	rs_text_escape(shown, sizeof(shown), name);
	snprintf(head + used, HEAD_BYTES - used, HEAD_GAP "%s %s%s%s%s", word, label,
		*shown ? " (" : "", shown, *shown ? ")" : "");
}

/* What stands behind the region's name. head[HEAD_BYTES]: filled; begins with HEAD_GAP. */
static void format_head(char *head, const struct rs_summary_region *region, bool verbose)
{
	size_t used;
	head[0] = '\0';
	if (region->process && region->process->has_rank) {
		char rank[16];
		snprintf(rank, sizeof(rank), "%" PRIu32, region->process->rank);
		add_place(head, "rank", rank, "");
	}
	if (region->process)
		add_place(head, "process", region->process->label,
			verbose ? region->process->name : "");
	if (region->thread)
		add_place(
			head, "thread", region->thread->label, verbose ? region->thread->name : "");
	add_figure(head, region->calls, "call");
	if (!region->thread || region->n_threads > 1)
		add_figure(head, region->n_threads, "thread");
	if (region->calls == 0 || !region->values[0].has_total)
		return;
	struct rs_cell_text time;
	rs_format_total(&time, RS_QUANTITY_NS, region->values[0].total,
		region->values[0].status == RS_VALUE_SCALED);
	used = strlen(head);
	snprintf(head + used, HEAD_BYTES - used, HEAD_GAP "%s", time.text);
	if (!isfinite(region->share))
		return;
	used = strlen(head);
	snprintf(head + used, HEAD_BYTES - used, HEAD_GAP "%.1f%% of %s time", region->share * 100,
		region->n_threads == 1 ? "its" : "their");
}

/* The head line; on a terminal that is too narrow for it, the name has a line of its own. */
static void write_head(const struct rs_summary_region *region,
	const struct rs_report_options *options, const struct rs_style *style, FILE *stream)
{
	char name[SHOWN_NAME_BYTES], cut[2 * SHOWN_NAME_BYTES + 8], head[HEAD_BYTES];
	rs_text_escape(name, sizeof(name), region->name);
	format_head(head, region, options->verbose);
	size_t width = options->width > 0 ? (size_t)options->width : SIZE_MAX;
	bool apart = rs_width_of(name) + strlen(head) > width;
	if (rs_width_of(name) <= width ||
		!rs_template_name(cut, sizeof(cut), name, width, options->utf8))
		rs_width_cut(cut, sizeof(cut), name, width);
	fprintf(stream, "%s%s%s%s%s\n", style->bold, cut, style->off, apart ? "\n" : "",
		apart ? head + sizeof(HEAD_GAP) - 1 - INDENT : head);
}

/* Write text right-aligned to the display column end; position: where the line is, advanced. */
static void write_right(const struct rs_cell_text *cell, size_t end, size_t *position,
	const struct rs_style *style, FILE *stream)
{
	size_t width = strlen(cell->text);
	size_t pad = *position + width < end ? end - *position - width : 0;
	fprintf(stream, "%*s%.*s", (int)pad, "", (int)cell->unit, cell->text);
	if (cell->text[cell->unit])
		fprintf(stream, "%s%s%s", style->dim, cell->text + cell->unit, style->off);
	*position += pad + width;
}

static void write_titles(const struct rs_table_layout *layout, const struct rs_summary *summary,
	const struct rs_style *style, FILE *stream)
{
	size_t position = 0;
	fputs(style->dim, stream);
	for (size_t i = 0; i < layout->n_columns; i++) {
		const char *title = rs_column_title(summary, layout->columns[i]);
		size_t width = layout->ends[i] - position;
		fprintf(stream, "%*s", (int)width, title);
		position = layout->ends[i];
	}
	fprintf(stream, "%s\n", style->off);
}

static void write_metrics(const struct rs_summary_region *region, size_t row,
	const struct rs_table_layout *layout, size_t *position, const struct rs_style *style,
	FILE *stream)
{
	size_t start = layout->ends[layout->n_columns - 1] + GAP;
	for (size_t m = 0; m < region->n_metrics; m++) {
		const struct rs_metric *metric = &region->metrics[m];
		struct rs_cell_text cell;
		if (metric->column != row)
			continue;
		rs_format_metric(&cell, metric->name, metric->unit, metric->value);
		write_right(&cell, start + strlen(cell.text), position, style, stream);
		start = *position + GAP;
	}
}

static void write_row(const struct rs_summary *summary, const struct rs_summary_region *region,
	size_t row, const struct rs_table_layout *layout, const struct rs_style *style,
	FILE *stream)
{
	char label[LABEL_BYTES];
	struct rs_cell_text cell;
	const char *unit = summary->columns[row].unit;
	size_t position = INDENT + rs_table_label(label, sizeof(label), &summary->columns[row]);
	size_t n_unit = strcmp(unit, "count") != 0 ? strlen(unit) + 2 : 0;
	size_t n_name = strlen(label) > n_unit ? strlen(label) - n_unit : 0;
	fprintf(stream, "%*s%.*s%s%s%s", (int)INDENT, "", (int)n_name, label,
		n_unit > 0 ? style->dim : "", label + n_name, n_unit > 0 ? style->off : "");
	rs_table_words(&cell, &region->values[row]);
	if (cell.text[0]) {
		size_t end = layout->ends[WORDS_COLUMN];
		size_t least = position + GAP + strlen(cell.text);
		write_right(&cell, least > end ? least : end, &position, style, stream);
	}
	for (size_t i = 0; i < layout->n_columns; i++) {
		rs_table_cell(&cell, summary, region, row, layout->columns[i]);
		if (cell.text[0])
			write_right(&cell, layout->ends[i], &position, style, stream);
	}
	write_metrics(region, row, layout, &position, style, stream);
	putc('\n', stream);
}

/* What only a curious reader wants to know of a region. */
static void write_details(const struct rs_summary_region *region, FILE *stream)
{
	const struct rs_own_cost *cost = &region->own_cost;
	struct rs_cell_text start;
	char ratio[RS_SLOWEST_RATIO_BYTES];
	rs_format_total(&start, RS_QUANTITY_NS, region->slowest_start_ns, false);
	rs_slowest_ratio_text(ratio, region);
	if (region->slowest)
		fprintf(stream, "  slowest call: %s after the start, process %u, thread %u%s%s\n",
			start.text, (unsigned)region->slowest_pid, (unsigned)region->slowest_tid,
			ratio[0] ? ", " : "", ratio);
	if (cost->known && isfinite(cost->share))
		fprintf(stream,
			"  overhead: at least %.*f ns a call, %.3g%% of the CPU time of its calls "
			"and markers\n",
			cost->call_ns < 100 ? 1 : 0, cost->call_ns, cost->share * 100);
	if (region->slowest || cost->known)
		putc('\n', stream);
}

static void write_region(const struct rs_summary *summary, size_t index,
	const struct rs_choice *choice, const struct rs_table_layout *layout,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_summary_region *region = &summary->regions[index];
	const struct rs_style *style = rs_style_get(options->color);
	write_head(region, options, style, stream);
	putc('\n', stream);
	if (region->calls == 0)
		return;
	write_titles(layout, summary, style, stream);
	for (size_t row = 0; row < summary->n_columns; row++)
		if (rs_choice_has_row(choice, summary, row))
			write_row(summary, region, row, layout, style, stream);
	rs_metric_rows_of_region(region, INDENT, layout->ends[0], options, stream);
	rs_table_work(summary, region, options, stream);
	rs_table_tails(summary, region, options, stream);
	if (!options->verbose)
		rs_table_slowest(summary, region, options, stream);
	rs_table_off_cpu(region, options, stream);
	putc('\n', stream);
	if (options->verbose)
		write_details(region, stream);
}

static void write_left_out(
	const struct rs_summary *summary, const struct rs_choice *choice, FILE *stream)
{
	char digits[RS_TEXT_INTEGER_BYTES];
	bool one = choice->n_left_out == 1;
	bool is_split = summary->n_regions > 0 &&
			(summary->regions[0].process || summary->regions[0].thread);
	fprintf(stream, "%s more %s%s (--all shows %s in detail)\n\n",
		rs_text_unsigned(digits, choice->n_left_out), is_split ? "row" : "region",
		one ? "" : "s", one ? "it" : "them");
}

/* What each event means, for whoever asked for more. */
static void write_meanings(const struct rs_summary *summary, FILE *stream)
{
	bool any = false;
	for (size_t i = 0; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		char name[LABEL_BYTES], help[LABEL_BYTES];
		if (!column->help)
			continue;
		rs_text_escape(name, sizeof(name), column->name);
		rs_text_escape(help, sizeof(help), column->help);
		fprintf(stream, "%s  %s: %s\n", any ? "" : "\n", name, help);
		any = true;
	}
}

bool rs_report_table(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct rs_table_layout layout;
	struct rs_choice choice;
	putc('\n', stream);
	if (!rs_choice_make(&choice, summary, options, DETAILED_REGIONS))
		return false;
	rs_table_layout(&layout, summary, options, &choice);
	for (size_t i = 0; i < choice.n_regions; i++)
		write_region(summary, choice.regions[i], &choice, &layout, options, stream);
	if (choice.n_left_out > 0)
		write_left_out(summary, &choice, stream);
	rs_choice_finish(&choice);
	if (!rs_glance_write(summary, options, stream) ||
		!rs_threads_write(summary, options, stream))
		return false;
	rs_distributions_write(summary, options, stream);
	rs_report_whole_run(summary, options, stream);
	rs_hint_write(summary, options, stream);
	if (options->verbose)
		write_meanings(summary, stream);
	rs_notes_write(summary, options, stream);
	return true;
}
