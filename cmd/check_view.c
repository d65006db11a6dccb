/* SPDX-License-Identifier: MIT */
/*
 * Checking the view against the plan, before anything is run or shown. In goes an event's name; out
 * comes whether there will be a column of it, or a message with those that there are.
 */
#include "check_view.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "stats/columns.h"

#define NAMES_BYTES 256u

static bool refuse(const char *event, const struct rs_columns *columns, struct rs_err *err)
{
	struct rs_suggest suggest = {.name = event};
	char names[NAMES_BYTES] = "time";
	for (size_t c = 1; c < columns->n; c++) {
		const char *name = columns->columns[c].name;
		size_t used = strlen(names);
		if (!columns->columns[c].in_regions)
			continue;
		rs_suggest_offer(&suggest, name);
		if (used + strlen(name) + sizeof(", ") <= sizeof(names))
			snprintf(names + used, sizeof(names) - used, ", %s", name);
	}
	rs_err_set(err, "--by: regions do not count '%s'", rs_text_shown(event).text);
	if (!rs_suggest_add_line(&suggest, err))
		rs_err_add_line(err, "try: --by with one of %s, or -e with what is to be counted",
			rs_text_shown(names).text);
	return false;
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
		refuse(event, &columns, err);
	rs_arena_finish(&arena);
	return has;
}
