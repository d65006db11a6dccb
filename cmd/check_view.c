/* SPDX-License-Identifier: MIT */
/*
 * Checking the view against the plan, before anything is run or shown. In goes an event's name; out
 * comes whether there will be a column of it, or a message with those that there are.
 */
#include "check_view.h"

#include <string.h>

#include "counted.h"
#include "stats/columns.h"

static bool refuse(
	const struct rs_options *options, const struct rs_columns *columns, struct rs_err *err)
{
	const char *event = options->view.by;
	struct rs_counted counted;
	rs_counted_init(&counted, event);
	for (size_t c = 1; c < columns->n; c++)
		if (columns->columns[c].in_regions)
			rs_counted_add(&counted, columns->columns[c].name);
	return rs_counted_refuse(&counted, options, "--by", err);
}

bool rs_check_view(const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err)
{
	const char *event = options->view.by;
	struct rs_arena arena = {0};
	struct rs_columns columns;
	bool has = !event || strcmp(event, "time") == 0;
	if (has)
		return true;
	if (!rs_columns_make(&columns, &arena, plan)) {
		rs_arena_finish(&arena);
		return rs_err_set(err, "cannot look for '%s': out of memory", event);
	}
	for (size_t c = 1; c < columns.n; c++)
		has |= columns.columns[c].in_regions && strcmp(columns.columns[c].name, event) == 0;
	if (!has)
		refuse(options, &columns, err);
	rs_arena_finish(&arena);
	return has;
}
