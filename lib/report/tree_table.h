/* SPDX-License-Identifier: MIT */
/*
 * The table of all regions: where the threads' time went, by self time, and how long calls took.
 */
#ifndef RS_REPORT_TREE_TABLE_H
#define RS_REPORT_TREE_TABLE_H

#include "report/grid.h"
#include "report/tree.h"

struct rs_tree_table {
	struct rs_grid grid;
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_tree tree;
	size_t column; /* of the summary: whose values are shown */
	bool has_split; /* of self time it is known what was on the CPU */
	bool has_kind[3]; /* some region was preempted or blocked for a time that matters; [0]: any
			     was either */
};

/*
 * Fill a table. most: lines of regions; others are folded.
 * table: release with rs_tree_table_finish(). False: no memory.
 */
bool rs_tree_table_make(struct rs_tree_table *table, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most, struct rs_arena *arena);

/* Write it on a screen, with a line for what narrow screens have no columns for. False: no memory. */
bool rs_tree_table_write(struct rs_tree_table *table, FILE *stream);

void rs_tree_table_finish(struct rs_tree_table *table);

/* Set the names of tree lines as the first column of a grid, whose rows begin with these lines. data
 * of the callback: borrowed. */
struct rs_tree_names {
	const struct rs_summary *summary;
	const struct rs_tree *tree;
	bool utf8;
	bool has_remarks; /* "recursive", "4 parents" */
};
void rs_tree_names_set(struct rs_grid *grid, struct rs_tree_names *names);

/* A bar of n cells for the share top: what was on the CPU, preempted and blocked. cell: filled. */
void rs_split_bar(struct rs_grid *grid, struct rs_grid_cell *cell, const double split[3],
	double top, size_t n, bool utf8);

/* How each of these is drawn: "█". kind: 0 on-CPU, 1 preempted, 2 blocked. */
const char *rs_split_glyph(int kind, bool utf8);

#endif
