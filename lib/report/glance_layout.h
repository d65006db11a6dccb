/* SPDX-License-Identifier: MIT */
/*
 * Which columns the lines of all regions have, and how wide each is.
 */
#ifndef RS_REPORT_GLANCE_LAYOUT_H
#define RS_REPORT_GLANCE_LAYOUT_H

#include "report/columns.h"
#include "report/format.h"
#include "report/report.h"
#include "report/short_name.h"
#include "report/tree.h"

/* A name as it is shown, with what stands before it. */
#define RS_GLANCE_NAME_BYTES (RS_TREE_PREFIX_BYTES + RS_SHORT_NAME_BYTES)

struct rs_glance_layout {
	size_t column; /* of the summary, whose values are shown */
	enum rs_table_column columns[RS_COLUMN_N];
	size_t widths[RS_COLUMN_N]; /* parallel to columns */
	size_t n_columns;
	char title[RS_GLANCE_NAME_BYTES]; /* of the names */
	size_t name_width;
	size_t levels; /* of the tree that are drawn */
	size_t share_width; /* of the number */
	size_t bar_width; /* of the longest */
};

/* Fill cell with what a region's line shows in a column; "-" where there is no such number, or it
 * is not sure. */
void rs_glance_cell(struct rs_cell_text *cell, const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t column, enum rs_table_column shown);

/* Fill cell with a share: "26.9%", "~26.9%" where it is an estimate, "-" where it is not known. */
void rs_glance_share(struct rs_cell_text *cell, uint32_t thousandths, bool is_scaled);

/*
 * The name of a line with what stands before it, of so many levels, cut in its middle to columns.
 * levels, columns: as the layout has them; columns 0: nothing is cut. out[RS_GLANCE_NAME_BYTES]:
 * filled. Returns its display width.
 */
size_t rs_glance_name(char *out, const struct rs_summary *summary, const struct rs_tree_line *line,
	bool utf8, size_t levels, size_t columns);

/* Lay out the lines of a tree. layout: filled. */
void rs_glance_layout(struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_tree *tree, size_t column);

#endif
