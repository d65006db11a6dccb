/* SPDX-License-Identifier: MIT */
/*
 * The slowest call of a row. In come the cell that has it and the row's values; out go what it had of
 * every event, when it began, and its time as a multiple of the 90th percentile: where that is many
 * times as much, and a part of all the time that matters, it is worth a line.
 */
#include "stats/summary_slowest.h"

#include <math.h>


/* Of fewer calls p90 is no other than the slowest. */
#define LEAST_CALLS 10u
/* So many times p90, and such a part of what all calls took, is worth a line. */
#define LEAST_RATIO 10.0
#define LEAST_PART 0.01

/* What the slowest call had of a column: a call counted whole is counted by one part. */
static uint64_t slowest_of(
	const struct builder *builder, const struct rs_cell_copy *cell, size_t column)
{
	const struct rs_column_events *own = &builder->columns.events[column];
	uint64_t number = UINT64_MAX;
	for (size_t i = 0; i < own->n; i++) {
		uint32_t quantity = own->events[i]->quantity;
		if (quantity > 0 && cell->slowest[quantity] != UINT64_MAX)
			number = cell->slowest[quantity];
	}
	return number;
}

static void compare(struct rs_summary_region *region)
{
	const struct rs_value *time = &region->values[0], *slowest = &region->slowest[0];
	bool is_known = rs_value_has_total(slowest) && rs_value_has_quantiles(time) &&
			time->counted >= LEAST_CALLS && rs_value_quantile(time, RS_P90) > 0;
	region->slowest_ratio =
		is_known ? (double)slowest->total / (double)rs_value_quantile(time, RS_P90) : NAN;
	region->slowest_matters = is_known && region->slowest_ratio >= LEAST_RATIO &&
				  (double)slowest->total >= (double)time->total * LEAST_PART;
}

void rs_summary_slowest_make(const struct builder *builder, struct rs_summary_region *region,
	const struct rs_cell_copy *cell, struct rs_value *values)
{
	region->slowest_start_ns = cell->slowest_start_ns;
	region->slowest_pid = cell->slowest_pid;
	region->slowest_tid = cell->slowest_tid;
	region->slowest = values;
	region->slowest[0] = rs_value_of_call(cell->slowest[0]);
	for (size_t c = 1; c < builder->columns.n; c++)
		if (!rs_value_status_is_refusal(region->slowest[c].status) &&
			builder->columns.columns[c].in_regions)
			region->slowest[c] = rs_value_of_call(slowest_of(builder, cell, c));
	compare(region);
}
