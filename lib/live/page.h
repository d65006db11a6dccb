/* SPDX-License-Identifier: MIT */
/*
 * These functions make the text that the live view shows: a table of all regions, or one region in
 * detail. Values and words are the same as in reports.
 */
#ifndef RS_LIVE_PAGE_H
#define RS_LIVE_PAGE_H

#include "live/watch.h"
#include "segment/layout.h"

enum rs_live_sort {
	RS_LIVE_BY_TOTAL,
	RS_LIVE_BY_SELF,
	/* RS_LIVE_BY_CALLS and RS_LIVE_BY_P99 sort by values of the latest interval */
	RS_LIVE_BY_CALLS,
	RS_LIVE_BY_P99,
	RS_LIVE_BY_NAME,
	RS_LIVE_SORTS,
};

/* The user's choices for the view. */
struct rs_live_view {
	int width; /* width of the screen in columns */
	bool utf8;
	enum rs_live_sort sort;
	char region[RS_NAME_BYTES]; /* name of the selected region; "": none yet */
	bool is_detail; /* show only the selected region, in detail */
};

struct rs_live_page {
	char **lines; /* the lines of the page, without newlines */
	size_t n_lines;
	size_t n_head; /* how many lines at the top of the screen do not scroll */
	/* for each line, the name of the region that it shows, or NULL; the names belong to the
	 * summary */
	const char **regions;
	char *text; /* memory of all lines; owned */
};

/* Return the name of a sort key, a static string. */
const char *rs_live_sort_word(enum rs_live_sort sort);

/* Make the page of the latest snapshot. The page is valid until the next snapshot. The caller
 * releases it with rs_live_page_finish(). Return false if memory runs out. */
bool rs_live_page_make(
	struct rs_live_page *page, const struct rs_watch *watch, const struct rs_live_view *view);

/* Release the contents of page, which may be zeroed. */
void rs_live_page_finish(struct rs_live_page *page);

#endif
