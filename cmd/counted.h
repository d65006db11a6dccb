/* SPDX-License-Identifier: MIT */
/* Refusing an option's event that regions do not count, with those that they do. */
#ifndef RS_COUNTED_H
#define RS_COUNTED_H

#include "base/err.h"
#include "base/suggest.h"
#include "options.h"

struct rs_counted {
	struct rs_suggest suggest;
	char names[256]; /* as many as there is room for */
};

/* For an event, which is borrowed; time is there. */
void rs_counted_init(struct rs_counted *counted, const char *event);

/* Another event that regions count. name: borrowed. */
void rs_counted_add(struct rs_counted *counted, const char *name);

/* False, with err filled. options: all that was asked for, which may tell that the event is a metric, or
 * NULL; option: as the user writes it. */
bool rs_counted_refuse(const struct rs_counted *counted, const struct rs_options *options,
	const char *option, struct rs_err *err);

#endif
