/* SPDX-License-Identifier: MIT */
/*
 * This file parses times with a unit, such as those of --budget-time, and the rules of --fail-if.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/gate.h"
#include "options_table.h"

#define MOST_MS INT32_MAX /* more than 24 days */

bool rs_parse_duration(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	static const struct {
		const char *word;
		double factor;
	} units[] = {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};
	char *end;
	double number = strtod(value, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double ms = number * units[i].factor;
		if (strcmp(end, units[i].word) != 0 || !(ms >= 1 && ms <= MOST_MS))
			continue;
		*(uint64_t *)(void *)((char *)options + place->option->to) = (uint64_t)ms;
		return true;
	}
	rs_err_set(err, "%s: '%s' is no time with ms, s, m or h behind it", place->name,
		rs_text_shown(value).text);
	return rs_option_try(place, err, "%s", place->option->example);
}

bool rs_parse_fail_if(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	struct rs_gate gate;
	if (strcmp(value, "none") == 0) {
		options->fail_if.n = 0;
		return true;
	}
	if (rs_gate_parse(&gate, value, err))
		return rs_option_add(options, place, value, err);
	rs_err_prefix(err, "%s", place->name);
	return false;
}
