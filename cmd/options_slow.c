/* SPDX-License-Identifier: MIT */
/*
 * The values of --slow and its like. In goes REGION:EVENT>VALUE; out come what is left of the `>`, as
 * it stands, and a limit. Which of its colons ends the region only the plan's events tell
 * (slow_rules.c), as either may hold some.
 */
#include "options_slow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/same_file.h"
#include "base/text.h"
#include "segment/slow_calls.h"
#include "options_names.h"
#include "options_values.h"

#define MAX_LINES_PER_S 100000u
#define MOST_DIGITS 18u

static const struct unit {
	const char *word;
	uint64_t factor;
	bool is_time;
} units[] = {
	{"ns", 1, true},
	{"us", 1000, true},
	{"ms", 1000000, true},
	{"s", 1000000000, true},
	{"", 1, false},
	{"k", 1000, false},
	{"K", 1000, false},
	{"M", 1000000, false},
	{"G", 1000000000, false},
};

static const struct unit *find_unit(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].word, word) == 0)
			return &units[i];
	return NULL;
}

/* Digits, perhaps with a point among them, and a unit: so much, rounded down. False: it is none of
 * that, or too much. */
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
	const struct unit *unit = find_unit(value);
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

static bool refuse(const char *name, const char *value, const char *why, struct rs_err *err)
{
	rs_err_set(err, "%s: '%s' %s", name, rs_text_shown(value).text, why);
	return rs_err_add_line(
		err, "try: %s 'REGION:time>1ms', or '*:page-faults>=100' for all regions", name);
}

bool rs_options_add_slow(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	const char *sign = strrchr(value, '>');
	struct rs_slow_wish wish = {0};
	if (!sign)
		return refuse(name, value, "has no '>' behind an event", err);
	wish.or_equal = sign[1] == '=';
	if (!parse_limit(sign + 1 + wish.or_equal, &wish))
		return refuse(name, value,
			"does not end in a number with ns, us, ms or s, or k, M, G or nothing",
			err);
	if (wish.or_equal && wish.limit == 0 && !wish.is_rounded)
		return refuse(name, value, "is every call", err);
	if (!memchr(value, ':', (size_t)(sign - value)))
		return refuse(name, value, "names no region before a colon", err);
	if (options->n_slow == RS_MAX_SLOW_RULES) {
		rs_err_set(err, "%s: more than %u rules", name, RS_MAX_SLOW_RULES);
		return rs_err_add_line(err, "try: a '*' that stands for several regions");
	}
	size_t n = options->n_slow + 1;
	struct rs_slow_wish *grown = realloc(options->slow, n * sizeof(*grown));
	if (grown)
		options->slow = grown;
	wish.text = strdup(value);
	wish.sign = wish.text ? wish.text + (sign - value) : NULL;
	if (!grown || !wish.text) {
		free(wish.text);
		return rs_err_set(err, "%s: out of memory", name);
	}
	grown[options->n_slow++] = wish;
	return true;
}

bool rs_options_set_slow_output(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (!rs_options_check_text(name, value, "file name", "slow.log",
		    "--slow-output slow.log, or none for the standard error", err))
		return false;
	options->slow_output = rs_options_file_name(options, name, value, err);
	return options->slow_output;
}

bool rs_options_set_slow_rate(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	size_t n_digits = strspn(value, "0123456789");
	unsigned long long rate = n_digits > 0 && n_digits < 10 ? strtoull(value, NULL, 10) : 0;
	options->slow_rate = (uint32_t)rate;
	if (value[n_digits] == '\0' && rate > 0 && rate <= MAX_LINES_PER_S)
		return true;
	rs_err_set(
		err, "%s: '%s' is not a number of lines a second", name, rs_text_shown(value).text);
	return rs_err_add_line(
		err, "try: %s 100, at least 1 and at most %u", name, MAX_LINES_PER_S);
}

bool rs_options_check_slow(const struct rs_options *options, struct rs_err *err)
{
	const char *alone = options->slow_output ? "--slow-output"
			    : options->slow_rate ? "--slow-rate"
						 : NULL;
	if (alone && options->n_slow == 0) {
		rs_err_set(err, "%s is given, and no --slow that says which calls are slow", alone);
		return rs_err_add_line(err, "try: --slow '*:time>1ms' %s ...", alone);
	}
	for (size_t i = 0; options->slow_output && i < options->n_reports; i++) {
		const char *path = options->reports[i].path;
		if (!path || !rs_is_same_file(path, options->slow_output))
			continue;
		rs_err_set(
			err, "--slow-output: %s is the file of a report", rs_text_shown(path).text);
		return rs_err_add_line(err, "try: a file of its own");
	}
	return true;
}

void rs_options_free_slow(struct rs_options *options)
{
	for (size_t i = 0; i < options->n_slow; i++)
		free(options->slow[i].text);
	free(options->slow);
	options->slow = NULL;
	options->n_slow = 0;
}
