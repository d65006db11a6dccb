/* SPDX-License-Identifier: MIT */
/*
 * Which regions a table shows when there are many, and which rows of them.
 */
#ifndef RS_REPORT_CHOICE_H
#define RS_REPORT_CHOICE_H

#include "report/report.h"

#define RS_CHOICE_REGIONS 20u

struct rs_choice {
	bool all;
	bool parts; /* a row for each part of an event too */
	size_t n_regions;
	size_t regions[RS_CHOICE_REGIONS]; /* unless all: indices, most time first */
	size_t n_left_out;
	double left_out_ratio; /* of the self time of all regions */
};

/*
 * Choose all regions, if options say so, or the RS_CHOICE_REGIONS with most self time, the earlier
 * ones where times are equal. choice: filled.
 */
void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options);

/* Whether the region with this index is shown. */
bool rs_choice_has(const struct rs_choice *choice, size_t region);

/* Whether regions have a row for this column of the summary. */
bool rs_choice_has_row(
	const struct rs_choice *choice, const struct rs_summary *summary, size_t column);

#endif
