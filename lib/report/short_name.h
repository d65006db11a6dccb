/* SPDX-License-Identifier: MIT */
/*
 * Names of regions that leave no room.
 */
#ifndef RS_REPORT_SHORT_NAME_H
#define RS_REPORT_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/summary.h"

/* Room for any region's name as rs_short_region_name() has it. */
#define RS_SHORT_NAME_BYTES (8u * RS_NAME_BYTES + 8u)

/*
 * The name of a region of summary->merged, fit to show, in at most columns. It has no template
 * arguments if that is enough and no other region's name is the same then; else it is cut in the
 * middle. out[RS_SHORT_NAME_BYTES]: filled, NUL-terminated. columns: at least 4. Returns the
 * columns that out takes.
 */
size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8);

#endif
