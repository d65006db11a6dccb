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
#include "options_values.h"
#include "report/sort.h"

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
	return rs_err_add_line(err, "try: %s %lu", name, least > 10 ? least : 10ul);
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
	for (int key = 0; key < RS_SORT_N; key++) {
		const char *word = rs_sort_word((enum rs_sort_key)key);
		size_t used = strlen(words);
		snprintf(words + used, sizeof(words) - used, "%s%s", key > 0 ? ", " : "", word);
		rs_suggest_offer(&suggest, word);
	}
	rs_err_set(err, "%s: '%s' is nothing to sort by", name, rs_text_shown(value).text);
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
	if (value[0] != '\0')
		return rs_options_check_no_option(name, value, "EVENT, one of those of -e", err);
	rs_err_set(err, "%s: the event is empty", name);
	return rs_err_add_line(err, "try: no %s, for time", name);
}
