/* SPDX-License-Identifier: MIT */
/*
 * The rows of the flat table that are facts about the run beside what was counted.
 */
#ifndef RS_REPORT_ROWS_FACTS_H
#define RS_REPORT_ROWS_FACTS_H

#include "report/rows.h"

/* What was run, when and where. row: with kind and run. */
void rs_rows_give_begin(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink);

/* The processes that are ranks of an MPI program. row: with kind and run. */
void rs_rows_give_ranks(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink);

/* How the program ended. row: with kind and run. */
void rs_rows_give_end(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink);

/* What adapters of other marker APIs met: rows for each that left any count, with its word as unit. */
void rs_rows_give_markers(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink);

#endif
