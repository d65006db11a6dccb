/* SPDX-License-Identifier: MIT */
/*
 * This file parses percentiles. It converts decimal numbers to millionths and stores them in
 * ascending order.
 */
#include "stats/percentiles.h"

#include <stdio.h>
#include <string.h>

#define DECIMALS 4u
#define ONE 10000u /* one percent in millionths */
#define MOST_DIGITS 3u /* maximum count of digits before the decimal point */

static uint32_t parse(const char *text, size_t length)
{
	uint32_t millionths = 0, place = ONE;
	size_t i = 0;
	for (; i < length && text[i] >= '0' && text[i] <= '9' && i < MOST_DIGITS; i++)
		millionths = millionths * 10 + (uint32_t)(text[i] - '0') * ONE;
	if (i == 0 || (i < length && (text[i] != '.' || i + 1 == length)))
		return 0;
	for (i++; i < length; i++) {
		place /= 10;
		if (text[i] < '0' || text[i] > '9' || place == 0)
			return 0;
		millionths += (uint32_t)(text[i] - '0') * place;
	}
	return millionths <= 100 * ONE ? millionths : 0;
}

static void make_word(struct rs_percentile *percentile)
{
	uint32_t rest = percentile->millionths % ONE;
	char *word = percentile->word;
	snprintf(word, sizeof(percentile->word), "p%u", (unsigned)(percentile->millionths / ONE));
	if (rest == 0)
		return;
	size_t used = strlen(word);
	snprintf(word + used, sizeof(percentile->word) - used, ".%04u", (unsigned)rest);
	for (size_t end = strlen(word); word[end - 1] == '0'; end--)
		word[end - 1] = '\0';
}

enum rs_percentile_fault rs_percentiles_add(
	struct rs_percentiles *percentiles, const char *text, size_t length, uint32_t *millionths)
{
	struct rs_percentile added = {.millionths = parse(text, length)};
	size_t place = 0;
	*millionths = added.millionths;
	if (added.millionths == 0)
		return RS_PERCENTILE_WRONG;
	while (place < percentiles->n && percentiles->items[place].millionths < added.millionths)
		place++;
	if (place < percentiles->n && percentiles->items[place].millionths == added.millionths)
		return RS_PERCENTILE_FINE;
	if (percentiles->n == RS_MAX_PERCENTILES)
		return RS_PERCENTILE_TOO_MANY;
	make_word(&added);
	memmove(&percentiles->items[place + 1], &percentiles->items[place],
		(percentiles->n - place) * sizeof(added));
	percentiles->items[place] = added;
	percentiles->n++;
	return RS_PERCENTILE_FINE;
}
