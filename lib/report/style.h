/* SPDX-License-Identifier: MIT */
/*
 * How parts of a table are set apart on a terminal: SGR sequences (ECMA-48), or nothing at all. No
 * fact is shown by colour alone.
 */
#ifndef RS_REPORT_STYLE_H
#define RS_REPORT_STYLE_H

#include <stdbool.h>

struct rs_style {
	const char *bold;
	const char *dim;
	const char *warn;
	const char *wait; /* of regions that waited */
	const char *off;
};

/* The sequences to print, "" each without color; static storage. */
const struct rs_style *rs_style_get(bool color);

#endif
