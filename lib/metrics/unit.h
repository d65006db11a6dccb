/* SPDX-License-Identifier: MIT */
/*
 * Units of metrics, and their dimensions. Formulas compute with counts, ns, bytes and flops. A unit
 * scales the result for reports: a ratio of 0.05 is 5 %, and 3 cycles per ns are 3 GHz.
 */
#ifndef RS_METRICS_UNIT_H
#define RS_METRICS_UNIT_H

#include <stdbool.h>

/* The dimension of a value: powers of the base units. A count or a ratio has 0 in all of them. */
struct rs_dimension {
	int time;
	int bytes;
	int flops;
};

#define RS_DIMENSION_BYTES 64u

bool rs_dimension_is_same(struct rs_dimension a, struct rs_dimension b);

/* Fill text with a dimension in words, such as "a number", "time" or "bytes / time", and return
 * it. */
const char *rs_dimension_write(struct rs_dimension dimension, char text[RS_DIMENSION_BYTES]);

/* A unit that regionstat can convert to. */
struct rs_unit {
	const char *word; /* the unit's name, for example "GB/s" */
	struct rs_dimension dimension;
	double factor; /* factor from counts, ns, bytes and flops to this unit */
};

/* Return the unit with this name, or NULL if it is unknown. Reports show an unknown unit without
 * converting the value. */
const struct rs_unit *rs_unit_find(const char *word);

/* Return the dimension of an event by its name: time, or none for a count. */
struct rs_dimension rs_unit_of_event(const char *event);

#endif
