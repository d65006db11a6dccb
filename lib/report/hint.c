/* SPDX-License-Identifier: MIT */
/*
 * What to look at first. Comes in: a finished summary. Goes out: one line, or a line each where the
 * terminal is too narrow, with the hottest region, those that waited, and those that are unsure.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/glance.h"
#include "report/glance_layout.h"
#include "report/short_name.h"
#include "report/style.h"

#define BETWEEN "   "
#define MOST_NAMES 3u
#define MOST_NAME_WIDTH 40u /* of names within text */
#define TEXT_BYTES 1024u

/* Something that a line says: a word, and regions. */
struct hint {
	const char *word;
	char text[TEXT_BYTES];
};

/* Append to a hint, as far as there is room. */
static void append(struct hint *hint, const char *text)
{
	size_t used = strlen(hint->text);
	snprintf(hint->text + used, sizeof(hint->text) - used, "%s", text);
}

/* region: one of summary->merged. */
static void append_name(struct hint *hint, const struct rs_summary *summary,
	const struct rs_summary_region *region, const struct rs_report_options *options)
{
	size_t width = options->width > 0 ? (size_t)options->width / 2 : MOST_NAME_WIDTH;
	width = width < MOST_NAME_WIDTH ? width : MOST_NAME_WIDTH;

	char cut[RS_SHORT_NAME_BYTES];
	rs_short_region_name(
		cut, summary, (size_t)(region - summary->merged), width, options->utf8);
	append(hint, hint->text[0] ? ", " : "");
	append(hint, cut);
}

/* The hottest region, where there are others. */
static void tell_hottest(struct hint *hint, const struct rs_summary *summary,
	const struct rs_report_options *options)
{
	size_t column = rs_view_column(&options->view, summary);
	const struct rs_shares *shares = &summary->shares[column];
	struct rs_cell_text share;
	if (summary->n_merged < 2 || shares->hottest == RS_NO_ROW)
		return;
	const struct rs_summary_region *region = &summary->merged[shares->hottest];
	rs_glance_share(&share, shares->thousandths[shares->hottest],
		shares->is_whole_estimated || region->values[column].status == RS_VALUE_SCALED);
	append_name(hint, summary, region, options);
	append(hint, " ");
	append(hint, share.text);
	if (column > 0) {
		char event[4 * RS_NAME_BYTES];
		rs_text_escape(event, sizeof(event), summary->columns[column].name);
		append(hint, " of ");
		append(hint, event);
	}
}

static bool waits(const struct rs_summary_region *region)
{
	return region->waits;
}

static bool is_short(const struct rs_summary_region *region)
{
	return region->is_short;
}

/* What of two regions comes first: that with more self time, or with more calls. */
static bool is_before(const struct rs_summary_region *a, const struct rs_summary_region *b)
{
	if (a->values[0].self_total != b->values[0].self_total)
		return a->values[0].self_total > b->values[0].self_total;
	return a->calls > b->calls;
}

/* The first MOST_NAMES regions of a kind, most self time first. Returns how many there are in
 * all. */
static size_t pick(const struct rs_summary_region **picked, const struct rs_summary *summary,
	bool (*is_wanted)(const struct rs_summary_region *))
{
	size_t n = 0;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_summary_region *region = &summary->merged[i];
		if (!is_wanted(region))
			continue;
		size_t place = n < MOST_NAMES ? n : MOST_NAMES;
		for (; place > 0 && is_before(region, picked[place - 1]); place--)
			if (place < MOST_NAMES)
				picked[place] = picked[place - 1];
		if (place < MOST_NAMES)
			picked[place] = region;
		n++;
	}
	return n;
}

static void append_rest(struct hint *hint, size_t n)
{
	char text[64];
	if (n <= MOST_NAMES)
		return;
	snprintf(text, sizeof(text), " and %zu more", n - MOST_NAMES);
	append(hint, text);
}

static void tell_waits(struct hint *hint, const struct rs_summary *summary,
	const struct rs_report_options *options)
{
	const struct rs_summary_region *picked[MOST_NAMES];
	size_t n = pick(picked, summary, waits);
	for (size_t i = 0; i < n && i < MOST_NAMES; i++) {
		char text[64];
		append_name(hint, summary, picked[i], options);
		snprintf(text, sizeof(text), " (%.0f%% on a CPU)", picked[i]->self_cpu * 100);
		append(hint, text);
	}
	append_rest(hint, n);
}

static void tell_unsure(struct hint *hint, const struct rs_summary *summary,
	const struct rs_report_options *options)
{
	const struct rs_summary_region *picked[MOST_NAMES];
	size_t n = pick(picked, summary, is_short);
	for (size_t i = 0; i < n && i < MOST_NAMES; i++)
		append_name(hint, summary, picked[i], options);
	append_rest(hint, n);
	if (n > 0)
		append(hint,
			n == 1 ? " (shorter than its markers)" : " (shorter than their markers)");
}

void rs_hint_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	struct hint hints[] = {{.word = "hottest"}, {.word = "waits"}, {.word = "unsure"}};
	size_t position = 0, width = options->width > 0 ? (size_t)options->width : SIZE_MAX;
	if (summary->n_merged == 0)
		return;
	tell_hottest(&hints[0], summary, options);
	tell_waits(&hints[1], summary, options);
	tell_unsure(&hints[2], summary, options);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		const char *between = position > 0 ? BETWEEN : "\n";
		size_t n = strlen(hints[i].word) + 2 + rs_width_of(hints[i].text);
		if (!hints[i].text[0])
			continue;
		if (position > 0 && position + strlen(BETWEEN) + n > width) {
			between = "\n";
			position = 0;
		}
		position += (position > 0 ? strlen(BETWEEN) : 0) + n;
		fprintf(stream, "%s%s%s:%s %s", between, style->bold, hints[i].word, style->off,
			hints[i].text);
	}
	if (position > 0)
		putc('\n', stream);
}
