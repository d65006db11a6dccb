/*
 * From merged sums to what a report shows of one quantity: status, totals, distribution.
 */
#ifndef RS_STATS_VALUES_H
#define RS_STATS_VALUES_H

#include "stats/merge.h"
#include "stats/summary.h"
#include "stats/ticks.h"

/* Time of a row, in ns: it needs no counter and is counted in every measured call. Totals of calls
 * that sampling left out are estimated by those that it measured. */
void rs_value_of_time(
	struct rs_value *value, const struct rs_merged_row *row, const struct rs_ticks *rate);

/* An event of a row, in its own unit. quantity: of row->quantities; group: of row->groups. */
void rs_value_of_event(struct rs_value *value, const struct rs_merged_row *row, uint32_t quantity,
	uint32_t group, const struct rs_ticks *rate);

/* An event of the whole run. supported: as the plan found. */
void rs_value_of_total(struct rs_value *value, const struct rs_total *total, bool supported);

/* One number of one call, such as of the slowest. UINT64_MAX: not counted. */
void rs_value_of_call(struct rs_value *value, uint64_t number);

#endif
