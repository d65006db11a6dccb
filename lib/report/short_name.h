/* SPDX-License-Identifier: MIT */
/*
 * Shortening the names of regions to the width that is left for them.
 */
#ifndef RS_REPORT_SHORT_NAME_H
#define RS_REPORT_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/summary.h"

/* Size of a buffer for a shortened or whole name of any region. */
#define RS_SHORT_NAME_BYTES (8u * RS_NAME_BYTES + 8u)

/*
 * Fill out[RS_SHORT_NAME_BYTES] with the name of region summary->merged[region], safe to print.
 * columns: greatest width, at least 4. If the name is too wide, its template arguments go first,
 * unless another region would then have the same name. Otherwise the name is cut in the middle.
 * Return the width of the name in columns.
 */
size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8);

#endif
