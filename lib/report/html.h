/* SPDX-License-Identifier: MIT */
/*
 * The HTML report: one file without references to others. This header is the interface between its
 * parts: html.c makes the page, and one file writes each section.
 */
#ifndef RS_REPORT_HTML_H
#define RS_REPORT_HTML_H

#include "report/cells.h"
#include "report/findings.h"
#include "report/grid.h"
#include "report/tree.h"
#include "stats/density.h"

/* Kinds of time, each with one colour everywhere. */
enum rs_html_kind {
	RS_HTML_ON_CPU,
	RS_HTML_PREEMPTED,
	RS_HTML_BLOCKED,
	RS_HTML_KINDS,
};

/* A time in its kinds. */
struct rs_html_split {
	double ns[RS_HTML_KINDS];
	bool is_known; /* false: all of it is in ns[0] */
};

/* What the page needs of a merged region besides the summary. */
struct rs_html_region {
	bool is_shown; /* the reader did not exclude it */
	bool has_panel; /* the page has a panel with its details */
	struct rs_density time, cpu_time;
	/* off-CPU part of each bin of time; NULL: unknown */
	double *off;
};

struct rs_html {
	FILE *stream;
	const struct rs_summary *summary;
	/* the same run with a row for each thread or process; NULL: there is none */
	const struct rs_summary *split;
	const struct rs_report_options *options;
	struct rs_arena arena;
	struct rs_findings findings;
	struct rs_tree tree; /* the regions in the order of the page */
	struct rs_html_region *regions; /* one for each merged region */
	/* the axis of lengths that the rows of the tree share, in bins of a density; equal: none */
	int axis_first, axis_end;
	size_t by; /* column of the summary that the icicle shows first */
	size_t selected; /* merged region whose panel is shown first; RS_NO_ROW: none */
};

/* ---- html_write.c ---- */

/* Write text between before and after. Markup in text and characters that cannot be shown are
 * escaped, so it may be content or a quoted attribute. before and after are HTML. */
void rs_html_text(FILE *stream, const char *before, const char *text, const char *after);

/* A number as HTML. */
struct rs_html_number {
	char text[RS_CELL_TEXT_BYTES + 32];
};

/* Return a number with its unit, for a sentence, or for a column in which digits line up. The unit
 * must not come from a program. */
struct rs_html_number rs_html_number(const struct rs_cell_text *cell);
struct rs_html_number rs_html_aligned(const struct rs_cell_text *cell);

/* Return a time or another total with three digits, or a share of 1 as a percentage. */
struct rs_html_number rs_html_amount(double amount, bool is_ns);
struct rs_html_number rs_html_percent(double share, int digits);
static inline struct rs_html_number rs_html_time(double ns)
{
	return rs_html_amount(ns, true);
}

extern const struct rs_cell_column rs_html_time_column;

/* Format the share of a region's self time. */
void rs_html_share(struct rs_cell_text *cell, const struct rs_html *html, size_t region);

/* Write a table cell. attributes: begins with a space, or is "". field: the exact number, by which
 * a column is sorted, or absent. */
void rs_html_cell(FILE *stream, const char *attributes, const struct rs_cell_text *cell,
	struct rs_field field);

/* Write a number with its name below it. Both are HTML. */
void rs_html_fact(FILE *stream, const char *name, const char *number);

/* Write a bar of three kinds. width: its share of the room, 0 to 1. */
void rs_html_bar(FILE *stream, const struct rs_html_split *split, double width);

/* Write the bar of a whole time, with the percentages of its n kinds. */
void rs_html_wide_bar(FILE *stream, const char *class, const double *parts, size_t n);

/* Write a grid as a table. */
void rs_html_grid(FILE *stream, struct rs_grid *grid);

/* Write everything before the body of a page. script: with the script of the report. */
void rs_html_head(FILE *stream, const char *title, bool has_script);

static inline const struct rs_summary_region *rs_html_region(
	const struct rs_html *html, size_t line)
{
	return &html->summary->merged[html->tree.lines[line].region];
}

/* Return the total or the self time of a region, or of the row of a thread, in its kinds. */
struct rs_html_split rs_html_total(const struct rs_summary_region *region);
struct rs_html_split rs_html_self(const struct rs_summary_region *region);

/* Write the name of a region, as a link to its panel if it has one. */
void rs_html_link(const struct rs_html *html, size_t region);

/* Write the numbers of the findings that name a region, as links to them. */
void rs_html_badges(const struct rs_html *html, size_t region);

/* Write the name of a thread or process. */
void rs_html_place(const struct rs_html *html, const struct rs_summary_process *process,
	const struct rs_summary_thread *thread);

/* Write a table that other reports have too, below a heading. */
typedef void rs_html_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);
void rs_html_table(struct rs_html *html, const char *heading, rs_html_make_grid *make);

/* ---- the sections ---- */

#define RS_HTML_PEAK 100 /* height of the highest bin, in units of the drawings */

/* Where a drawing begins. */
struct rs_html_base {
	int x; /* bin that is at 0 */
	int y;
	bool is_below; /* draw downward */
};

/* Write a closed path through the bins of a density. Equal neighbours share a line. values: one for
 * each bin; scale: height of the value 1. */
void rs_html_steps(FILE *stream, const char *class, const struct rs_density *density,
	const double *values, double scale, const struct rs_html_base *base);

/* Return the largest share of a bin. */
double rs_html_peak(const struct rs_density *density);

/* Write the drawings of all distributions, which the sections use by reference. */
void rs_html_drawings(struct rs_html *html);

/* Write the marks of an axis of lengths from bin first to bin end. */
void rs_html_axis(FILE *stream, int first, int end);

/* Write the distribution of a region, with cpu-time below the line. */
void rs_html_distribution(struct rs_html *html, size_t region);

/* Write the shape of any value, small. */
void rs_html_spark(struct rs_html *html, const struct rs_value *value);

void rs_html_header(const struct rs_html *html);
void rs_html_findings(const struct rs_html *html);
void rs_html_footer(struct rs_html *html);
void rs_html_tree(const struct rs_html *html);
void rs_html_icicle(struct rs_html *html);
void rs_html_threads(struct rs_html *html);
void rs_html_panels(struct rs_html *html);

/* ---- files beside this one, made by html_files.py ---- */

extern const char rs_html_css[], rs_html_js[], rs_html_js_hash[];

#endif
