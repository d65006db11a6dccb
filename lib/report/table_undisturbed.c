/* SPDX-License-Identifier: MIT */
/*
 * What a region's calls take that were not interrupted, beside all of them: a line in the table. Comes
 * in: a region of a summary. Goes out: how many there are, and avg, p90 and max of their time; or, where
 * the rows above are of these already, how many calls were left out.
 */
#include "report/table_undisturbed.h"

#include "base/text.h"
#include "report/format.h"

static void write_integer(const char *word, uint64_t value, FILE *stream)
{
	struct rs_cell_text cell;
	rs_format_integer(&cell, value);
	fprintf(stream, "   %s %s ns", word, cell.text);
}

static void write_time(const struct rs_value *time, FILE *stream)
{
	struct rs_cell_text cell;
	rs_format_average(&cell, time->avg);
	fprintf(stream, "   avg %s ns", cell.text);
	if (!time->lacks_quantiles)
		write_integer("p90", time->p90, stream);
	write_integer("max", time->max, stream);
}

void rs_table_undisturbed(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_style *style, FILE *stream)
{
	char some[RS_TEXT_INTEGER_BYTES], all[RS_TEXT_INTEGER_BYTES];
	if (!region->has_interrupted || region->interrupted == 0)
		return;
	if (summary->undisturbed) {
		fprintf(stream, "  %swithout %s interrupted call%s%s\n", style->dim,
			rs_text_unsigned(some, region->interrupted),
			region->interrupted == 1 ? "" : "s", style->off);
		return;
	}
	if (region->interrupted >= region->calls || !region->undisturbed.has_distribution) {
		fprintf(stream, "  %sundisturbed: none of %s call%s%s\n", style->dim,
			rs_text_unsigned(all, region->calls), region->calls == 1 ? "" : "s",
			style->off);
		return;
	}
	fprintf(stream, "  %sundisturbed: %s of %s calls%s", style->dim,
		rs_text_unsigned(some, region->calls - region->interrupted),
		rs_text_unsigned(all, region->calls), style->off);
	write_time(&region->undisturbed, stream);
	putc('\n', stream);
}
