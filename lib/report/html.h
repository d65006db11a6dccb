/* SPDX-License-Identifier: MIT */
/*
 * The HTML report is one file that refers to no other file. html.c makes the page, and each
 * html_*.c writes one or more of its sections. This header is the interface between these sources.
 */
#ifndef RS_REPORT_HTML_H
#define RS_REPORT_HTML_H

#include "report/findings.h"
#include "report/format.h"
#include "report/tables.h"
#include "stats/density.h"

/* Kinds of time. Each kind has the same colour everywhere on the page. */
enum rs_html_kind {
	RS_HTML_ON_CPU,
	RS_HTML_PREEMPTED,
	RS_HTML_BLOCKED,
	RS_HTML_KINDS,
};

/* A time, split into these kinds. */
struct rs_html_split {
	double ns[RS_HTML_KINDS];
	bool is_known; /* false: the split is unknown, and ns[0] is the whole time */
};

/* Data of a merged region that the page needs and the summary does not contain. */
struct rs_html_region {
	bool is_shown; /* the user did not exclude it */
	bool has_panel; /* the page shows its details in a panel */
	struct rs_density time, cpu_time;
	/* off-CPU part of each bin of `time`; NULL: unknown */
	double *off;
};

struct rs_html {
	FILE *stream;
	const struct rs_summary *summary;
	/* summary of the same run with a row for each thread or process; NULL: none */
	const struct rs_summary *split;
	const struct rs_report_options *options;
	struct rs_arena *arena;
	struct rs_findings findings;
	struct rs_tree tree; /* the regions in the order of the page */
	struct rs_html_region *regions; /* one for each merged region */
	/* All rows of the tree use the same axis for lengths of calls. It begins at bin axis_first
	 * of a density and ends before bin axis_end. If both are equal, there is no axis. */
	int axis_first, axis_end;
	size_t by; /* column of the summary that the icicle (nested boxes) shows first */
	size_t selected; /* merged region whose panel the page shows first; RS_NO_ROW: none */
};

/* ---- html_write.c ---- */

/* Write `before`, then `text`, then `after`. Escape markup and unprintable characters in `text`, so
 * that it can be content or a quoted attribute. `before` and `after` are HTML. */
void rs_html_text(FILE *stream, const char *before, const char *text, const char *after);

/* A number with its unit, as HTML. */
struct rs_html_number {
	char text[RS_CELL_TEXT_BYTES + 32];
};

/* Return the text of a cell as HTML. rs_html_number() returns it for a sentence, and
 * rs_html_aligned() for a column in which digits line up. The functions do not escape the unit, so
 * it must not come from a program. */
struct rs_html_number rs_html_number(struct rs_cell_text cell);
struct rs_html_number rs_html_aligned(struct rs_cell_text cell);

/* Return a time or another total with three digits, or a share from 0 to 1 as a percentage. digits:
 * count of decimals. */
struct rs_html_number rs_html_amount(double amount, bool is_ns);
struct rs_html_number rs_html_percent(double share, int digits);
static inline struct rs_html_number rs_html_time(double ns)
{
	return rs_html_amount(ns, true);
}

extern const struct rs_cell_column rs_html_time_column;

/* Return a region's self time as a share of the whole. */
struct rs_cell_text rs_html_share(const struct rs_html *html, size_t region);

/* Write a table cell. attributes: starts with a space, or is "". field: the exact number, by which
 * the browser sorts the column, or absent. */
void rs_html_cell(
	FILE *stream, const char *attributes, struct rs_cell_text cell, struct rs_field field);

/* Write a number with its name below the number. Both are HTML. */
void rs_html_fact(FILE *stream, const char *name, const char *number);

/* Write a bar that shows the three kinds of a time. width: width of the bar as a share of the
 * space, 0 to 1. */
void rs_html_bar(FILE *stream, const struct rs_html_split *split, double width);

/* Write a bar over the full width, with the percentage of each of parts[n]. */
void rs_html_wide_bar(FILE *stream, const char *class, const double *parts, size_t n);

/* Write everything before the body of a page. has_script: allow the script of the report to run. */
void rs_html_head(FILE *stream, const char *title, bool has_script);

static inline const struct rs_summary_region *rs_html_region(
	const struct rs_html *html, size_t line)
{
	return &html->summary->merged[html->tree.lines[line].region];
}

/* Return the total time or the self time of a region, split into kinds. region may also be a
 * region's row for one thread. */
struct rs_html_split rs_html_total(const struct rs_summary_region *region);
struct rs_html_split rs_html_self(const struct rs_summary_region *region);

/* Write the name of a region. If the region has a panel, the name is a link to this panel. */
void rs_html_link(const struct rs_html *html, size_t region);

/* Write a numbered link to each finding that names a region. */
void rs_html_badges(const struct rs_html *html, size_t region);

/* Write the name of a thread or process. */
void rs_html_place(const struct rs_html *html, const struct rs_summary_process *process,
	const struct rs_summary_thread *thread);

/* Write a heading, then a table that other reports also show. make fills the grid of the table. */
void rs_html_table(struct rs_html *html, const char *heading, rs_make_table *make);

/* ---- the sections ---- */

#define RS_HTML_PEAK 100 /* height of the highest bin, in SVG units */

/* The origin of a drawing. */
struct rs_html_base {
	int x; /* bin whose left edge is at x = 0 */
	int y;
	bool is_below; /* draw downward */
};

/* Write a closed SVG path whose steps are the bins of a density. Draw equal neighbours as one step.
 * values: one for each bin; scale: height of the value 1. */
void rs_html_steps(FILE *stream, const char *class, const struct rs_density *density,
	const double *values, double scale, const struct rs_html_base *base);

/* Return the share of the highest bin. */
double rs_html_peak(const struct rs_density *density);

/* Write the drawings of all distributions. The sections refer to these drawings by id. */
void rs_html_drawings(struct rs_html *html);

/* Write the labels of an axis of times from bin first to bin end. */
void rs_html_axis(FILE *stream, int first, int end);

/* Write the distribution of a region's time. Below the axis, write the distribution of the region's
 * cpu-time. */
void rs_html_distribution(struct rs_html *html, size_t region);

/* Write a small drawing of the distribution of a value. */
void rs_html_spark(struct rs_html *html, const struct rs_value *value);

void rs_html_header(struct rs_html *html);
void rs_html_findings(const struct rs_html *html);
void rs_html_footer(struct rs_html *html);
void rs_html_tree(const struct rs_html *html);
void rs_html_icicle(struct rs_html *html);
void rs_html_threads(struct rs_html *html);
void rs_html_panels(struct rs_html *html);

/* ---- content of html.css and html.js, converted by html_files.py ---- */

extern const char rs_html_css[], rs_html_js[], rs_html_js_hash[];

#endif
