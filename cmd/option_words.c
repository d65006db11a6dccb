/* SPDX-License-Identifier: MIT */
/*
 * This file parses options whose values are names that other modules define: metrics, marker APIs,
 * sort keys, columns, percentiles and rules. A value is one word or a comma-separated list. The
 * message about an unknown name lists the possible names.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare/gate.h"
#include "options_table.h"
#include "report/view.h"
#include "segment/adapters.h"

#define ITEM_BYTES 64u

/* ---- metrics ---- */

/* Return true if a list of names contains an empty name. */
static bool has_empty(const char *value)
{
	size_t length = strlen(value);
	return length == 0 || value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,");
}

bool rs_parse_metrics(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	if (!has_empty(value))
		return rs_option_add(options, place, value, err);
	rs_err_set(err, "%s: the name of a metric is missing", place->name);
	return rs_option_try(place, err, "%s", place->option->example);
}

/* ---- marker APIs ---- */

void rs_marker_words(char *text, size_t bytes)
{
	const char *word;
	snprintf(text, bytes, "auto, none");
	for (uint32_t i = 0; (word = rs_adapter_word(i)); i++)
		rs_text_list(text, bytes, word);
}

bool rs_parse_markers(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	return rs_option_check_text(place, value, err) &&
	       rs_marker_wish_parse(&options->markers, place->name, value, err);
}

/* ---- view ---- */

void rs_sort_words(char *text, size_t bytes)
{
	*text = '\0';
	for (int key = RS_SORT_USUAL + 1; key < RS_SORT_N; key++) {
		const char *word = rs_sort_word((enum rs_sort_key)key);
		if (word)
			rs_text_list(text, bytes, word);
	}
}

bool rs_parse_sort(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	return rs_sort_find(&options->view.sort, value) ||
	       rs_option_refuse_word(options, place, value, err);
}

static bool add_percentile(struct rs_options *options, const struct rs_option_place *place,
	const char *text, uint32_t *millionths, struct rs_err *err)
{
	switch (rs_percentiles_add(&options->view.percentiles, text, millionths)) {
	case RS_PERCENTILE_WRONG:
		return rs_option_refuse_share(place, text, err);
	case RS_PERCENTILE_TOO_MANY:
		rs_err_set(err, "%s: more than %u percentiles", place->name, RS_MAX_PERCENTILES);
		return rs_err_add_line(
			err, "try: -o run.json, and regionstat report --percentiles for each list");
	case RS_PERCENTILE_FINE:
	default:
		return true;
	}
}

static bool add_one_percentile(struct rs_options *options, const struct rs_option_place *place,
	const char *text, struct rs_err *err)
{
	uint32_t millionths;
	return add_percentile(options, place, text, &millionths, err);
}

static bool add_column(struct rs_options *options, const struct rs_option_place *place,
	const char *text, struct rs_err *err)
{
	uint32_t millionths;
	if (rs_columns_wish_for(&options->view.columns, text))
		return true;
	if (text[0] != 'p' || !text[1] || text[1 + strspn(text + 1, "0123456789.")])
		return rs_option_refuse_word(options, place, text, err);
	if (!add_percentile(options, place, text + 1, &millionths, err))
		return false;
	rs_columns_wish_for_percentile(&options->view.columns, millionths);
	return true;
}

/* Call add() for each item of a comma-separated list, including empty items. */
static bool add_each(struct rs_options *options, const struct rs_option_place *place,
	const char *list, rs_option_parse *add, struct rs_err *err)
{
	char item[ITEM_BYTES];
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		snprintf(item, sizeof(item), "%.*s", (int)length, at);
		if (!add(options, place, item, err))
			return false;
		at += length;
		if (!*at)
			return true;
	}
}

bool rs_parse_columns(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	return add_each(options, place, value, add_column, err);
}

bool rs_parse_percentiles(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	return add_each(options, place, value, add_one_percentile, err);
}

/* ---- rules of --fail-if ---- */

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
