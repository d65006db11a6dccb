/* SPDX-License-Identifier: MIT */
/*
 * What a reader wants to see of a summary: which regions, in which order. Zeroed: what there is to
 * see where nobody asked for anything.
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

/* By what regions are ordered. */
enum rs_sort_key {
	RS_SORT_USUAL, /* a tree by total, events by self time on the CPU */
	RS_SORT_STATISTIC, /* and its index: by that */
	RS_SORT_NAME = RS_SORT_STATISTIC + RS_STATISTIC_N,
	RS_SORT_ORDER, /* in which regions were first seen */
	RS_SORT_N,
};

struct rs_view {
	size_t top; /* as many regions at most; 0: not told */
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

#endif
