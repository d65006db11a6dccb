/* SPDX-License-Identifier: MIT */
/*
 * Percentiles that a reader asks for besides those that every value has.
 */
#ifndef RS_STATS_PERCENTILES_H
#define RS_STATS_PERCENTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RS_MAX_PERCENTILES 8u

struct rs_percentile {
	uint32_t millionths; /* above 0, at most 1000000: 999000 is p99.9 */
	char word[12];
};

/* A set of percentiles; a zeroed set is empty. */
struct rs_percentiles {
	struct rs_percentile items[RS_MAX_PERCENTILES]; /* ascending, without duplicates */
	size_t n;
};

enum rs_percentile_fault {
	RS_PERCENTILE_FINE,
	RS_PERCENTILE_WRONG, /* not a number above 0 and up to 100 with at most 4 decimals */
	RS_PERCENTILE_TOO_MANY,
};

/* Add a percentile such as "99.9", unless the set has it already. text need not end after length
 * bytes. Set *millionths if the percentile is valid. */
enum rs_percentile_fault rs_percentiles_add(
	struct rs_percentiles *percentiles, const char *text, size_t length, uint32_t *millionths);

#endif
