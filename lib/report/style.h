/* SPDX-License-Identifier: MIT */
/*
 * Styles of text on a terminal. They are SGR sequences (ECMA-48), or empty strings without colour.
 * The text of a report says everything that its colours show.
 */
#ifndef RS_REPORT_STYLE_H
#define RS_REPORT_STYLE_H

#include <stdbool.h>

struct rs_style {
	const char *bold;
	const char *dim;
	const char *warn;
	const char *wait; /* names of regions in findings */
	const char *off;
};

/* Return the sequences to print. Without color, all of them are "". They are in static storage. */
const struct rs_style *rs_style_get(bool color);

#endif
