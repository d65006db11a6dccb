/* SPDX-License-Identifier: MIT */
/*
 * A reader's choice of regions, columns and order. A zeroed struct is the choice of a reader who
 * gives no options.
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

/* Keys that order regions. */
enum rs_sort_key {
	RS_SORT_USUAL, /* total in the tree, on-CPU self time in the table of events */
	RS_SORT_STATISTIC, /* plus the index of a statistic */
	RS_SORT_NAME = RS_SORT_STATISTIC + RS_STATISTIC_N,
	RS_SORT_ORDER, /* order in which regions were first seen */
	RS_SORT_N,
};

struct rs_view {
	size_t top; /* greatest number of regions to show; 0: no limit */
	enum rs_sort_key sort;
	const char *by; /* event that the tree shows and that orders regions; NULL: time */
	const char *globs[RS_VIEW_GLOBS]; /* regions to show; borrowed */
	size_t n_globs; /* 0: show all regions */
	struct rs_columns_wish columns;
	struct rs_percentiles percentiles; /* percentiles that the summary must compute */
	/* histograms that the summary must keep; borrowed */
	const char *histograms[RS_VIEW_HISTOGRAMS];
	size_t n_histograms;
	int width; /* columns of a table; 0: the width of the output */
};

/* Return true if a region with this name is to be shown. */
bool rs_view_has(const struct rs_view *view, const char *name);

/* Return the column of the summary for view->by, or that of time if regions do not have this
 * event. */
size_t rs_view_column(const struct rs_view *view, const struct rs_summary *summary);

/* ---- order ---- */

/* Return the name of a key, or NULL if readers cannot ask for it. The name is in static storage. */
const char *rs_sort_word(enum rs_sort_key key);

/* Find the key with this name. Return false if there is none. */
bool rs_sort_find(enum rs_sort_key *key, const char *word);

/*
 * Fill order[n] with the indexes of regions[n] in the order of a key: largest values first, names
 * from A. Regions without the value come last, and equal regions stay in the order in which they
 * were first seen. column: column of the summary that the key refers to.
 */
void rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key, struct rs_arena *arena);

/* ---- choice ---- */

struct rs_report_options;

struct rs_choice {
	bool parts; /* show the parts of an event too, a row each */
	size_t column; /* column of the summary that orders regions */
	size_t *regions; /* indexes in the order to show them */
	size_t n_regions;
	size_t n_not_shown; /* regions that the reader did not exclude and that do not fit */
};

/*
 * Choose regions of a view: all of them with options->all, else the number in the view's top, else
 * most. The choice lies in arena.
 */
void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most, struct rs_arena *arena);

/* Keep only the first `most` regions. */
void rs_choice_limit(struct rs_choice *choice, size_t most);

/* Return true if regions have a row for this column of the summary. */
bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column);

#endif
