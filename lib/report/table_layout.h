/* SPDX-License-Identifier: MIT */
/*
 * Which columns a table of regions has and where each ends. Every number is measured before the
 * first is printed, so that none breaks the alignment; where all are small the columns end at
 * fixed places and tables of different runs look alike.
 */
#ifndef RS_REPORT_TABLE_LAYOUT_H
#define RS_REPORT_TABLE_LAYOUT_H

#include "report/choice.h"
#include "report/columns.h"
#include "report/format.h"
#include "report/report.h"

struct rs_table_layout {
	enum rs_table_column columns[RS_COLUMN_N];
	size_t ends[RS_COLUMN_N]; /* the display column where each ends */
	size_t n_columns;
	size_t width; /* of the widest row, metrics included */
};

/*
 * Fill cell with what a region's row shows in a column; empty where there is no such value.
 * region: of summary; row: index in summary->columns.
 */
void rs_table_cell(struct rs_cell_text *cell, const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t row, enum rs_table_column column);

/* Fill cell with the words that a row shows in place of its distribution, empty when it has one. */
void rs_table_words(struct rs_cell_text *cell, const struct rs_summary_value *value);

/* The name of a row: "time, ns", "instructions", escaped; a part's is indented.
 * out[out_bytes]: filled. Returns its display width. */
size_t rs_table_label(char *out, size_t out_bytes, const struct rs_summary_column *column);

/*
 * Lay out the table of the regions that are to be shown. choice: borrowed. layout: filled.
 */
void rs_table_layout(struct rs_table_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_choice *choice);

#endif
