/* SPDX-License-Identifier: MIT */
/* This file parses the options of traces. */
#include <string.h>

#include "base/text.h"
#include "options_table.h"
#include "trace/timeline.h"

#define MOST_BYTES (UINT64_C(4) << 30)

bool rs_parse_trace_size(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	static const char units[] = "KMG";
	char digits[24];
	size_t n = strspn(value, "0123456789");
	const char *unit = value[n] ? strchr(units, value[n]) : NULL;
	uint32_t shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
	int64_t number = 0;
	bool is_size = n > 0 && n < sizeof(digits) && (!value[n] || (unit && !value[n + 1]));
	if (is_size) {
		memcpy(digits, value, n);
		digits[n] = '\0';
	}
	if (!is_size || !rs_option_number(&number, digits, 1, (int64_t)(MOST_BYTES >> shift)) ||
		(uint64_t)number << shift < RS_TIMELINE_LEAST_BYTES) {
		rs_err_set(err, "%s: '%s' is not a size from 64K to 4G", place->name,
			rs_text_shown(value).text);
		return rs_option_try(place, err, "%s", place->option->example);
	}
	options->trace_bytes = (uint64_t)number << shift;
	return true;
}

bool rs_parse_trace_if(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	static const char event[] = ":time>";
	const char *end = NULL;
	struct rs_slow_wish wish = {0};
	for (const char *at = value; (at = strstr(at, event)); at++)
		end = at;
	if (!end || end == value || (size_t)(end - value) >= RS_GLOB_BYTES ||
		!rs_option_limit(end + sizeof(event) - 1, &wish) || !wish.is_time) {
		rs_err_set(err,
			"%s: '%s' is not a region, ':time>' and a number with ns, us, ms or s",
			place->name, rs_text_shown(value).text);
		return rs_option_try(place, err, "%s", place->option->example);
	}
	options->trace_if = rs_options_keep(options, strndup(value, (size_t)(end - value)));
	options->trace_if_ns = wish.limit;
	return options->trace_if || rs_err_set(err, "%s: out of memory", place->name);
}

bool rs_options_check_trace(const struct rs_options *options, struct rs_err *err)
{
	const char *alone = options->trace_bytes ? "--trace-size"
			    : options->trace_if	 ? "--trace-if"
						 : NULL;
	if (alone && !options->trace) {
		rs_err_set(err, "%s needs --trace, which names the file", alone);
		return rs_err_add_line(err, "try: --trace run.pftrace %s ...", alone);
	}
	return true;
}
