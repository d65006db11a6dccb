/* SPDX-License-Identifier: MIT */
/*
 * Shortens the name of a region to the width that a report has for it.
 */
#ifndef RS_REPORT_SHORT_NAME_H
#define RS_REPORT_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/summary.h"

/* Size of a buffer for the name of any region, shortened or not. */
#define RS_SHORT_NAME_BYTES (8u * RS_NAME_BYTES + 8u)

/*
 * Fill out[RS_SHORT_NAME_BYTES] with the name of region summary->merged[region], safe to print.
 * columns: greatest width, at least 4. If the name is too wide, drop its template arguments, unless
 * another region would then have the same name. If it is still too wide, cut it in the middle.
 * Return the width of the name in columns.
 */
size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8);

#endif
