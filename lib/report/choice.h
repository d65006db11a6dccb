/* SPDX-License-Identifier: MIT */
/*
 * Which regions a report shows in detail when there are many, in which order, and which rows of
 * them.
 */
#ifndef RS_REPORT_CHOICE_H
#define RS_REPORT_CHOICE_H

#include "report/report.h"

struct rs_choice {
	bool parts; /* a row for each part of an event too */
	size_t column; /* of the summary, by which regions are ordered */
	size_t *regions; /* indexes, in the order to show them; owned */
	size_t n_regions;
	size_t n_left_out; /* that the reader did not ask to leave out */
};

/*
 * Choose of the regions that the view has: all if options say so, else its top, else most.
 * choice: filled; release with rs_choice_finish(). False: no memory.
 */
bool rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, size_t most);

/* Leave out all regions but the first most. */
void rs_choice_limit(struct rs_choice *choice, size_t most);

/* Release what the choice owns. choice: filled or zeroed. */
void rs_choice_finish(struct rs_choice *choice);

/* Whether regions have a row for this column of the summary. */
bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column);

#endif
