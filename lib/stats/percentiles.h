/* SPDX-License-Identifier: MIT */
/*
 * Percentiles beside those that every value has: which ones a reader wants.
 */
#ifndef RS_STATS_PERCENTILES_H
#define RS_STATS_PERCENTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RS_MAX_PERCENTILES 8u

struct rs_percentile {
	uint32_t millionths; /* above 0, up to 1000000: 999000 is p99.9 */
	char word[12]; /* "p99.9" */
};

/* Which ones; zeroed: none. */
struct rs_percentiles {
	struct rs_percentile items[RS_MAX_PERCENTILES]; /* ascending, each once */
	size_t n;
};

enum rs_percentile_fault {
	RS_PERCENTILE_FINE,
	RS_PERCENTILE_WRONG, /* no number above 0 and up to 100, with at most 4 decimals */
	RS_PERCENTILE_TOO_MANY,
};

/* Add one, such as "99.9"; one that is there already stays. text[length]: need not end there.
 * millionths: filled where it is fine. */
enum rs_percentile_fault rs_percentiles_add(
	struct rs_percentiles *percentiles, const char *text, size_t length, uint32_t *millionths);

#endif
