/* SPDX-License-Identifier: MIT */
/*
 * This file parses options whose values name a region: --sample [REGION:]N, --slow REGION:EVENT>N,
 * --histogram REGION[:EVENT] and --trace-if REGION:time>N. It also parses --trace-size. It splits
 * values into their parts. A region's name may contain colons. The last colon separates the name
 * from a number. The colon before a counted event separates the name from the event; check_plan.h
 * finds that colon later, with the plan.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "compare/gate.h"
#include "options_table.h"
#include "trace/timeline.h"

#define MOST_DIGITS 18u
#define MOST_TRACE_BYTES (UINT64_C(4) << 30)

/* ---- --sample ---- */

/* Record the sampling interval of a region. If the user gives several intervals for a region, use
 * the last one. */
static bool add_sample(struct rs_options *options, const struct rs_option_place *place,
	const char *region, size_t bytes, uint32_t sample_calls, struct rs_err *err)
{
	for (size_t i = 0; i < options->n_samples; i++) {
		struct rs_segment_region *known = &options->samples[i];
		if (strlen(known->name) == bytes && memcmp(known->name, region, bytes) == 0) {
			known->sample_calls = sample_calls;
			return true;
		}
	}
	if (options->n_samples == RS_MAX_NAMED_REGIONS) {
		rs_err_set(err, "%s: more than %u regions", place->name, RS_MAX_NAMED_REGIONS);
		return rs_option_try(place, err, "N for all regions");
	}
	const char *name = rs_arena_format(&options->arena, "%.*s", (int)bytes, region);
	options->samples = rs_arena_room(
		&options->arena, options->samples, options->n_samples, sizeof(*options->samples));
	options->samples[options->n_samples++] = (struct rs_segment_region){name, sample_calls};
	return true;
}

bool rs_parse_sample(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	const char *colon = strrchr(value, ':');
	size_t bytes = colon ? (size_t)(colon - value) : 0;
	int64_t n;
	if (!rs_option_number(&n, colon ? colon + 1 : value, option->min, option->max))
		return rs_option_refuse_number(place, colon ? colon + 1 : value, err);
	if (!colon) {
		options->sample_calls = (uint32_t)n;
		return true;
	}
	if (bytes == 0) {
		rs_err_set(err, "%s: '%s' names no region before its colon", place->name,
			rs_text_shown(value).text);
		return rs_option_try(place, err, "%s for all regions", colon + 1);
	}
	if (bytes >= RS_NAME_BYTES) {
		rs_err_set(err, "%s: the region's name is longer than %u bytes", place->name,
			RS_NAME_BYTES - 1);
		return rs_err_add_line(err, "try: the shortened name that the report shows");
	}
	return add_sample(options, place, value, bytes, (uint32_t)n, err);
}

bool rs_options_check_sampling(const struct rs_options *options, struct rs_err *err)
{
	if (options->budget_ppm == 0 || options->sample_calls == 0)
		return true;
	rs_err_set(err, "--budget: --sample %" PRIu32 " already chooses the calls to measure",
		options->sample_calls);
	rs_err_add_line(err, "single regions may still have their own: --sample REGION:%" PRIu32,
		options->sample_calls);
	return rs_err_add_line(err, "try: one of them for all regions, not both");
}

/* ---- --slow ---- */

/* Parse digits with an optional point, and a unit, into wish->limit, which is rounded down. Return
 * false if the text has another form or the value is too large. */
static bool parse_limit(const char *value, struct rs_slow_wish *wish)
{
	uint64_t digits = 0, divisor = 1;
	uint32_t n_digits = 0;
	bool is_fraction = false;
	for (; (*value >= '0' && *value <= '9') || (*value == '.' && !is_fraction); value++) {
		if (*value == '.') {
			is_fraction = true;
			continue;
		}
		digits = digits * 10 + (uint64_t)(*value - '0');
		divisor *= is_fraction ? 10 : 1;
		if (++n_digits > MOST_DIGITS)
			return false;
	}
	const struct rs_limit_unit *unit = rs_limit_unit_find(value, strlen(value));
	if (n_digits == 0 || value[-1] == '.' || !unit)
		return false;
	unsigned __int128 scaled = (unsigned __int128)digits * unit->factor;
	if (scaled / divisor > INT64_MAX)
		return false;
	wish->limit = (uint64_t)(scaled / divisor);
	wish->is_rounded = scaled % divisor != 0;
	wish->is_time = unit->is_time;
	return true;
}

bool rs_parse_slow(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const char *sign = strrchr(value, '>');
	struct rs_slow_wish wish = {0};
	if (!sign)
		return rs_option_refuse(place, value, "has no '>' after an event", err);
	wish.or_equal = sign[1] == '=';
	if (!parse_limit(sign + 1 + wish.or_equal, &wish))
		return rs_option_refuse(place, value,
			"does not end in a number with ns, us, ms or s, or k, M, G or nothing",
			err);
	if (wish.or_equal && wish.limit == 0 && !wish.is_rounded)
		return rs_option_refuse(place, value, "matches every call", err);
	if (!memchr(value, ':', (size_t)(sign - value)))
		return rs_option_refuse(place, value, "names no region before a colon", err);
	if (options->n_slow == RS_MAX_SLOW_RULES)
		return rs_option_refuse_more(place, err);
	wish.text = rs_arena_format(&options->arena, "%s", value);
	options->slow = rs_arena_room(
		&options->arena, options->slow, options->n_slow, sizeof(*options->slow));
	wish.sign = wish.text + (sign - value);
	options->slow[options->n_slow++] = wish;
	return true;
}

/* ---- --histogram ---- */

bool rs_parse_histogram(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	if (*value != ':')
		return rs_option_add(options, place, value, err);
	return rs_option_refuse(place, value, "names no region before its colon", err);
}

/* ---- --trace-size and --trace-if ---- */

bool rs_parse_trace_size(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	static const char letters[] = "KMG";
	char digits[24];
	size_t n = strspn(value, "0123456789");
	const char *unit = value[n] ? strchr(letters, value[n]) : NULL;
	uint32_t shift = unit ? 10 * (uint32_t)(unit - letters + 1) : 0;
	int64_t number = 0;
	bool is_size = n > 0 && n < sizeof(digits) && (!value[n] || (unit && !value[n + 1]));
	if (is_size) {
		memcpy(digits, value, n);
		digits[n] = '\0';
	}
	if (!is_size ||
		!rs_option_number(&number, digits, 1, (int64_t)(MOST_TRACE_BYTES >> shift)) ||
		(uint64_t)number << shift < RS_TIMELINE_LEAST_BYTES)
		return rs_option_refuse(place, value, "is not a size from 64K to 4G", err);
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
		!parse_limit(end + sizeof(event) - 1, &wish) || !wish.is_time)
		return rs_option_refuse(place, value,
			"is not a region, ':time>' and a number with ns, us, ms or s", err);
	options->trace_if = rs_arena_format(&options->arena, "%.*s", (int)(end - value), value);
	options->trace_if_ns = wish.limit;
	return true;
}
