/* SPDX-License-Identifier: MIT */
/*
 * See merge_unended.h: what cells tell of calls that others ended, or nobody did.
 */
#include "stats/merge_unended.h"

/*
 * Asynchronous calls of a region that were started and never stopped, of which only their number
 * over all rows is sure, are told of rows where more were started than stopped. rows[n]: those of
 * the region.
 */
static void tell_pending(struct rs_merged_row *rows, size_t n)
{
	uint64_t pending = 0;
	for (size_t i = 0; i < n; i++)
		pending += rows[i].pending;
	for (size_t i = 0; i < n && (int64_t)pending > 0; i++) {
		uint64_t here = rows[i].pending < pending ? rows[i].pending : pending;
		if ((int64_t)rows[i].pending <= 0)
			continue;
		rs_add_saturating(&rows[i].diag[RS_CELL_DIAG_OPEN], here);
		pending -= here;
	}
}

/* As many off both as there are of either. */
static void take_off(uint64_t *from, uint64_t *moved)
{
	uint64_t here = *from < *moved ? *from : *moved;
	*from -= here;
	*moved -= here;
}

/* Scopes that ended on another thread than they began on are open where they began for good: those
 * are neither open calls nor running ones. Which row each began in is not sure. rows[n]: those of
 * the region. */
static void tell_moved(struct rs_merged_row *rows, size_t n)
{
	uint64_t moved = 0;
	for (size_t i = 0; i < n; i++)
		rs_add_saturating(&moved, rows[i].diag[RS_CELL_DIAG_MOVED]);
	for (size_t i = 0; i < n; i++) {
		take_off(&rows[i].diag[RS_CELL_DIAG_OPEN], &moved);
		take_off(&rows[i].running, &moved);
	}
}

void rs_merge_unended(struct rs_merged_row *rows, size_t n)
{
	tell_moved(rows, n);
	tell_pending(rows, n);
}
