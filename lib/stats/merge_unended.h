/* SPDX-License-Identifier: MIT */
/*
 * Calls without an end, of which only their number over all rows of a region is sure.
 */
#ifndef RS_STATS_MERGE_UNENDED_H
#define RS_STATS_MERGE_UNENDED_H

#include "stats/merge.h"

/* Asynchronous calls that were never stopped, and scopes that ended on another thread than they
 * began on, into rows[n]: all those of one region. */
void rs_merge_unended(struct rs_merged_row *rows, size_t n);

#endif
