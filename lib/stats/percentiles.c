/* SPDX-License-Identifier: MIT */
/*
 * This file parses percentiles. It converts decimal numbers to millionths and stores them in
 * ascending order.
 */
#include "stats/percentiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE 1e4 /* one percent in millionths */
#define DIGITS "0123456789"

const char *rs_percent_parse(const char *text, uint32_t *millionths)
{
	size_t n_whole = strspn(text, DIGITS);
	const char *point = text + n_whole;
	size_t n_decimals = *point == '.' ? strspn(point + 1, DIGITS) : 0;
	*millionths = (uint32_t)lrint(fmin(strtod(text, NULL), 101) * ONE);
	if (n_whole == 0 || n_decimals > RS_PERCENT_DECIMALS)
		return NULL;
	return n_decimals > 0 ? point + 1 + n_decimals : point;
}

enum rs_percentile_fault rs_percentiles_add(
	struct rs_percentiles *percentiles, const char *text, uint32_t *millionths)
{
	struct rs_percentile added;
	size_t place = 0;
	const char *end = rs_percent_parse(text, &added.millionths);
	bool is_valid = end && !*end && strspn(text, DIGITS) <= 3 && added.millionths <= 100 * ONE;
	*millionths = is_valid ? added.millionths : 0;
	if (*millionths == 0)
		return RS_PERCENTILE_WRONG;
	while (place < percentiles->n && percentiles->items[place].millionths < added.millionths)
		place++;
	if (place < percentiles->n && percentiles->items[place].millionths == added.millionths)
		return RS_PERCENTILE_FINE;
	if (percentiles->n == RS_MAX_PERCENTILES)
		return RS_PERCENTILE_TOO_MANY;
	snprintf(added.word, sizeof(added.word), "p%g", added.millionths / ONE);
	memmove(&percentiles->items[place + 1], &percentiles->items[place],
		(percentiles->n - place) * sizeof(added));
	percentiles->items[place] = added;
	percentiles->n++;
	return RS_PERCENTILE_FINE;
}
