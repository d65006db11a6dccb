/* SPDX-License-Identifier: MIT */
/*
 * What a region's calls take that were not interrupted, beside all of them: a line in the table. Comes
 * in: a region of a summary. Goes out: how many there are, and avg, p90 and max of their time; or, where
 * the rows above are of these already, how many calls were left out.
 */
#include "report/table_undisturbed.h"

#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"

#define INDENT 2u

#define LINE_BYTES 512u

/* "   avg 3.30 us   p90 4.13 us   max 189 us", behind what line[LINE_BYTES] holds. */
static void add_times(char *line, const struct rs_value *time)
{
	const struct {
		const char *word;
		uint64_t ns;
		bool is_there;
	} times[] = {{"avg", (uint64_t)(time->avg + 0.5), true},
		{"p90", time->p90, !time->lacks_quantiles}, {"max", time->max, true}};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct rs_cell_text cell;
		size_t used = strlen(line);
		if (!times[i].is_there)
			continue;
		rs_format_total(&cell, RS_QUANTITY_NS, times[i].ns, false);
		snprintf(line + used, LINE_BYTES - used, "   %s %s", times[i].word, cell.text);
	}
}

/* Where calls are sampled, how many were interrupted is an estimate, and so is how many were not. */
static const char *estimate_mark(const struct rs_summary_region *region)
{
	return region->values[0].status == RS_VALUE_SCALED ? "~" : "";
}

/* line[LINE_BYTES]: filled. of_all: how many calls there are in all, as far as there is room. */
static void format_line(char *line, const struct rs_summary_region *region, bool of_all)
{
	char some[RS_TEXT_INTEGER_BYTES], all[RS_TEXT_INTEGER_BYTES];
	uint64_t n = region->calls - region->interrupted;
	rs_text_unsigned(some, n);
	rs_text_unsigned(all, region->calls);
	snprintf(line, LINE_BYTES, "undisturbed: %s%s%s%s call%s", estimate_mark(region), some,
		of_all ? " of " : "", of_all ? all : "", !of_all && n == 1 ? "" : "s");
	add_times(line, &region->undisturbed);
}

void rs_table_undisturbed(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	char line[LINE_BYTES], cut[LINE_BYTES + 4], digits[RS_TEXT_INTEGER_BYTES];
	size_t width = options->width > (int)INDENT ? (size_t)options->width - INDENT : SIZE_MAX;
	if (!region->has_interrupted || region->interrupted == 0)
		return;
	if (summary->undisturbed) {
		snprintf(line, sizeof(line), "without %s%s interrupted call%s",
			estimate_mark(region), rs_text_unsigned(digits, region->interrupted),
			region->interrupted == 1 ? "" : "s");
	} else if (region->interrupted >= region->calls || !region->undisturbed.has_distribution) {
		snprintf(line, sizeof(line), "undisturbed: none of %s call%s",
			rs_text_unsigned(digits, region->calls), region->calls == 1 ? "" : "s");
	} else {
		format_line(line, region, true);
		if (rs_width_of(line) > width)
			format_line(line, region, false);
	}
	rs_width_cut(cut, sizeof(cut), line, width);
	fprintf(stream, "%*s%s\n", (int)INDENT, "", cut);
}
