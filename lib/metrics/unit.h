/* SPDX-License-Identifier: MIT */
/*
 * Units of metrics, and their dimensions. Formulas are in counts, ns, bytes and flops. A unit says
 * which number is shown for a result: 0.05 in % is 5, 3 cycles a ns in GHz are 3.
 */
#ifndef RS_METRICS_UNIT_H
#define RS_METRICS_UNIT_H

#include <stdbool.h>

/* Powers of the base units of a value; all 0: a count or a ratio. */
struct rs_dimension {
	int time;
	int bytes;
	int flops;
};

#define RS_DIMENSION_BYTES 64u

bool rs_dimension_is_same(struct rs_dimension a, struct rs_dimension b);

/* In words: "a number", "time", "bytes / time". text: filled. Returns text. */
const char *rs_dimension_write(struct rs_dimension dimension, char text[RS_DIMENSION_BYTES]);

/* A unit whose meaning is known. */
struct rs_unit {
	const char *word; /* "GB/s" */
	struct rs_dimension dimension;
	double factor; /* from counts, ns, bytes and flops to this unit */
};

/* The unit of that word; NULL: it means nothing here, and is shown as it is written. */
const struct rs_unit *rs_unit_find(const char *word);

/* The dimension of an event by its name: time, or a number. */
struct rs_dimension rs_unit_of_event(const char *event);

#endif
