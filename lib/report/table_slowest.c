/* SPDX-License-Identifier: MIT */
/*
 * The slowest call of a region as text. In comes what the summary says of it, and whether it matters;
 * out goes a line, as wide as there is room for.
 */
#include "report/table_slowest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"

#define NAME_BYTES 512u
#define EVENT_BYTES (NAME_BYTES + RS_CELL_TEXT_BYTES + 4u)
#define HEAD_BYTES 256u

void rs_slowest_ratio_text(char *text, const struct rs_summary_region *region)
{
	char digits[RS_TEXT_INTEGER_BYTES] = "";
	double ratio = region->slowest_ratio;
	text[0] = '\0';
	if (!isfinite(ratio))
		return;
	if (ratio < 9.95)
		snprintf(digits, sizeof(digits), "%.1f", ratio);
	else
		rs_text_unsigned(digits, (uint64_t)fmin(ratio + 0.5, 1e19));
	snprintf(text, RS_SLOWEST_RATIO_BYTES, "%sx p90", digits);
}

/* What it took, and when and where it was. head[HEAD_BYTES]: filled. */
static void format_head(char *head, const struct rs_summary_region *region)
{
	struct rs_cell_text time, start;
	char ratio[RS_SLOWEST_RATIO_BYTES];
	rs_format_total(&time, RS_QUANTITY_NS, region->slowest[0].total, false);
	rs_slowest_ratio_text(ratio, region);
	rs_format_total(&start, RS_QUANTITY_NS, region->slowest_start_ns, false);
	snprintf(head, HEAD_BYTES, "slowest call: %s, %s, %s after the start, thread %u", time.text,
		ratio, start.text, (unsigned)region->slowest_tid);
}

char *rs_slowest_text(
	const struct rs_summary *summary, const struct rs_summary_region *region, size_t columns)
{
	size_t room = HEAD_BYTES + summary->n_columns * EVENT_BYTES;
	char *text = region->slowest && region->slowest_matters ? malloc(room) : NULL;
	if (!text)
		return NULL;
	format_head(text, region);
	for (size_t c = 1; c < summary->n_columns; c++) {
		const struct rs_value *value = &region->slowest[c];
		char name[NAME_BYTES], event[EVENT_BYTES];
		struct rs_cell_text cell;
		bool is_ns = strcmp(summary->columns[c].unit, "ns") == 0;
		if (!rs_value_has_total(value) || summary->columns[c].is_part)
			continue;
		rs_text_escape(name, sizeof(name), summary->columns[c].name);
		rs_format_total(
			&cell, is_ns ? RS_QUANTITY_NS : RS_QUANTITY_COUNT, value->total, false);
		snprintf(event, sizeof(event), ", %s %s", name, cell.text);
		if (columns == 0 || rs_width_of(text) + rs_width_of(event) <= columns)
			strcat(text, event);
	}
	return text;
}
