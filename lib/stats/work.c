/* SPDX-License-Identifier: MIT */
/*
 * Bytes and operations of a region: added up over its cells, and set against its time.
 */
#include "stats/work.h"

#include <math.h>

void rs_merged_work_add(struct rs_merged_work *sum, const struct rs_cell_copy *cell)
{
	sum->calls += cell->work_calls;
	sum->bytes = rs_work_add(sum->bytes, cell->work_bytes);
	sum->flops = rs_work_add(sum->flops, cell->work_flops);
}

/* NAN where there is nothing to divide by, or a sum that is only known to be as large as that. */
static double ratio(uint64_t above, uint64_t below)
{
	if (above == UINT64_MAX || below == UINT64_MAX || below == 0)
		return NAN;
	return (double)above / (double)below;
}

struct rs_summary_work rs_summary_work_of(
	const struct rs_merged_work *sum, const struct rs_value *time)
{
	uint64_t time_ns = rs_value_has_total(time) ? time->total : 0;
	bool has_calls = sum->calls > 0;
	return (struct rs_summary_work){.calls = sum->calls,
		.bytes = sum->bytes,
		.flops = sum->flops,
		.gb_per_s = has_calls && sum->bytes > 0 ? ratio(sum->bytes, time_ns) : NAN,
		.gflop_per_s = has_calls && sum->flops > 0 ? ratio(sum->flops, time_ns) : NAN,
		.flop_per_byte = sum->flops > 0 ? ratio(sum->flops, sum->bytes) : NAN};
}
