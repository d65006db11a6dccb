/* SPDX-License-Identifier: MIT */
/*
 * This file parses the values of options by their kind. It sets the member of struct rs_options
 * that the option table names. For a wrong value it makes a message that says what is wrong, why,
 * and what to write instead.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text.h"
#include "options_table.h"

#define WORDS_BYTES 256u
#define PPM_PER_PERCENT UINT32_C(10000)

bool rs_option_try(const struct rs_option_place *place, struct rs_err *err, const char *format, ...)
{
	char value[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	return rs_err_add_line(err, "try: %s%s %s", place->name, place->at.file ? ":" : "", value);
}

bool rs_option_refuse(
	const struct rs_option_place *place, const char *value, const char *why, struct rs_err *err)
{
	rs_err_set(err, "%s: '%s' %s", place->name, rs_text_shown(value).text, why);
	return rs_option_try(place, err, "%s", place->option->example);
}

/* ---- numbers ---- */

bool rs_option_number(int64_t *number, const char *digits, int64_t min, int64_t max)
{
	bool is_negative = min < 0 && *digits == '-';
	digits += is_negative;
	size_t n_digits = strspn(digits, "0123456789");
	errno = 0;
	long long value = strtoll(digits, NULL, 10);
	*number = is_negative ? -value : value;
	return n_digits > 0 && !digits[n_digits] && errno == 0 && *number >= min && *number <= max;
}

bool rs_option_refuse_number(
	const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	bool is_many = strcmp(option->noun, "process id") != 0;
	rs_err_set(err, "%s: '%s' is not a %s%s from %" PRId64 " to %" PRId64, place->name,
		rs_text_shown(value).text, is_many ? "number of " : "", option->noun, option->min,
		option->max);
	return rs_option_try(place, err, "%s", option->example);
}

/* Units of time, and their length in ms. */
static const struct {
	const char *word;
	double ms;
} units[] = {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"sec", 1e3}, {"min", 6e4}};

/* Return the milliseconds of a number with a unit, such as 5s. Return 0 if the text has another
 * form, or if it is less than 1 ms or more than `most`. */
static int64_t ms_of(const char *value, int64_t most)
{
	char *end;
	double number = strtod(value, &end);
	bool is_plain = value + strspn(value, "0123456789.") == end;
	for (size_t i = 0; is_plain && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].word) == 0 && number * units[i].ms >= 1 &&
			number * units[i].ms <= (double)most)
			return (int64_t)(number * units[i].ms);
	return 0;
}

static bool set_number(
	void *to, const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	int64_t number = option->kind == RS_OPTION_TIME ? ms_of(value, option->max) : 0;
	if (!number && !rs_option_number(&number, value, option->min, option->max))
		return rs_option_refuse_number(place, value, err);
	if (option->bytes == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)number;
	else
		*(int64_t *)to = number;
	return true;
}

bool rs_parse_duration(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	int64_t ms = ms_of(value, INT32_MAX); /* INT32_MAX ms are 596.5 h */
	char seconds[32];
	snprintf(seconds, sizeof(seconds), "%ss", value);
	if (!ms && ms_of(seconds, INT32_MAX) && value[strspn(value, "0123456789.")] == '\0') {
		rs_err_set(err, "%s: '%s' has no unit; units: ms, s, m, h", place->name,
			rs_text_shown(value).text);
		return rs_option_try(place, err, "%s", seconds);
	}
	if (!ms)
		return rs_option_refuse(
			place, value, "is not a time from 1ms to 596h; units: ms, s, m, h", err);
	*(uint64_t *)(void *)((char *)options + place->option->to) = (uint64_t)ms;
	return true;
}

bool rs_option_refuse_share(
	const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	rs_err_set(err, "%s: '%s' is not a percentage from %g to %g with at most %d decimals",
		place->name, rs_text_shown(value).text, (double)option->min / PPM_PER_PERCENT,
		(double)option->max / PPM_PER_PERCENT, RS_PERCENT_DECIMALS);
	return rs_option_try(place, err, "%s", option->example);
}

static bool set_share(
	uint32_t *to, const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	uint32_t ppm;
	const char *end = rs_percent_parse(value, &ppm);
	if (!end || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) ||
		ppm < (uint64_t)place->option->min || ppm > (uint64_t)place->option->max)
		return rs_option_refuse_share(place, value, err);
	*to = ppm;
	return true;
}

/* ---- words ---- */

void rs_option_words(const struct rs_option *option, char *text, size_t bytes)
{
	if (option->list_words)
		option->list_words(text, bytes);
	else
		snprintf(text, bytes, "%s", option->words ? option->words : "");
}

/* Copy word n of a list "a, b, c". Return false if there is none. */
static bool find_word(const char *words, size_t n, char *word, size_t bytes)
{
	for (; n > 0 && words; n--)
		words = (words = strstr(words, ", ")) ? words + 2 : NULL;
	snprintf(word, bytes, "%.*s", words ? (int)strcspn(words, ",") : 0, words ? words : "");
	return *word;
}

int rs_option_find_word(const struct rs_option *option, const char *wanted)
{
	char words[WORDS_BYTES], word[WORDS_BYTES];
	rs_option_words(option, words, sizeof(words));
	for (size_t n = 0; find_word(words, n, word, sizeof(word)); n++)
		if (strcmp(word, wanted) == 0)
			return (int)n;
	return -1;
}

/* Return true if a comma-separated list of names contains `name`. */
static bool has_name(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncasecmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

void rs_options_add_metric_hint(
	const struct rs_options *options, const char *name, const char *word, struct rs_err *err)
{
	bool is_metric = false;
	for (size_t i = 0; options && i < options->metrics.n && *word; i++)
		is_metric |= has_name(options->metrics.items[i], word);
	if (is_metric)
		rs_err_add_line(err,
			"'%s' is a metric (-M): it has its own row in each region, and %s takes %s",
			rs_text_shown(word).text, name,
			strcmp(name, "--by") == 0 ? "counted events" : "statistics");
}

bool rs_option_refuse_word(const struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	struct rs_suggest suggest = {.name = value};
	char words[WORDS_BYTES], word[WORDS_BYTES];
	rs_option_words(option, words, sizeof(words));
	for (size_t n = 0; find_word(words, n, word, sizeof(word)); n++)
		rs_suggest_offer(&suggest, word);
	rs_err_set(err, "%s: unknown %s '%s'; %ss: %s", place->name, option->noun,
		rs_text_shown(value).text, option->noun, words);
	rs_options_add_metric_hint(options, place->name, value, err);
	if (!*value || !rs_suggest_add_line(&suggest, err))
		rs_option_try(place, err, "%s", option->example);
	return false;
}

static bool set_word(const struct rs_options *options, int *to, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	int found = rs_option_find_word(place->option, value);
	if (found < 0)
		return rs_option_refuse_word(options, place, value, err);
	*to = found;
	return true;
}

/* ---- texts ---- */

bool rs_option_check_text(
	const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	bool is_file = option->kind == RS_OPTION_FILE || option->kind == RS_OPTION_OUTPUT;
	bool is_glob = strcmp(option->noun, "glob") == 0;
	if (!*value) {
		rs_err_set(err, "%s: the %s is empty", place->name, option->noun);
		return rs_option_try(place, err, "%s", option->example);
	}
	if (value[0] == '-' && (value[1] == '-' || isalpha((unsigned char)value[1]))) {
		rs_err_set(err, "%s: its value is missing: '%s' looks like an option", place->name,
			rs_text_shown(value).text);
		return rs_option_try(place, err, "%s%s", option->argument,
			is_file	  ? ", with ./ before one that begins with a dash"
			: is_glob ? ", with [-] for a dash at its beginning"
				  : "");
	}
	if (option->most_bytes == 0 || strlen(value) <= option->most_bytes)
		return true;
	rs_err_set(err, "%s: the %s is longer than %u bytes", place->name, option->noun,
		option->most_bytes);
	return rs_err_add_line(err, "try: a shorter one, with '*' for the rest");
}

bool rs_option_refuse_more(const struct rs_option_place *place, struct rs_err *err)
{
	const char *noun = place->option->noun;
	rs_err_set(err, "%s: more than %" PRId64 " %ss", place->name, place->option->max, noun);
	return rs_err_add_line(
		err, strcmp(noun, "region") == 0
			     ? "try: fewer; regionstat report shows a saved run again"
			     : "try: fewer, with a '*' that matches several names");
}

bool rs_option_add(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	struct rs_texts *texts = (struct rs_texts *)((char *)options + option->to);
	if (!rs_option_check_text(place, value, err))
		return false;
	if (option->max > 0 && texts->n == (size_t)option->max)
		return rs_option_refuse_more(place, err);
	texts->items = rs_arena_room(
		&options->arena, texts->items, texts->n, sizeof(*texts->items));
	texts->items[texts->n++] = value;
	return true;
}

const char *rs_option_file_name(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	if (options->begin_ms == 0)
		options->begin_ms = rs_now_ms();
	char *name = rs_output_name(place->name, value, options->begin_ms, err);
	const char *kept = name ? rs_arena_format(&options->arena, "%s", name) : NULL;
	free(name);
	return kept;
}

static bool set_text(struct rs_options *options, const char **to,
	const struct rs_option_place *place, const char *value, struct rs_err *err)
{
	if (!rs_option_check_text(place, value, err))
		return false;
	*to = place->option->kind == RS_OPTION_OUTPUT
		      ? rs_option_file_name(options, place, value, err)
		      : value;
	return *to;
}

/* ---- all kinds ---- */

/* Record a setting. Return a copy of the value, which options own, or NULL if value is NULL. */
static const char *add_setting(
	struct rs_options *options, const struct rs_option_place *place, const char *value)
{
	struct rs_settings *settings = &options->settings;
	settings->items = rs_arena_room(
		&options->arena, settings->items, settings->n, sizeof(*settings->items));
	value = value ? rs_arena_format(&options->arena, "%s", value) : NULL;
	settings->items[settings->n++] = (struct rs_setting){.option = place->option,
		.value = value,
		.profile = place->profile,
		.place = place->at};
	return value;
}

bool rs_option_set(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const struct rs_option *option = place->option;
	void *to = (char *)options + option->to;
	value = add_setting(options, place, value);
	if (!value)
		value = option->bare;
	if (option->parse)
		return option->parse(options, place, value, err);
	switch (option->kind) {
	case RS_OPTION_FLAG:
		*(bool *)to = !value || strcmp(value, "true") == 0;
		return true;
	case RS_OPTION_NUMBER:
	case RS_OPTION_TIME:
		return set_number(to, place, value, err);
	case RS_OPTION_SHARE:
		return set_share(to, place, value, err);
	case RS_OPTION_WORD:
		return set_word(options, to, place, value, err);
	case RS_OPTION_TEXT:
	case RS_OPTION_FILE:
	case RS_OPTION_OUTPUT:
	case RS_OPTION_REGION:
	default:
		return option->is_list ? rs_option_add(options, place, value, err)
				       : set_text(options, to, place, value, err);
	}
}

struct rs_setting *rs_options_setting(const struct rs_options *options, const char *word, size_t n)
{
	for (size_t i = 0; i < options->settings.n; i++) {
		struct rs_setting *setting = &options->settings.items[i];
		if (strcmp(setting->option->word, word) == 0 && n-- == 0)
			return setting;
	}
	return NULL;
}
