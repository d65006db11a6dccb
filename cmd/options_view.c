/* SPDX-License-Identifier: MIT */
/*
 * The values of the options that choose what is shown. In goes one as the user wrote it; out comes
 * the view with it set, or a message that says what would be right.
 */
#include "options_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "options_metrics.h"
#include "options_values.h"
#include "report/view.h"

#define MOST_WORDS_BYTES 256u

/* A whole number from least to most. */
static bool parse_number(const char *name, const char *value, unsigned long least,
	unsigned long most, const char *what, unsigned long *number, struct rs_err *err)
{
	size_t n_digits = strspn(value, "0123456789");
	errno = 0;
	*number = strtoul(value, NULL, 10);
	if (n_digits > 0 && value[n_digits] == '\0' && errno == 0 && *number >= least &&
		*number <= most)
		return true;
	rs_err_set(err, "%s: '%s' is not a number of %s from %lu to %lu", name,
		rs_text_shown(value).text, what, least, most);
	return rs_err_add_line(err, "try: %s %lu", name, least > 10 ? 120ul : 10ul);
}

bool rs_options_set_top(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	unsigned long number;
	if (!parse_number(name, value, 1, 1000000, "regions", &number, err))
		return false;
	options->view.top = number;
	return true;
}

bool rs_options_set_sort(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	if (rs_sort_find(&options->view.sort, value))
		return true;
	struct rs_suggest suggest = {.name = value};
	char words[MOST_WORDS_BYTES] = "";
	for (int key = RS_SORT_USUAL + 1; key < RS_SORT_N; key++) {
		const char *word = rs_sort_word((enum rs_sort_key)key);
		size_t used = strlen(words);
		if (!word)
			continue;
		snprintf(words + used, sizeof(words) - used, "%s%s", used > 0 ? ", " : "", word);
		rs_suggest_offer(&suggest, word);
	}
	rs_err_set(err, "%s: '%s' is nothing to sort by", name, rs_text_shown(value).text);
	rs_options_add_metric_hint(options, name, value, err);
	if (!rs_suggest_add_line(&suggest, err))
		rs_err_add_line(err, "try: %s with one of %s", name, words);
	return false;
}

bool rs_options_add_regions(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	struct rs_view *view = &options->view;
	if (!rs_options_check_no_option(name, value, "'parse*'", err))
		return false;
	if (value[0] == '\0') {
		rs_err_set(err, "%s: the glob is empty, and no region has such a name", name);
		return rs_err_add_line(err, "try: %s 'parse*'", name);
	}
	if (view->n_globs == RS_VIEW_GLOBS) {
		rs_err_set(err, "%s: more than %u globs", name, RS_VIEW_GLOBS);
		return rs_err_add_line(
			err, "try: a '*' or a [set] that stands for several regions");
	}
	view->globs[view->n_globs++] = value;
	return true;
}

bool rs_options_set_by(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	options->view.by = value;
	return rs_options_check_text(
		name, value, "event", "EVENT, one of those of -e", "no --by, for time", err);
}

/* A percentile of a list. */
static bool add_percentile(struct rs_options *options, const char *name, const char *text,
	size_t length, uint32_t *millionths, struct rs_err *err)
{
	char word[32];
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	switch (rs_percentiles_add(&options->view.percentiles, text, length, millionths)) {
	case RS_PERCENTILE_WRONG:
		rs_err_set(err,
			"%s: '%s' is no percentile: a number above 0 and up to 100, with 4 "
			"decimals at most",
			name, rs_text_shown(word).text);
		return rs_err_add_line(err, "try: 99.9, or some of 50,90,99,99.9,100");
	case RS_PERCENTILE_TOO_MANY:
		rs_err_set(err, "%s: more than %u percentiles", name, RS_MAX_PERCENTILES);
		return rs_err_add_line(err, "try: fewer at a time; a saved run can be shown again");
	case RS_PERCENTILE_FINE:
	default:
		return true;
	}
}

/* Each of a list; one that is empty as well. */
static bool add_each(struct rs_options *options, const char *name, const char *list,
	bool (*add)(struct rs_options *, const char *, const char *, size_t, struct rs_err *),
	struct rs_err *err)
{
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		if (!add(options, name, at, length, err))
			return false;
		at += length;
		if (!*at)
			return true;
	}
}

static bool add_to_percentiles(struct rs_options *options, const char *name, const char *text,
	size_t length, struct rs_err *err)
{
	uint32_t millionths;
	return add_percentile(options, name, text, length, &millionths, err);
}

bool rs_options_add_percentiles(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	return add_each(options, name, value, add_to_percentiles, err);
}

static bool add_column(struct rs_options *options, const char *name, const char *text,
	size_t length, struct rs_err *err)
{
	char word[32], words[MOST_WORDS_BYTES];
	if (rs_columns_wish_for(&options->view.columns, text, length))
		return true;
	if (length > 1 && *text == 'p' && strspn(text + 1, "0123456789.") >= length - 1) {
		uint32_t millionths;
		if (!add_percentile(options, name, text + 1, length - 1, &millionths, err))
			return false;
		rs_columns_wish_for_percentile(&options->view.columns, millionths);
		return true;
	}
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	rs_columns_list(words, sizeof(words));
	rs_err_set(err, "%s: '%s' is no column", name, rs_text_shown(word).text);
	rs_options_add_metric_hint(options, name, word, err);
	return rs_err_add_line(
		err, "try: %s with some of %s, or another percentile as p99.9", name, words);
}

bool rs_options_add_columns(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	return add_each(options, name, value, add_column, err);
}

bool rs_options_set_width(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	unsigned long number;
	if (!parse_number(
		    name, value, RS_VIEW_LEAST_WIDTH, RS_VIEW_MOST_WIDTH, "columns", &number, err))
		return false;
	options->view.width = (int)number;
	return true;
}

bool rs_options_add_histogram(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err)
{
	struct rs_view *view = &options->view;
	if (!rs_options_check_no_option(name, value, "REGION, or REGION:EVENT", err))
		return false;
	if (value[0] == '\0' || value[0] == ':') {
		rs_err_set(err, "%s: '%s' names no region", name, rs_text_shown(value).text);
		return rs_err_add_line(err, "try: %s REGION, or %s REGION:EVENT", name, name);
	}
	if (view->n_histograms == RS_VIEW_HISTOGRAMS) {
		rs_err_set(err, "%s: more than %u histograms", name, RS_VIEW_HISTOGRAMS);
		return rs_err_add_line(err, "try: fewer at a time; a saved run can be shown again");
	}
	view->histograms[view->n_histograms++] = value;
	return true;
}
