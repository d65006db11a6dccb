/* SPDX-License-Identifier: MIT */
/*
 * Near names for an unknown one.
 */
#ifndef RS_BASE_SUGGEST_H
#define RS_BASE_SUGGEST_H

#include <stddef.h>

#include "base/err.h"

#define RS_SUGGESTIONS 3u
#define RS_SUGGESTION_BYTES 128u

/* The nearest names offered so far. Starts with name set and the rest zeroed. */
struct rs_suggest {
	const char *name; /* what the user wrote; borrowed */
	size_t n_near;
	unsigned distances[RS_SUGGESTIONS]; /* ascending */
	char near[RS_SUGGESTIONS][RS_SUGGESTION_BYTES];
};

/* Keep candidate if it is among the nearest; equally near names stay in the order offered. */
void rs_suggest_offer(struct rs_suggest *suggest, const char *candidate);

/* Add the line "try: A, B or C" to err when there are near names. Returns whether there are. */
bool rs_suggest_add_line(const struct rs_suggest *suggest, struct rs_err *err);

#endif
