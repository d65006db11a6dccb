/* SPDX-License-Identifier: MIT */
/*
 * The values of options. In goes one as the user wrote it; out come the options of a run with it
 * set, or a message that says what would be right.
 */
#include "options_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_MS INT64_C(2147483647)

/* Milliseconds of a number with a unit, such as 5s; 0: it is none. */
static int64_t ms_with_unit(const char *value)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"sec", 1000}, {"m", 60000}, {"min", 60000},
		{"h", 3600000}};
	char *end;
	double number = strtod(value, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0 && number > 0 &&
			number <= (double)(MAX_MS / units[i].ms))
			return (int64_t)(number * (double)units[i].ms);
	return 0;
}

/* Digits only, at most MAX_MS. */
static bool parse_ms(const char *name, const char *value, int64_t *number, const char *example,
	struct rs_err *err)
{
	size_t n_digits = strspn(value, "0123456789");
	if (n_digits == 0 || value[n_digits] != '\0') {
		rs_err_set(err, "%s: '%s' is not a number of milliseconds", name,
			rs_text_shown(value).text);
		int64_t meant_ms = ms_with_unit(value);
		if (meant_ms > 0)
			return rs_err_add_line(err, "try: %s %" PRId64, name, meant_ms);
		return rs_err_add_line(err, "try: %s %s", name, example);
	}
	errno = 0;
	*number = strtoll(value, NULL, 10);
	if (errno != 0 || *number > MAX_MS) {
		rs_err_set(err, "%s: '%s' is too large", name, rs_text_shown(value).text);
		return rs_err_add_line(err, "try: at most %" PRId64 " milliseconds", MAX_MS);
	}
	return true;
}

bool rs_options_check_no_option(
	const char *name, const char *value, const char *example, struct rs_err *err)
{
	if (value[0] != '-' || (value[1] != '-' && !isalpha((unsigned char)value[1])))
		return true;
	rs_err_set(err, "%s: its value is missing: '%s' looks like an option", name,
		rs_text_shown(value).text);
	return rs_err_add_line(err, "try: %s %s", name, example);
}

bool rs_options_check_text(const char *name, const char *value, const char *what,
	const char *example, const char *remedy, struct rs_err *err)
{
	if (value[0] != '\0')
		return rs_options_check_no_option(name, value, example, err);
	rs_err_set(err, "%s: the %s is empty", name, what);
	return rs_err_add_line(err, "try: %s", remedy);
}

bool rs_options_append(
	const char ***items, size_t *n, const char *name, const char *value, struct rs_err *err)
{
	const char **grown = realloc(*items, (*n + 1) * sizeof(*grown));
	if (!grown)
		return rs_err_set(err, "%s: out of memory", name);
	*items = grown;
	grown[(*n)++] = value;
	return true;
}

bool rs_options_set_event(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	return rs_options_check_text(name, value, "event", "EVENT, one of regionstat list",
		       "-e cycles, or regionstat list", err) &&
	       rs_options_append(
		       &options->event_strings, &options->n_event_strings, name, value, err);
}

bool rs_options_set_label(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	options->label = value;
	return rs_options_check_text(name, value, "label", "TEXT",
		"no --label, for the time of the start and a number", err);
}

bool rs_options_set_config(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	options->config_path = value;
	return rs_options_check_text(name, value, "file name",
		"FILE, and ./ before one that begins with a dash",
		"-c regionstat.yaml, or -c /dev/null for none", err);
}

bool rs_options_set_profile(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	options->profile = value;
	return rs_options_check_text(name, value, "name", "NAME, one of regionstat list profiles",
		"regionstat list profiles", err);
}

bool rs_options_set_search(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	options->search = value;
	return rs_options_check_text(name, value, "text", "TEXT", "-s miss, or no -s for all", err);
}

bool rs_options_set_delay(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (strcmp(value, "-1") != 0)
		return parse_ms(name, value, &options->delay_ms,
			"500, or -1 to start when the program calls REGIONSTAT_RESUME()", err);
	options->delay_ms = -1;
	return true;
}

bool rs_options_set_timeout(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	int64_t timeout_ms;
	if (!parse_ms(name, value, &timeout_ms, "10000", err))
		return false;
	options->timeout_ms = (uint64_t)timeout_ms;
	if (timeout_ms > 0)
		return true;
	rs_err_set(err, "%s: 0 would leave the program no time", name);
	return rs_err_add_line(err, "try: at least 1 millisecond, or no %s for no limit", name);
}

static const struct color_word {
	const char *word;
	enum rs_color_choice choice;
} color_words[] = {
	{"auto", RS_COLOR_AUTO},
	{"always", RS_COLOR_ALWAYS},
	{"never", RS_COLOR_NEVER},
};

/* What --color takes. NULL: it is none of that. */
static const struct color_word *find_color(const char *word)
{
	for (size_t i = 0; i < sizeof(color_words) / sizeof(color_words[0]); i++)
		if (strcmp(word, color_words[i].word) == 0)
			return &color_words[i];
	return NULL;
}

bool rs_options_is_color(const char *word)
{
	return find_color(word) != NULL;
}

bool rs_options_set_color(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	const struct color_word *found = find_color(value ? value : "always");
	if (found) {
		options->color = found->choice;
		return true;
	}
	rs_err_set(err, "%s: '%s' is not one of its words", name, rs_text_shown(value).text);
	return rs_err_add_line(err, "try: %s=auto, %s=always or %s=never", name, name, name);
}

bool rs_options_set_markers(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	return rs_options_check_no_option(name, value, "auto", err) &&
	       rs_marker_wish_parse(&options->markers, name, value, err);
}
