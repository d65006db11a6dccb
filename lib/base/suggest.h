/* SPDX-License-Identifier: MIT */
/* Suggestions for a name that was not found: the most similar known names. */
#ifndef RS_BASE_SUGGEST_H
#define RS_BASE_SUGGEST_H

#include <stddef.h>

#include "base/err.h"

#define RS_SUGGESTIONS 3u
#define RS_SUGGESTION_BYTES 128u

/* The most similar names that were offered so far. The caller sets `name` and zeroes all other
 * members. */
struct rs_suggest {
	const char *name; /* what the user wrote; belongs to the caller */
	size_t n_near;
	unsigned distances[RS_SUGGESTIONS]; /* ascending */
	char near[RS_SUGGESTIONS][RS_SUGGESTION_BYTES];
};

/* Keep candidate if it is among the most similar names so far. Names at the same distance are in
 * the order in which they were offered. */
void rs_suggest_offer(struct rs_suggest *suggest, const char *candidate);

/* Append the line "try: A, B or C" to err if similar names were found. Return true if there are
 * any. */
bool rs_suggest_add_line(const struct rs_suggest *suggest, struct rs_err *err);

#endif
