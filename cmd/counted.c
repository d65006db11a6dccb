/* SPDX-License-Identifier: MIT */
/*
 * What regions count, as a message about an event that they do not. In go the names, one by one; out
 * comes one that is near, or all of them.
 */
#include "counted.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options_metrics.h"

void rs_counted_init(struct rs_counted *counted, const char *event)
{
	*counted = (struct rs_counted){.suggest = {.name = event}, .names = "time"};
	rs_suggest_offer(&counted->suggest, "time");
}

void rs_counted_add(struct rs_counted *counted, const char *name)
{
	size_t used = strlen(counted->names), room = sizeof(counted->names);
	rs_suggest_offer(&counted->suggest, name);
	if (used + strlen(name) + sizeof(", ") <= room)
		snprintf(counted->names + used, room - used, ", %s", name);
}

bool rs_counted_refuse(const struct rs_counted *counted, const struct rs_options *options,
	const char *option, struct rs_err *err)
{
	rs_err_set(err, "%s: regions do not count '%s'", option,
		rs_text_shown(counted->suggest.name).text);
	rs_options_add_metric_hint(options, option, counted->suggest.name, err);
	if (!rs_suggest_add_line(&counted->suggest, err))
		rs_err_add_line(err, "try: %s with one of %s, or -e with what is to be counted",
			option, rs_text_shown(counted->names).text);
	return false;
}
