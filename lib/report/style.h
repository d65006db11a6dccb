/* SPDX-License-Identifier: MIT */
/*
 * Styles of text on a terminal: SGR sequences (ECMA-48), or empty strings without colour. Colour
 * only repeats what the text says.
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

/* Return the sequences to print; without color all of them are "". They are in static storage. */
const struct rs_style *rs_style_get(bool color);

#endif
