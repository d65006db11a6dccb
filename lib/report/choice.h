/*
 * Which regions a table shows when there are many.
 */
#ifndef RS_REPORT_CHOICE_H
#define RS_REPORT_CHOICE_H

#include "report/report.h"

#define RS_CHOICE_REGIONS 20u

struct rs_choice {
	bool all;
	size_t n_regions;
	size_t regions[RS_CHOICE_REGIONS]; /* unless all: indices, most time first */
	size_t n_left_out;
	double left_out_ratio; /* of the self time of all regions */
};

/*
 * Choose all regions, or the RS_CHOICE_REGIONS with most self time, the earlier ones where times
 * are equal. choice: filled.
 */
void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary, bool all);

/* Whether the region with this index is shown. */
bool rs_choice_has(const struct rs_choice *choice, size_t region);

#endif
