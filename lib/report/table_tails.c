/* SPDX-License-Identifier: MIT */
/*
 * The tails of a region as text. In comes what the summary says is worth a word; out goes a line for
 * each tail, as wide as there is room for.
 */
#include "report/table_tails.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"

#define INDENT 2u
#define NAME_BYTES 512u
#define EVENT_BYTES (NAME_BYTES + 64u)

/* So many times as much says nothing that "so much, and the others next to none" does not. */
#define MOST_RATIO 100

/* "40x", "1.5x"; or "0.9 a call" where the others had next to none. */
static void format_event(
	char *out, const struct rs_summary_column *column, const struct rs_tail_event *event)
{
	char name[NAME_BYTES], digits[RS_TEXT_INTEGER_BYTES];
	bool is_ratio = event->ratio < MOST_RATIO;
	double value = is_ratio ? event->ratio : event->avg;
	rs_text_escape(name, sizeof(name), column->name);
	if (value < 9.95)
		snprintf(digits, sizeof(digits), "%.1f", value);
	else
		rs_text_unsigned(digits, (uint64_t)fmin(value + 0.5, 1e19));
	snprintf(out, EVENT_BYTES, "%s %s%s", name, digits, is_ratio ? "x" : " a call");
}

char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail, size_t columns)
{
	struct rs_cell_text share, bound;
	size_t room = (tail->n_told + 1) * (EVENT_BYTES + 2), length;
	char *text = malloc(room), event[EVENT_BYTES];
	if (!text)
		return NULL;
	rs_format_percent(&share, tail->share);
	rs_format_total(&bound, RS_QUANTITY_NS, tail->bound_ns, false);
	length = (size_t)snprintf(text, room, "slowest %s%% (>= %s):", share.text, bound.text);
	for (size_t i = 0; i < tail->n_told; i++) {
		size_t column = tail->told[i];
		format_event(event, &summary->columns[column], &tail->events[column]);
		/* the first is told at any width */
		if (i > 0 && columns > 0 && rs_width_of(text) + 2 + rs_width_of(event) > columns)
			break;
		length += (size_t)snprintf(
			text + length, room - length, "%s%s", i > 0 ? ", " : " ", event);
	}
	return text;
}

void rs_table_tails(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	size_t width = options->width > (int)INDENT ? (size_t)options->width - INDENT : 0;
	for (size_t i = 0; i < region->n_tails; i++) {
		const struct rs_tail *tail = &region->tails[i];
		char *text = tail->n_told > 0 ? rs_tail_text(summary, tail, width) : NULL;
		char cut[EVENT_BYTES + 64];
		if (!text)
			continue;
		if (width > 0)
			rs_width_cut(cut, sizeof(cut), text, width);
		fprintf(stream, "%*s%s\n", (int)INDENT, "", width > 0 ? cut : text);
		free(text);
	}
}
