/* SPDX-License-Identifier: MIT */
/*
 * This file writes collapsed stacks, "program;render;line 1234", for flamegraph.pl, speedscope,
 * Perfetto and other tools that draw flame graphs. It reads a finished summary. A stack starts with
 * the program, because Perfetto needs two names in each line
 * (src/trace_processor/util/trace_type.cc). Then come the regions from the root of the tree to one
 * region, and the self value of this region.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/format.h"
#include "report/report.h"

/* Return true if only digits, dots and spaces follow a space. flamegraph.pl accepts lines with two
 * numbers, so it would read the end of such a name as a number. */
static bool ends_in_number(const char *space)
{
	return space[strspn(space, " .0123456789")] == '\0';
}

/* Write a name, but replace characters that have a meaning in the format. */
static void write_name(const char *name, FILE *stream)
{
	char shown[RS_TEXT_SHOWN_BYTES * 256]; /* names of files have up to 255 bytes */
	rs_text_name(shown, sizeof(shown), name);
	for (const char *c = shown; *c; c++)
		if (*c == ';' || (*c == ' ' && ends_in_number(c)))
			fprintf(stream, "\\x%02x", (unsigned)*c);
		else
			putc(*c, stream);
}

/* Write the names from the program to a region, separated by semicolons. index RS_NO_ROW: write
 * only the program. */
static void write_path(const struct rs_summary *summary, size_t index, FILE *stream)
{
	if (index == RS_NO_ROW) {
		write_name(rs_report_program(summary->argv), stream);
		return;
	}
	write_path(summary, summary->merged[index].parent_row, stream);
	putc(';', stream);
	write_name(summary->merged[index].name, stream);
}

static void write_outside(
	const struct rs_summary *summary, const char *name, uint64_t value, FILE *stream)
{
	write_path(summary, RS_NO_ROW, stream);
	fprintf(stream, ";%s %" PRIu64 "\n", name, value);
}

void rs_report_folded(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	size_t column = rs_view_column(&options->view, summary);
	(void)arena;
	for (size_t i = 0; i < summary->n_merged; i++) {
		const struct rs_value *value = &summary->merged[i].values[column];
		if (!rs_value_has_total(value) || value->lacks_self)
			continue;
		write_path(summary, i, stream);
		fprintf(stream, " %" PRIu64 "\n", rs_value_self(value));
	}
	if (summary->n_merged == 0)
		return;
	const struct rs_shares *shares = &summary->shares[column];
	if (shares->outside != RS_NO_SHARE)
		write_outside(summary, "(unmarked)", shares->unmarked, stream);
	if (column <= RS_EVENT_CPU_TIME && summary->whole.overhead_ns > 0 &&
		shares->overhead != RS_NO_SHARE)
		write_outside(summary, "(overhead)", summary->whole.overhead_ns, stream);
}
