/* SPDX-License-Identifier: MIT */
/*
 * A view tells which regions and columns a report shows and in which order. The user chooses it
 * with options. A zeroed struct is the view without options.
 */
#ifndef RS_REPORT_VIEW_H
#define RS_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "report/columns.h"

#define RS_VIEW_LEAST_WIDTH 20u
#define RS_VIEW_MOST_WIDTH 10000u

/* Keys that order regions. */
enum rs_sort_key {
	RS_SORT_USUAL, /* total in the tree, on-CPU self time in the table of events */
	RS_SORT_STATISTIC, /* this key plus the index of a statistic is the key of that statistic */
	RS_SORT_NAME = RS_SORT_STATISTIC + RS_STATISTIC_N,
	RS_SORT_ORDER, /* order in which regions were first seen */
	RS_SORT_N,
};

/* Texts in the order in which the user gave them. */
struct rs_texts {
	const char **items; /* the texts are borrowed */
	size_t n;
};

struct rs_view {
	size_t top; /* greatest number of regions to show; 0: no limit */
	enum rs_sort_key sort;
	const char *by; /* event that the tree shows and whose values order regions; NULL: time */
	struct rs_texts globs; /* regions to show; empty: all regions */
	struct rs_columns_wish columns;
	struct rs_percentiles percentiles; /* percentiles for the summary to compute */
	/* REGION[:EVENT]: the histograms that the summary must keep */
	struct rs_texts histograms;
	int width; /* width of tables in columns; 0: the width of the output */
};

/* Return true if the view shows a region with this name. */
bool rs_view_has(const struct rs_view *view, const char *name);

/* Return the column of the summary for view->by. If regions do not have this event, return the
 * column of time. */
size_t rs_view_column(const struct rs_view *view, const struct rs_summary *summary);

/* ---- order ---- */

/* Return the name of a key, or NULL if --sort does not accept it. The name is in static storage. */
const char *rs_sort_word(enum rs_sort_key key);

/* Find the key with this name. Return false if there is none. */
bool rs_sort_find(enum rs_sort_key *key, const char *word);

/*
 * Fill order[n] with the indexes of regions[n] in the order of a key: largest values first, but
 * names in alphabetical order. Regions without the value come last. Regions with equal values keep
 * their order. column: the column of the summary whose statistic the key names.
 */
void rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key, struct rs_arena *arena);

/* ---- choice ---- */

struct rs_report_options;

struct rs_choice {
	size_t *regions; /* indexes of the regions, in the order in which to show them */
	size_t n_regions;
	size_t n_not_shown; /* how many regions of the view rs_choice_limit() dropped */
};

/*
 * Choose the regions to show. If options->all is true, choose all regions of the view. Otherwise
 * choose at most view.top of them, unless top is 0. The choice is allocated from arena.
 */
void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* Drop all regions after the first `most`. */
void rs_choice_limit(struct rs_choice *choice, size_t most);

#endif
