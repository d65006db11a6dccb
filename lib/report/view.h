/* SPDX-License-Identifier: MIT */
/*
 * The reader's view of a summary: which regions, in which order. Zeroed: the view without options.
 */
#ifndef RS_REPORT_VIEW_H
#define RS_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "report/columns.h"

#define RS_VIEW_GLOBS 64u
#define RS_VIEW_HISTOGRAMS 32u
#define RS_VIEW_LEAST_WIDTH 20u
#define RS_VIEW_MOST_WIDTH 10000u

/* The keys by which regions are ordered. */
enum rs_sort_key {
	RS_SORT_USUAL, /* a tree by total, events by self time on the CPU */
	RS_SORT_STATISTIC, /* and its index: by that */
	RS_SORT_NAME = RS_SORT_STATISTIC + RS_STATISTIC_N,
	RS_SORT_ORDER, /* in which regions were first seen */
	RS_SORT_N,
};

struct rs_view {
	size_t top; /* as many regions at most; 0: not set */
	enum rs_sort_key sort;
	const char *by; /* the event whose values the glance and the order are of; NULL: time */
	const char *globs[RS_VIEW_GLOBS]; /* of the regions to show; borrowed */
	size_t n_globs; /* 0: all */
	struct rs_columns_wish columns;
	struct rs_percentiles percentiles; /* for the summary to have them */
	const char *histograms[RS_VIEW_HISTOGRAMS]; /* for the summary to have them; borrowed */
	size_t n_histograms;
	int width; /* of tables, in columns; 0: that of where they go */
};

/* Whether a region of that name is to be shown. */
bool rs_view_has(const struct rs_view *view, const char *name);

/* The column of the summary that a view is by; that of time where the summary has no such one in
 * regions. */
size_t rs_view_column(const struct rs_view *view, const struct rs_summary *summary);

/* ---- order ---- */

/* The name of a key; NULL: readers cannot ask for it. Static storage. */
const char *rs_sort_word(enum rs_sort_key key);

/* The key of that name. False: there is none. */
bool rs_sort_find(enum rs_sort_key *key, const char *word);

/*
 * Put regions in order: most first, names from A on. Those without the number come last, equal
 * ones as they were first seen. column: of the summary, whose values count. order[n]: filled with
 * the indexes of regions[n]. False: no memory.
 */
bool rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key);

/* ---- choice ---- */

struct rs_report_options;

struct rs_choice {
	bool parts; /* a row for each part of an event too */
	size_t column; /* of the summary, by which regions are ordered */
	size_t *regions; /* indexes, in the order to show them; owned */
	size_t n_regions;
	size_t n_left_out; /* that do not fit, although the reader did not exclude them */
};

/*
 * Choose of the regions that the view has: all if options say so, else its top, else most.
 * choice: filled; release with rs_choice_finish(). False: no memory.
 */
bool rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most);

/* Keep the first `most` regions. */
void rs_choice_limit(struct rs_choice *choice, size_t most);

/* Release what the choice owns. choice: filled or zeroed. */
void rs_choice_finish(struct rs_choice *choice);

/* Whether regions have a row for this column of the summary. */
bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column);

#endif
