/* SPDX-License-Identifier: MIT */
/*
 * Rows of metrics in a table. Names and units may be anything in a saved run: they are escaped.
 */
#include "report/metric_rows.h"

#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/style.h"

#define NAME_BYTES 256u
#define GAP 2u

bool rs_metric_has_row(const struct rs_metric *metric)
{
	return metric->column == RS_NO_COLUMN;
}

void rs_metric_cell(struct rs_cell_text *cell, const struct rs_metric *metric)
{
	char unit[NAME_BYTES];
	rs_text_escape(unit, sizeof(unit), metric->unit);
	/* a mere number needs no word */
	bool is_plain = strcmp(unit, "count") == 0;
	rs_format_metric(cell, "", is_plain ? "ratio" : unit, metric->value);
	if (!cell->text[0])
		strcpy(cell->text, metric->status == RS_VALUE_UNDEFINED
					   ? rs_status_words(metric->status)
					   : "-");
	size_t length = strlen(cell->text);
	if (cell->text[length - 1] == ' ')
		cell->text[length - 1] = '\0';
	length = strlen(cell->text);
	cell->unit = cell->unit > length || cell->unit == 0 ? length : cell->unit;
}

/* Fit to show. Returns its width. */
static size_t write_name(char name[NAME_BYTES], const struct rs_metric *metric)
{
	rs_text_escape(name, NAME_BYTES, metric->name);
	return rs_width_of(name);
}

size_t rs_metric_rows_width(const struct rs_summary *summary)
{
	const struct rs_summary_run *run = &summary->run;
	size_t widest = 0;
	for (size_t i = 0; i < run->n_metrics; i++) {
		char name[NAME_BYTES];
		if (!rs_metric_has_row(&run->metrics[i]))
			continue;
		size_t width = write_name(name, &run->metrics[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

void rs_metric_rows_of_region(const struct rs_summary_region *region, size_t indent, size_t end,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	for (size_t i = 0; i < region->n_metrics; i++) {
		char name[NAME_BYTES];
		struct rs_cell_text cell;
		if (!rs_metric_has_row(&region->metrics[i]))
			continue;
		size_t used = indent + write_name(name, &region->metrics[i]);
		rs_metric_cell(&cell, &region->metrics[i]);
		size_t pad = used + GAP + cell.unit < end ? end - used - cell.unit : GAP;
		fprintf(stream, "%*s%s%*s%.*s%s%s%s\n", (int)indent, "", name, (int)pad, "",
			(int)cell.unit, cell.text, style->dim, cell.text + cell.unit, style->off);
	}
}

bool rs_metric_rows_of_run(const struct rs_summary *summary, size_t end, size_t n_unit,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_summary_run *run = &summary->run;
	bool any = false;
	for (size_t i = 0; i < run->n_metrics; i++) {
		char name[NAME_BYTES];
		struct rs_cell_text cell;
		if (!rs_metric_has_row(&run->metrics[i]))
			continue;
		write_name(name, &run->metrics[i]);
		rs_metric_cell(&cell, &run->metrics[i]);
		const char *unit = cell.text + cell.unit;
		unit += *unit == ' ';
		fprintf(stream, "%*.*s %s%-*s%s  %s\n", (int)end, (int)cell.unit, cell.text,
			style->dim, (int)n_unit, unit, style->off, name);
		any = true;
	}
	return any;
}
