/* SPDX-License-Identifier: MIT */
/*
 * The order in which regions are shown.
 */
#ifndef RS_REPORT_SORT_H
#define RS_REPORT_SORT_H

#include "report/view.h"
#include "stats/summary.h"

/* What a key is called; NULL: readers cannot ask for it. Static storage. */
const char *rs_sort_word(enum rs_sort_key key);

/* The key of that name. False: there is none. */
bool rs_sort_find(enum rs_sort_key *key, const char *word);

/*
 * Put regions in order: most first, names from A on; those without the number last, equal ones as
 * they were first seen.
 * column: of the summary, whose values count. order[n]: filled with the indexes of regions[n].
 * False: no memory.
 */
bool rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key);

#endif
