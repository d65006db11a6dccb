/* SPDX-License-Identifier: MIT */
/*
 * The slowest call of a row: its values, when and where it was, and how far it is from most others.
 */
#ifndef RS_STATS_SUMMARY_SLOWEST_H
#define RS_STATS_SUMMARY_SLOWEST_H

#include "stats/builder.h"

/*
 * Fill what a region says of its slowest call. cell: the one that has it. values: zeroed but for the
 * status, one a column; becomes region's.
 */
void rs_summary_slowest_make(const struct builder *builder, struct rs_summary_region *region,
	const struct rs_cell_copy *cell, struct rs_value *values);

#endif
