/* SPDX-License-Identifier: MIT */
/*
 * Percentiles that the user asks for, in addition to p50, p90 and p99.
 */
#ifndef RS_STATS_PERCENTILES_H
#define RS_STATS_PERCENTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RS_MAX_PERCENTILES 8u

struct rs_percentile {
	uint32_t millionths; /* above 0, at most 1000000; 999000 means p99.9 */
	char word[16]; /* "p99.9" */
};

/* A set of percentiles; a zeroed set is empty. */
struct rs_percentiles {
	struct rs_percentile items[RS_MAX_PERCENTILES]; /* ascending, without duplicates */
	size_t n;
};

/* Parse a percentage such as "99.9" into millionths; above 100, these are more than 1000000. Return
 * the text after it, or NULL if there is none or it has more decimals than RS_PERCENT_DECIMALS. */
#define RS_PERCENT_DECIMALS 4 /* the fourth decimal of a percentage is a millionth */
const char *rs_percent_parse(const char *text, uint32_t *millionths);

enum rs_percentile_fault {
	RS_PERCENTILE_FINE,
	RS_PERCENTILE_WRONG, /* not a number above 0 and up to 100 with at most 4 decimals */
	RS_PERCENTILE_TOO_MANY,
};

/* Parse a percentile such as "99.9", and add it unless the set has it already. Set *millionths to
 * the percentile, or to 0 if the text is not valid. */
enum rs_percentile_fault rs_percentiles_add(
	struct rs_percentiles *percentiles, const char *text, uint32_t *millionths);

#endif
