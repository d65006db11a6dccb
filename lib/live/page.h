/* SPDX-License-Identifier: MIT */
/*
 * The text of a screen: all regions, or one region in detail. Figures and words are those of reports.
 */
#ifndef RS_LIVE_PAGE_H
#define RS_LIVE_PAGE_H

#include "live/watch.h"
#include "segment/layout.h"

enum rs_live_sort {
	RS_LIVE_BY_TOTAL,
	RS_LIVE_BY_SELF,
	RS_LIVE_BY_CALLS, /* in the latest interval, as p99 */
	RS_LIVE_BY_P99,
	RS_LIVE_BY_NAME,
	RS_LIVE_SORTS,
};

/* What the user chose. */
struct rs_live_view {
	int width; /* columns of the screen */
	bool utf8;
	enum rs_live_sort sort;
	char region[RS_NAME_BYTES]; /* the selected region; "": none yet */
	bool is_detail; /* show the selected region alone */
};

struct rs_live_page {
	char **lines; /* the text, without newlines */
	size_t n_lines;
	size_t n_head; /* the first lines, which do not scroll */
	const char **regions; /* for each line, the name of its region, or NULL; in the summary */
	char *text; /* owns lines */
};

/* Return the word of a sort key, in static storage. */
const char *rs_live_sort_word(enum rs_live_sort sort);

/* Make the page of the latest look. It lasts until the next look. The caller releases page with
 * rs_live_page_finish(). Return false if memory runs out. */
bool rs_live_page_make(
	struct rs_live_page *page, const struct rs_watch *watch, const struct rs_live_view *view);

/* Release the page, which may be zeroed. */
void rs_live_page_finish(struct rs_live_page *page);

#endif
