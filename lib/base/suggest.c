/* SPDX-License-Identifier: MIT */
/*
 * Near names, by edit distance: this file finds the known names that are similar to an unknown one.
 * It keeps at most three: names that differ by typing errors, or that begin with the unknown name.
 */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define LEAST_BEGUN 3u

/* Return the largest distance that counts as a typing error: a third of the letters. A name of
 * fewer than six letters may have one error, because two errors could turn it into any other short
 * name. The dashes of an option do not count. */
static unsigned distance_limit(const char *name)
{
	size_t length = strlen(name + strspn(name, "-"));
	if (length < 6)
		return length > 1;
	return length < 30 ? (unsigned)length / 3 : 10;
}

/* Return true if name is the beginning of candidate, and long enough to suggest it. */
static bool is_begun(const char *name, const char *candidate)
{
	return strlen(name + strspn(name, "-")) >= LEAST_BEGUN &&
	       strncasecmp(name, candidate, strlen(name)) == 0;
}

void rs_suggest_offer(struct rs_suggest *suggest, const char *candidate)
{
	unsigned limit = distance_limit(suggest->name);
	unsigned distance = rs_text_distance(suggest->name, candidate, limit);
	if (distance > limit && is_begun(suggest->name, candidate))
		distance = limit;
	if (distance > limit || strlen(candidate) >= RS_SUGGESTION_BYTES)
		return;
	for (size_t i = 0; i < suggest->n_near; i++)
		if (strcasecmp(suggest->near[i], candidate) == 0)
			return;
	size_t place = suggest->n_near;
	while (place > 0 && suggest->distances[place - 1] > distance)
		place--;
	if (place == RS_SUGGESTIONS)
		return;
	if (suggest->n_near < RS_SUGGESTIONS)
		suggest->n_near++;
	for (size_t i = suggest->n_near - 1; i > place; i--) {
		suggest->distances[i] = suggest->distances[i - 1];
		memcpy(suggest->near[i], suggest->near[i - 1], RS_SUGGESTION_BYTES);
	}
	suggest->distances[place] = distance;
	snprintf(suggest->near[place], RS_SUGGESTION_BYTES, "%s", candidate);
}

bool rs_suggest_add_line(const struct rs_suggest *suggest, struct rs_err *err)
{
	static const char *const between[] = {"", "", " or ", ", "};
	if (suggest->n_near > 0)
		rs_err_add_line(err, "try: %s%s%s%s%s", suggest->near[0], between[suggest->n_near],
			suggest->near[1], suggest->n_near > 2 ? " or " : "", suggest->near[2]);
	return suggest->n_near > 0;
}
